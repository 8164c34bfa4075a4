import type { ComponentChildren } from 'preact';
import { CardMark } from '../card-marks/card-mark.tsx';
import { shortReference } from '../domain/short-reference.ts';
import { PurchaseLines } from './purchase-summary.tsx';
import { cardName, dayAndTime, money } from './format.ts';
import { EndIcon, PrintIcon } from './icons.tsx';
import { fill, type Messages } from './messages.ts';
import { Actions, BackToShop } from './step-parts.tsx';
import { type CheckoutView, type PageState, methodName } from './view.ts';

type State<Kind extends PageState['kind']> = Extract<PageState, { kind: Kind }>;

interface Props<Kind extends PageState['kind']> {
  view: CheckoutView;
  state: State<Kind>;
  text: Messages;
}

export const closedTexts = {
  checkout_expired: ['expiredTitle', 'expiredText'],
  attempts_exhausted: ['exhaustedTitle', 'exhaustedText'],
  provider_failed: ['failedForGoodTitle', 'failedForGoodText'],
} as const;

/** The payment succeeded: a receipt that can be printed. */
export function Paid({ view, state, text }: Props<'paid'>) {
  return (
    <>
      <p dir="auto">{fill(text.paidText, { merchant: view.merchantName })}</p>
      <PurchaseLines view={view} text={text} name="receipt-lines" />
      <Facts>
        {/* The items end with their total. */}
        {view.items.length > 0 ? null : (
          <Fact label={text.amount}>
            <span class="nowrap">{money(view.locale, view.amountCents)}</span>
          </Fact>
        )}
        <Fact label={text.paidTo}>{view.merchantName}</Fact>
        <Ending view={view} state={state} text={text} />
      </Facts>
      <Actions>
        <BackToShop url={view.successUrl} text={text} />
        <button type="button" class="secondary needs-script" id="print">
          <PrintIcon />
          <span>{text.print}</span>
        </button>
      </Actions>
      <p class="hint" dir="auto">
        {fill(text.paidNext, { merchant: view.merchantName })}
      </p>
      {view.branding.statementDescriptor === null || state.card === null ? null : (
        <p class="hint">{fill(text.descriptor, { descriptor: view.branding.statementDescriptor })}</p>
      )}
    </>
  );
}

/** The payment is closed: the reason, and what the customer can do now. */
export function Closed({ view, state, text }: Props<'closed'>) {
  return (
    <>
      <p>{state.unsettled ? text.unsettledText : text[closedTexts[state.reason][1]]}</p>
      <Facts>
        <Ending view={view} state={state} text={text} />
      </Facts>
      <Actions>
        <BackToShop url={view.cancelUrl} text={text} />
      </Actions>
    </>
  );
}

export const iconOf = (state: State<'paid' | 'closed' | 'elsewhere'>) => {
  if (state.kind === 'paid') return <EndIcon kind="done" />;
  if (state.kind === 'elsewhere') return <EndIcon kind="shop" />;
  if (state.unsettled) return <EndIcon kind="wait" />;
  return <EndIcon kind={state.reason === 'checkout_expired' ? 'time' : 'stop'} />;
};

/** When and how the payment ended, with its reference for questions. */
function Ending({ view, state, text }: Props<'paid' | 'closed'>) {
  return (
    <>
      {state.atMs === null ? null : (
        <Fact label={text.date}>
          <time dateTime={new Date(state.atMs).toISOString()} data-day="">
            {dayAndTime(view.locale, state.atMs)}
          </time>
        </Fact>
      )}
      {state.method === null ? null : (
        <Fact label={text.methodUsed}>
          {state.card === null ? (
            methodName(state.method, view, text)
          ) : (
            <span class="nowrap">
              <CardMark brand={state.card.brand} /> {cardName(state.card)}
            </span>
          )}
        </Fact>
      )}
      <div>
        <dt>{text.paymentReference}</dt>
        <dd class="nowrap" data-testid="short-reference">
          {shortReference(view.paymentId)}
        </dd>
        <dd class="quote">{view.paymentId}</dd>
      </div>
    </>
  );
}

const Facts = ({ children }: { children: ComponentChildren }) => <dl class="receipt">{children}</dl>;

const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd dir="auto">{children}</dd>
  </div>
);
