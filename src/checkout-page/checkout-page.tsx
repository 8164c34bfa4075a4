import { Deadline } from './deadline.tsx';
import { renderDocument } from './document.tsx';
import { Foot, SafetyLine } from './foot.tsx';
import { languageTags } from './format.ts';
import { fill, messages, type Messages } from './messages.ts';
import { MethodsForm } from './methods-form.tsx';
import { faviconUrl } from './shop.ts';
import { accentSchemes } from '../domain/accent.ts';
import { StatePanel, titleOf } from './state-panel.tsx';
import { TopBar, Summary } from './summary.tsx';
import { type CheckoutView, type PageState, pagePath } from './view.ts';

/**
 * How often a browser without script reloads, in seconds. Only for states that can end without the customer.
 */
const pollSeconds: Partial<Record<PageState['kind'], number>> = { processing: 3, wallet: 10, pix: 10 };

/** Whether the state may change, for example to paid, without an action of the customer on this page. */
export const isPolled = (state: PageState): boolean => pollSeconds[state.kind] !== undefined;

/**
 * Returns the hosted checkout page in its current state: a complete document that works without script,
 * except for the card fields. `note`: the page is a preview that runs no script, and carries this sentence.
 * Spec: MODE-02, PAGE-01 to -09.
 */
export function renderCheckoutPage(view: CheckoutView, note?: string): string {
  const text = messages[view.locale];
  const { state, branding } = view;
  const seconds = pollSeconds[state.kind];
  const title =
    state.kind === 'open' && (state.failure === null || state.failure === 'failure_given_up')
      ? fill(text.payTitle, { merchant: view.merchantName })
      : `${titleOf(view, text)} – ${view.merchantName}`;
  return renderDocument(
    {
      locale: view.locale,
      title,
      script: note === undefined,
      note,
      theme: view.theme,
      appearance: view.appearance,
      embedded: view.embedded,
      accent: branding.accent,
      favicon: faviconUrl(view.merchantName, branding),
      // Reloads this address rather than the page, because it forwards to the shop once the payment is paid.
      poll: seconds === undefined ? undefined : { seconds, url: pagePath(view, '/done') },
    },
    <div class="layout" id="checkout" {...scriptData(view, text)}>
      <header class="head">
        <TopBar view={view} text={text} />
        <Summary view={view} text={text} />
      </header>
      <main class="payment">
        <Deadline view={view} text={text} />
        <p id="offline" class="note" role="status" hidden />
        {state.kind === 'open' ? (
          <MethodsForm view={view} state={state} text={text} />
        ) : (
          <>
            <StatePanel view={view} state={state} text={text} />
            <p id="live" class="live" role="status" aria-live="polite" />
            {isPolled(state) ? <SafetyLine view={view} text={text} /> : null}
          </>
        )}
      </main>
      <Foot view={view} text={text} />
    </div>,
  );
}

/** Returns the data for the page's script. None of it is more secret than the page's own address. */
function scriptData(view: CheckoutView, text: Messages): Record<string, string> {
  const { state, branding } = view;
  const accent = branding.accent === null ? null : accentSchemes(branding.accent);
  return {
    'data-kind': state.kind,
    'data-unsettled': String(state.kind === 'closed' && state.unsettled),
    'data-fingerprint': view.fingerprint,
    'data-path': view.path,
    'data-query': pagePath({ ...view, path: '' }).slice(1),
    'data-tag': languageTags[view.locale],
    'data-payment-id': view.paymentId,
    'data-expires': String(view.expiresAtMs),
    'data-now': String(view.nowMs),
    'data-success-url': view.successUrl,
    'data-frame-origins': view.frameOrigins.join(' '),
    'data-form-token': view.formToken,
    ...(accent === null
      ? {}
      : { 'data-accent': `${accent.light.tone.slice(1)}-${accent.dark.tone.slice(1)}` }),
    'data-offline': text.offline,
    'data-five-minutes': text.fiveMinutesLeft,
    'data-one-minute': text.oneMinuteLeft,
    'data-slow': text.slow,
    'data-slower': text.slower,
    ...(state.kind === 'open'
      ? {
          'data-loading': text.cardLoading,
          'data-paying': text.paying,
          'data-paying-with': text.payingWith,
          'data-paying-other': text.payingOther,
          'data-choose': text.chooseMethod,
          'data-enter-card': text.enterCard,
          'data-another-card': text.anotherCard,
          'data-not-sent': text.notSent,
          'data-going': text.forwardText,
          'data-back': text.backToShop,
        }
      : {}),
  };
}
