import type { ComponentChildren } from 'preact';
import { locales } from '../domain/statuses.ts';
import { renderDocument } from './document.tsx';
import { clockTime, money } from './format.ts';
import { fill, languageNames, messages, type Messages } from './messages.ts';
import { MethodsForm } from './methods-form.tsx';
import { StatePanel, titleOf } from './state-panel.tsx';
import type { CheckoutView, PageState } from './view.ts';

/** How often a browser without script asks again, in seconds; only in states that end by themselves. */
const pollSeconds: Partial<Record<PageState['kind'], number>> = { processing: 3, wallet: 10, pix: 10 };

/** Whether the page may become another one, such as paid, without the customer doing anything here. */
export const endsByItself = (state: PageState): boolean => pollSeconds[state.kind] !== undefined;

/** States in which the deadline still means something to the customer. */
const withDeadline: readonly PageState['kind'][] = ['open', 'challenge', 'wallet', 'pix', 'elsewhere'];

/**
 * The hosted checkout page in the state the server knows now; a complete document that works without script
 * but for the card fields. Spec: MODE-02, PAGE-01 to -09.
 */
export function renderCheckoutPage(view: CheckoutView): string {
  const text = messages[view.locale];
  const { state } = view;
  const seconds = pollSeconds[state.kind];
  const title = state.kind === 'open' && state.failure === null ? payTitle(view, text) : titleOf(state, text);
  return renderDocument(
    {
      locale: view.locale,
      title: `${title} – ${view.merchantName}`,
      script: true,
      // Not the page itself: what was paid meanwhile leads on to the shop.
      poll: seconds === undefined ? undefined : { seconds, url: `${view.path}/done?lang=${view.locale}` },
    },
    <main class="sheet" id="checkout" {...scriptData(view, text)}>
      <Summary view={view} text={text} />
      {state.kind === 'open' ? (
        <MethodsForm view={view} state={state} text={text} />
      ) : (
        <StatePanel view={view} state={state} text={text} />
      )}
      <p id="live" class="live" role="status" aria-live="polite" />
      <Languages view={view} text={text} />
      {view.environment === 'sandbox' ? <p class="sandbox">{text.sandbox}</p> : null}
    </main>,
  );
}

function payTitle(view: CheckoutView, text: Messages): string {
  return fill(text.payTitle, { merchant: view.merchantName });
}

/** What the page's script has to know. Nothing here is more secret than the page's own address. */
function scriptData(view: CheckoutView, text: Messages): Record<string, string> {
  return {
    'data-kind': view.state.kind,
    'data-unsettled': String(view.state.kind === 'closed' && view.state.unsettled),
    'data-fingerprint': view.fingerprint,
    'data-path': view.path,
    'data-locale': view.locale,
    'data-payment-id': view.paymentId,
    'data-expires': String(view.expiresAtMs),
    'data-now': String(view.nowMs),
    'data-success-url': view.successUrl,
    'data-frame-origins': view.frameOrigins.join(' '),
    'data-form-token': view.formToken,
    'data-offline': text.offline,
    'data-five-minutes': text.fiveMinutesLeft,
    'data-one-minute': text.oneMinuteLeft,
    'data-not-sent': text.notSent,
  };
}

function Summary({ view, text }: { view: CheckoutView; text: Messages }) {
  return (
    <header class="summary">
      <p class="merchant">{view.merchantName}</p>
      <p class="amount">
        <span class="unseen">{text.total}: </span>
        {money(view.locale, view.amountCents)}
      </p>
      <dl class="facts">
        <Fact label={text.reference}>{view.reference}</Fact>
        {withDeadline.includes(view.state.kind) ? (
          <Fact label={text.payBy}>
            <time id="deadline" dateTime={new Date(view.expiresAtMs).toISOString()}>
              {clockTime(view.locale, view.expiresAtMs)}
            </time>{' '}
            <span id="countdown" aria-hidden="true" />
          </Fact>
        ) : null}
      </dl>
    </header>
  );
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Switching the language shows the same payment in the same state. */
function Languages({ view, text }: { view: CheckoutView; text: Messages }) {
  return (
    <nav class="languages" aria-label={text.language}>
      {locales.map((locale) => (
        <a
          key={locale}
          href={`${view.path}?lang=${locale}`}
          lang={locale}
          hreflang={locale}
          aria-current={locale === view.locale ? 'true' : undefined}
        >
          {languageNames[locale]}
        </a>
      ))}
    </nav>
  );
}
