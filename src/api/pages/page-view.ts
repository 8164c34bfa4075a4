import type { CheckoutView, LastAttempt, Notice, PageState } from '../../checkout-page/view.ts';
import { failureText, fingerprint, notices } from '../../checkout-page/view.ts';
import { actionToken } from '../../crypto/seal-contexts.ts';
import { findOpenAction } from '../../db/attempts.ts';
import { loadPageFacts } from '../../db/checkout-page.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { type CheckoutNow, openAction, readCheckout } from '../payments/checkout-view.ts';
import type { ApiDeps } from '../deps.ts';
import { formToken, type Visit } from './page-request.ts';

/** The page as of now, always from the server's own state. Throws `Refusal` when that cannot be read. */
export async function pageView(deps: ApiDeps, visit: Visit, asked: unknown = null): Promise<CheckoutView> {
  const { payment } = visit;
  const checkout = await readCheckout(deps, visit.payment);
  // After the checkout: a row is never behind what the workflow already shows.
  const { merchantName, attempt } = await loadPageFacts(deps.database, payment);
  const state = await pageState(deps, payment, checkout, attempt);
  return {
    locale: visit.locale,
    merchantName,
    paymentId: payment.id,
    reference: payment.reference,
    amountCents: payment.amountCents,
    environment: payment.environment,
    attemptsLeft: checkout.attemptsLeft,
    expiresAtMs: checkout.expiresAtMs,
    nowMs: deps.now(),
    successUrl: payment.successUrl,
    cancelUrl: payment.cancelUrl,
    frameOrigins: payment.frameOrigins,
    path: visit.path,
    formToken: formToken(deps.keyring, payment.id),
    notice: noticeOf(asked),
    fingerprint: fingerprint(state, attempt, checkout.attemptsLeft),
    state,
  };
}

const noticeOf = (asked: unknown): Notice | null => notices.find((notice) => notice === asked) ?? null;

async function pageState(
  deps: ApiDeps,
  payment: PaymentRecord,
  checkout: CheckoutNow,
  attempt: LastAttempt | null,
): Promise<PageState> {
  const hosted = payment.checkoutMode === 'hosted';
  // A late success makes the payment paid although its checkout stays expired (AMB-07).
  if (checkout.status === 'paid' || attempt?.status === 'paid') {
    const card =
      attempt?.status === 'paid' && attempt.cardBrand !== null && attempt.cardLast4 !== null
        ? { brand: attempt.cardBrand, last4: attempt.cardLast4 }
        : null;
    return { kind: 'paid', card };
  }
  switch (checkout.status) {
    case 'expired':
      return {
        kind: 'closed',
        reason: checkout.terminalReason ?? 'checkout_expired',
        unsettled: attempt?.status === 'processing' || attempt?.status === 'requiresAction',
      };
    case 'processing':
      return { kind: 'processing' };
    case 'requiresAction':
      return actionState(deps, payment, hosted);
    case 'open':
    case 'failed_retryable':
      if (!hosted) return { kind: 'elsewhere' };
      return {
        kind: 'open',
        methods: payment.offeredMethods,
        chosen: chosenMethod(payment, attempt),
        failure: failureText(attempt),
      };
  }
}

/**
 * The step the customer has to take; one that is over meanwhile shows as processing until the state says
 * more.
 */
async function actionState(deps: ApiDeps, payment: PaymentRecord, hosted: boolean): Promise<PageState> {
  const stored = await findOpenAction(deps.database, payment.id);
  if (!stored?.actionSealed) return { kind: 'processing' };
  const action = openAction(deps.keyring, stored);
  switch (action.kind) {
    case 'threeDS':
      return {
        kind: 'challenge',
        url: action.url,
        windowUrl: `/a/${actionToken(deps.keyring, payment.id, stored.attemptNo)}`,
        mayLeave: hosted,
      };
    case 'wallet':
      return { kind: 'wallet', url: action.url };
    case 'pix':
      return {
        kind: 'pix',
        code: action.code,
        // The page that settles a pix exists in the sandbox only.
        settleUrl: payment.environment === 'sandbox' ? action.url : null,
        expiresAtMs: Date.parse(action.expiresAt),
      };
  }
}

function chosenMethod(
  payment: PaymentRecord,
  attempt: LastAttempt | null,
): PaymentRecord['offeredMethods'][number] {
  const last = payment.offeredMethods.find((method) => method === attempt?.method);
  return last ?? payment.offeredMethods[0] ?? 'card';
}
