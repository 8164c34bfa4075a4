import { money } from './format.ts';
import { ChevronIcon } from './icons.tsx';
import type { Messages } from './messages.ts';
import type { CheckoutView } from './view.ts';

interface Props {
  view: CheckoutView;
  text: Messages;
}

/** Whether the merchant sent what is bought. */
export const isBoughtKnown = ({ description, items }: CheckoutView): boolean =>
  description !== null || items.length > 0;

/**
 * What is bought, beside the payment: folded on a phone, open where there is room. The receipt has it once
 * the payment is paid; on a phone it would stand there twice.
 */
export function Bought({ view, text }: Props) {
  if (!isBoughtKnown(view)) return null;
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
      <BoughtLines view={view} text={text} name="bought-lines" />
    </details>
  );
}

/** The description, the lines and, where no amount follows, their sum. */
export function BoughtLines({ view, text, name }: Props & { name: 'bought-lines' | 'receipt-lines' }) {
  if (!isBoughtKnown(view)) return null;
  return (
    <div class={name}>
      {view.description === null ? null : (
        <p class="about" dir="auto">
          {view.description}
        </p>
      )}
      {view.items.length === 0 ? null : (
        <ul class="lines">
          {view.items.map(({ name: item, quantity, amountCents }) => (
            <li key={item}>
              <span class="line-name" dir="auto">
                {item} {quantity === 1 ? null : <span class="line-count">× {quantity}</span>}
              </span>
              <span class="line-amount">{money(view.locale, amountCents)}</span>
            </li>
          ))}
        </ul>
      )}
      {view.items.length === 0 || name === 'receipt-lines' ? null : (
        <p class="lines-total">
          <span>{text.total}</span> <span>{money(view.locale, view.amountCents)}</span>
        </p>
      )}
    </div>
  );
}
