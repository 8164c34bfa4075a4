import { money } from './format.ts';
import { ChevronIcon } from './icons.tsx';
import { fill, type Messages } from './messages.ts';
import type { CheckoutView } from './view.ts';

interface Props {
  view: CheckoutView;
  text: Messages;
}

/** Whether the merchant sent the contents of the order. */
export const hasPurchaseDetails = ({ description, items }: CheckoutView): boolean =>
  description !== null || items.length > 0;

/**
 * The contents of the order, beside the payment. They are folded on a phone and open if there is room. Once
 * the payment is paid, only the receipt shows them, so that a phone does not show them twice.
 */
export function PurchaseSummary({ view, text }: Props) {
  if (!hasPurchaseDetails(view)) return null;
  return (
    <details class={view.state.kind === 'paid' ? 'bought wide-only' : 'bought'} data-testid="bought">
      <summary>
        <span>{text.order}</span>
        <bdi>{view.reference}</bdi>
        <span class="unfold">
          {text.details}
          <ChevronIcon />
        </span>
      </summary>
      <PurchaseLines view={view} text={text} name="bought-lines" />
    </details>
  );
}

/** The maximum number of items shown at once; further ones are folded. */
const maxItems = 8;
const firstItems = 5;

/** The items. A long list shows only the first ones, so that it does not push other content away. */
function Items({ view: { items, locale }, text }: Props) {
  if (items.length === 0) return null;
  if (items.length <= maxItems) return <Lines items={items} locale={locale} />;
  return (
    <>
      <Lines items={items.slice(0, firstItems)} locale={locale} />
      <details class="more-lines" data-testid="more-items">
        <summary>
          <span class="when-folded">{fill(text.showItems, { count: String(items.length) })}</span>
          <span class="when-open">{text.showFewerItems}</span>
          <ChevronIcon />
        </summary>
        <Lines items={items.slice(firstItems)} locale={locale} />
      </details>
    </>
  );
}

const Lines = ({ items, locale }: Pick<CheckoutView, 'items' | 'locale'>) => (
  <ul class="lines">
    {items.map(({ name, quantity, amountCents }, index) => (
      <li key={index}>
        <span class="line-name" dir="auto">
          {name} {quantity === 1 ? null : <span class="line-count">× {quantity}</span>}
        </span>
        <span class="line-amount">{money(locale, amountCents)}</span>
      </li>
    ))}
  </ul>
);

/** The description and the items. Beside the payment the order follows, because their sum is above them. */
export function PurchaseLines({ view, text, name }: Props & { name: 'bought-lines' | 'receipt-lines' }) {
  if (!hasPurchaseDetails(view)) return null;
  return (
    <div class={name}>
      {view.description === null ? null : (
        <p class="about" dir="auto">
          {view.description}
        </p>
      )}
      <Items view={view} text={text} />
      {view.items.length === 0 ? null : (
        <p class="lines-total">
          <span>{text.total}</span> <span>{money(view.locale, view.amountCents)}</span>
        </p>
      )}
      {name === 'receipt-lines' ? null : (
        <p class="lines-order">
          <span>{text.order}</span> <bdi>{view.reference}</bdi>
        </p>
      )}
    </div>
  );
}
