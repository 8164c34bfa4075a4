import type { PaymentMethod } from '../domain/statuses.ts';
import { money } from './format.ts';
import { fill, type Messages } from './messages.ts';
import { CancelLink } from './state-panel.tsx';
import type { CheckoutView, Notice, PageState } from './view.ts';

type OpenState = Extract<PageState, { kind: 'open' }>;

const noticeTexts: Readonly<Record<Notice, keyof Messages>> = {
  card: 'noticeCard',
  busy: 'noticeBusy',
  script: 'noticeScript',
};

/** Choose a method and pay: a real form, so that wallet and pix need no script. */
export function MethodsForm({ view, state, text }: { view: CheckoutView; state: OpenState; text: Messages }) {
  return (
    <form id="pay-form" method="post" action={`${view.path}/pay?lang=${view.locale}`}>
      <h1 class="unseen">{fill(text.payTitle, { merchant: view.merchantName })}</h1>
      <Complaint view={view} state={state} text={text} />
      <input type="hidden" name="form" value={view.formToken} />
      <fieldset>
        <legend>{text.method}</legend>
        {state.methods.map((method) => (
          <Method key={method} method={method} checked={method === state.chosen} text={text} />
        ))}
      </fieldset>
      <p id="problem" class="alert" role="alert" hidden />
      <p class="actions">
        <button class="button" type="submit" data-testid="pay" data-busy={text.paying}>
          {fill(text.pay, { amount: money(view.locale, view.amountCents) })}
        </button>
        <CancelLink view={view} text={text} />
      </p>
    </form>
  );
}

/** What became of the last attempt or request; the redirect after it leads the focus here. */
function Complaint({ view, state, text }: { view: CheckoutView; state: OpenState; text: Messages }) {
  if (view.notice !== null) {
    return (
      <p id="status" class="alert" role="alert" tabIndex={-1}>
        {text[noticeTexts[view.notice]]}
      </p>
    );
  }
  if (state.failure === null) return null;
  const left =
    view.attemptsLeft === 1
      ? text.attemptsLeftOne
      : fill(text.attemptsLeftMany, { count: String(view.attemptsLeft) });
  return (
    <div id="status" class="alert" role="alert" tabIndex={-1} data-testid="attempt-failed">
      <p>
        <strong>{text[state.failure]}</strong>
      </p>
      <p>
        {text.nothingCharged} {left}
      </p>
    </div>
  );
}

function Method({ method, checked, text }: { method: PaymentMethod; checked: boolean; text: Messages }) {
  const id = `method-${method}`;
  return (
    <div class="method">
      <input
        type="radio"
        id={id}
        name="method"
        value={method}
        defaultChecked={checked}
        aria-describedby={`${id}-hint`}
      />
      <label for={id} data-testid={id}>
        {text[method]}
        <span class="hint" id={`${id}-hint`}>
          {text[`${method}Hint`]}
        </span>
      </label>
      {method === 'card' ? <CardPanel text={text} /> : null}
    </div>
  );
}

/**
 * Where the vault's frame goes. The service serves no card field of its own, with or without script
 * (MODE-06).
 */
function CardPanel({ text }: { text: Messages }) {
  return (
    <div class="panel">
      <noscript>
        <p class="alert">{text.cardNeedsScript}</p>
      </noscript>
      <div id="card-fields" class="card-fields" data-title={text.cardFrame}>
        <p id="card-loading" class="hint needs-script" hidden>
          {text.cardLoading}
        </p>
        <p id="card-trouble" hidden>
          {text.cardUnavailable}{' '}
          <button type="button" id="card-again" class="inline">
            {text.cardAgain}
          </button>
        </p>
      </div>
      <p class="hint">{text.cardSafety}</p>
    </div>
  );
}
