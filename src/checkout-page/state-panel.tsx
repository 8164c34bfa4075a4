import type { ComponentChildren } from 'preact';
import { brandName, clockTime, money } from './format.ts';
import { fill, type Messages } from './messages.ts';
import { qrPath } from './qr.ts';
import type { CheckoutView, PageState } from './view.ts';

type State<Kind extends PageState['kind']> = Extract<PageState, { kind: Kind }>;
type ShownState = Exclude<PageState, State<'open'>>;

interface PanelProps<Shown> {
  view: CheckoutView;
  state: Shown;
  text: Messages;
}

const closedTexts = {
  checkout_expired: ['expiredTitle', 'expiredText'],
  attempts_exhausted: ['exhaustedTitle', 'exhaustedText'],
  provider_failed: ['failedForGoodTitle', 'failedForGoodText'],
} as const;

/** The heading of a state. */
export function titleOf(state: PageState, text: Messages): string {
  switch (state.kind) {
    case 'open':
      return text.failedTitle;
    case 'elsewhere':
      return text.elsewhereTitle;
    case 'processing':
      return text.processingTitle;
    case 'challenge':
      return text.challengeTitle;
    case 'wallet':
      return text.walletTitle;
    case 'pix':
      return text.pixTitle;
    case 'paid':
      return text.paidTitle;
    case 'closed':
      return text[closedTexts[state.reason][0]];
  }
}

/** Every state but the one in which a method is chosen. */
export function StatePanel({ view, state, text }: PanelProps<ShownState>) {
  return (
    <section class={`state state-${state.kind}`} aria-labelledby="status" data-testid={`state-${state.kind}`}>
      <h1 id="status" tabIndex={-1}>
        {titleOf(state, text)}
      </h1>
      <Panel view={view} state={state} text={text} />
    </section>
  );
}

function Panel({ view, state, text }: PanelProps<ShownState>) {
  switch (state.kind) {
    case 'elsewhere':
      return (
        <>
          <p>{text.elsewhereText}</p>
          <Actions>
            <CancelLink view={view} text={text} />
          </Actions>
        </>
      );
    case 'processing':
      return (
        <>
          <p class="spinner" aria-hidden="true" />
          <p>{text.processingText}</p>
          <Refresh view={view} text={text} />
        </>
      );
    case 'challenge':
      return <Challenge view={view} state={state} text={text} />;
    case 'wallet':
      return (
        <>
          <p>{text.walletText}</p>
          <Actions>
            <a class="button" href={state.url} target="_top" rel="noreferrer" data-testid="wallet-open">
              {text.walletOpen}
            </a>
          </Actions>
          <OtherWay view={view} text={text} />
        </>
      );
    case 'pix':
      return <Pix view={view} state={state} text={text} />;
    case 'paid':
      return <Paid view={view} state={state} text={text} />;
    case 'closed':
      return (
        <>
          <p>{state.unsettled ? text.unsettledText : text[closedTexts[state.reason][1]]}</p>
          <BackToShop url={view.cancelUrl} text={text} />
        </>
      );
  }
}

/**
 * The bank's page inside this one; the same address opens in this window where a bank refuses to be framed.
 */
function Challenge({ view, state, text }: PanelProps<State<'challenge'>>) {
  return (
    <>
      <p>{text.challengeText}</p>
      <iframe
        class="challenge"
        id="challenge"
        title={text.challengeFrame}
        src={state.url}
        referrerpolicy="no-referrer"
      />
      <p>
        <a class="quiet" href={state.windowUrl} rel="noreferrer">
          {text.openInWindow}
        </a>
      </p>
      <Refresh view={view} text={text} label={text.stepDone} />
      {state.mayLeave ? <OtherWay view={view} text={text} /> : null}
    </>
  );
}

function Pix({ view, state, text }: PanelProps<State<'pix'>>) {
  const { side, path } = qrPath(state.code);
  return (
    <>
      <p>{text.pixText}</p>
      <svg
        class="qr"
        viewBox={`0 0 ${side} ${side}`}
        role="img"
        aria-label={text.pixQr}
        shape-rendering="crispEdges"
      >
        <path class="qr-ground" d={`M0 0h${side}v${side}H0z`} />
        <path class="qr-code" d={path} />
      </svg>
      <p class="field">
        <label for="pix-code">{text.pixCode}</label>
        <textarea id="pix-code" class="code" readOnly rows={5} value={state.code} />
      </p>
      <Actions>
        <button type="button" class="button needs-script" id="copy" data-copied={text.copied} hidden>
          {text.copy}
        </button>
      </Actions>
      <p>
        {text.pixWaiting} {text.payBy}{' '}
        <time class="clock" dateTime={new Date(state.expiresAtMs).toISOString()}>
          {clockTime(view.locale, state.expiresAtMs)}
        </time>
        .
      </p>
      {state.settleUrl === null ? null : (
        <p>
          <a
            class="quiet"
            href={state.settleUrl}
            target="_blank"
            rel="noopener noreferrer"
            data-testid="pix-sandbox"
          >
            {text.pixSettle}
          </a>
        </p>
      )}
      <OtherWay view={view} text={text} />
    </>
  );
}

function Paid({ view, state, text }: PanelProps<State<'paid'>>) {
  const amount = money(view.locale, view.amountCents);
  return (
    <>
      <p>{fill(text.paidText, { merchant: view.merchantName, amount })}</p>
      {state.card === null ? null : (
        <p class="hint">
          {fill(text.paidWithCard, { card: brandName(state.card.brand), last4: state.card.last4 })}
        </p>
      )}
      <BackToShop url={view.successUrl} text={text} />
    </>
  );
}

function Actions({ children }: { children: ComponentChildren }) {
  return <p class="actions">{children}</p>;
}

function BackToShop({ url, text }: { url: string; text: Messages }) {
  return (
    <Actions>
      <a class="button" href={url} target="_top" rel="noreferrer" data-testid="back-to-shop">
        {text.backToShop}
      </a>
    </Actions>
  );
}

/** Leaves for the shop; the payment stays as it is (PAGE-05). */
export function CancelLink({ view, text }: { view: CheckoutView; text: Messages }) {
  return (
    <a class="quiet" id="cancel" href={view.cancelUrl} target="_top" rel="noreferrer" data-testid="cancel">
      {text.cancel}
    </a>
  );
}

/** Gives up the open step: the attempt is closed at the network first, so it can never be charged later. */
function OtherWay({ view, text }: { view: CheckoutView; text: Messages }) {
  return (
    <form class="other-way" method="post" action={`${view.path}/leave-step?lang=${view.locale}`}>
      <input type="hidden" name="form" value={view.formToken} />
      <Actions>
        <button class="secondary" type="submit" data-testid="other-way">
          {text.otherWay}
        </button>
        <CancelLink view={view} text={text} />
      </Actions>
    </form>
  );
}

/** Shows the page anew, for browsers without script. */
function Refresh({
  view,
  text,
  label = text.refresh,
}: {
  view: CheckoutView;
  text: Messages;
  label?: string;
}) {
  return (
    <noscript>
      <Actions>
        <a class="button" href={`${view.path}?lang=${view.locale}`}>
          {label}
        </a>
      </Actions>
    </noscript>
  );
}
