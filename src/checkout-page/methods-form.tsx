import type { PaymentMethod } from '../domain/statuses.ts';
import { SafetyLine } from './foot.tsx';
import { money } from './format.ts';
import { MethodMark } from './icons.tsx';
import { fill, type Messages } from './messages.ts';
import {
  type CheckoutView,
  type FailureText,
  type Notice,
  type PageState,
  methodName,
  pagePath,
} from './view.ts';

type OpenState = Extract<PageState, { kind: 'open' }>;

const noticeTexts = {
  card: 'noticeCard',
  notSent: 'notSent',
  script: 'noticeScript',
} as const satisfies Readonly<Record<Notice, keyof Messages>>;

/** The form to choose a method and pay. It is a real form, so wallet and Pix need no script. */
export function MethodsForm({ view, state, text }: { view: CheckoutView; state: OpenState; text: Messages }) {
  const methods = listedMethods(view, state);
  const only = methods.length === 1;
  return (
    <form id="pay-form" method="post" action={pagePath(view, '/pay')}>
      <h1 class="unseen">{fill(text.payTitle, { merchant: view.merchantName })}</h1>
      <Failure view={view} state={state} text={text} />
      <input type="hidden" name="form" value={view.formToken} />
      {view.walletFrameUrl === null ? null : (
        <Wallets url={view.walletFrameUrl} isOnly={methods.length === 0} text={text} />
      )}
      {methods.length === 0 ? null : (
        <fieldset id="methods" class={only ? 'methods only' : 'methods'}>
          <legend>{text.method}</legend>
          {methods.map((method) => (
            <Method
              key={method}
              method={method}
              checked={method === state.chosen || only}
              mayChooseOther={!only}
              view={view}
              text={text}
            />
          ))}
        </fieldset>
      )}
      <p id="problem" class="alert" role="alert" hidden />
      {methods.length === 0 ? null : (
        <button class="button" type="submit" id="pay" data-testid="pay">
          <PayLabel view={view} methods={methods} text={text} />
        </button>
      )}
      <p id="live" class="live" role="status" aria-live="polite" />
      <SafetyLine view={view} text={text} />
    </form>
  );
}

/** Returns the methods in the list. Wallets with their own buttons are above the list instead. */
const listedMethods = (view: CheckoutView, { methods }: OpenState): PaymentMethod[] =>
  view.walletFrameUrl === null ? methods : methods.filter((method) => method !== 'wallet');

/** The place of the frame with the buttons of Apple Pay and Google Pay, above every other method. */
function Wallets({ url, isOnly, text }: { url: string; isOnly: boolean; text: Messages }) {
  return (
    <>
      {isOnly ? (
        <noscript>
          <p class="note">{text.walletNeedsScript}</p>
        </noscript>
      ) : null}
      <div
        id="wallet"
        class="wallet needs-script"
        data-testid="wallet-buttons"
        data-url={url}
        data-title={text.walletFrame}
      >
        <div id="wallet-frame" class="wallet-frame" />
        {isOnly ? (
          <p id="wallet-none" class="note" hidden>
            {text.walletNone}
          </p>
        ) : (
          <p class="or">
            <span>{text.walletOr}</span>
          </p>
        )}
      </div>
    </>
  );
}

/** The label of the button for each method. The style shows that of the chosen one, also without script. */
function PayLabel({
  view,
  methods,
  text,
}: {
  view: CheckoutView;
  methods: readonly PaymentMethod[];
  text: Messages;
}) {
  return (
    <span id="pay-label">
      {methods.map((method) => (
        <span key={method} class={`pay-${method}`} data-method={method}>
          {labelOf(method, view, text)}
        </span>
      ))}
    </span>
  );
}

function labelOf(method: PaymentMethod, view: CheckoutView, text: Messages): string {
  if (method === 'pix') return text.payPix;
  if (method === 'card') return fill(text.pay, { amount: money(view.locale, view.amountCents) });
  return view.walletName === null ? text.payWallet : fill(text.payWalletNamed, { wallet: view.walletName });
}

function hintOf(method: 'wallet' | 'pix', { walletName }: CheckoutView, text: Messages): string {
  if (method === 'pix') return text.pixHint;
  return walletName === null ? text.walletHint : fill(text.walletHintNamed, { wallet: walletName });
}

/**
 * Returns why an attempt failed and what the customer can do. The server shows these lines and sends them to
 * the script.
 */
export function failureLines(
  failure: FailureText,
  attemptsLeft: number,
  text: Messages,
): { neutral: boolean; title: string; detail: string } {
  const left =
    attemptsLeft === 1 ? text.attemptsLeftOne : fill(text.attemptsLeftMany, { count: String(attemptsLeft) });
  return {
    neutral: failure === 'failure_given_up',
    title: text[failure],
    detail: `${text.nothingCharged} ${left}`,
  };
}

/** The failure of the last attempt or request. The redirect after it moves the focus here. */
function Failure({ view, state, text }: { view: CheckoutView; state: OpenState; text: Messages }) {
  if (view.notice !== null) {
    return (
      <p id="status" class="alert" role="alert" tabIndex={-1}>
        {text[noticeTexts[view.notice]]}
      </p>
    );
  }
  if (state.failure === null) return null;
  const { neutral, title, detail } = failureLines(state.failure, view.attemptsLeft, text);
  return (
    <div
      id="status"
      class={neutral ? 'note' : 'alert'}
      role={neutral ? 'status' : 'alert'}
      tabIndex={-1}
      data-testid="attempt-failed"
    >
      <p>
        <strong>{title}</strong>
      </p>
      <p>{detail}</p>
    </div>
  );
}

function Method({
  method,
  checked,
  mayChooseOther,
  view,
  text,
}: {
  method: PaymentMethod;
  checked: boolean;
  mayChooseOther: boolean;
  view: CheckoutView;
  text: Messages;
}) {
  const id = `method-${method}`;
  return (
    <div class="method">
      <input type="radio" id={id} name="method" value={method} defaultChecked={checked} required />
      <label for={id} data-testid={id}>
        <span class="method-name">{methodName(method, view, text)}</span>
        <MethodMark method={method} wallet={view.walletMark ?? null} />
      </label>
      <div class="panel">
        {method === 'card' ? (
          <CardPanel mayChooseOther={mayChooseOther} text={text} />
        ) : (
          <p class="hint">{hintOf(method, view, text)}</p>
        )}
      </div>
    </div>
  );
}

/**
 * The place of the vault's frame. The service serves no card field of its own, with or without script
 * (MODE-06).
 */
function CardPanel({ mayChooseOther, text }: { mayChooseOther: boolean; text: Messages }) {
  return (
    <>
      <noscript>
        <p class="note">
          {text.cardNeedsScript} {mayChooseOther ? text.cardOtherWay : null}
        </p>
      </noscript>
      <div id="card-fields" class="card-fields" data-title={text.cardFrame}>
        <div id="card-loading" class="ghost" aria-hidden="true">
          <span />
          <span />
          <span />
        </div>
        {/* Shown until the script runs, so it stays if the script is blocked. */}
        <div id="card-trouble" class="note late">
          <p>
            {text.cardUnavailable} {mayChooseOther ? text.cardOtherWay : null}
          </p>
          <button type="button" id="card-again" class="inline" hidden>
            {text.cardAgain}
          </button>
        </div>
      </div>
    </>
  );
}
