import {
  type LastAttempt,
  type PageState,
  cardOf,
  failureText,
  fingerprint,
} from '../../checkout-page/view.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { actionToken } from '../../crypto/seal-contexts.ts';
import { findOpenAction } from '../../db/payments/attempts.ts';
import { loadPageFacts } from '../../db/payments/checkout-page.ts';
import type { CheckoutRecord } from '../../db/payments/checkouts.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { CheckoutPayment } from '../../domain/payment.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import {
  type CheckoutNow,
  type CheckoutStateDeps,
  openAction,
  readCheckout,
} from '../../operations/payments/checkout-view.ts';

export interface PageStateDeps extends CheckoutStateDeps {
  database: Queryable;
  keyring: Keyring;
}

/** The current state of a payment's page. */
export interface CurrentPage {
  state: PageState;
  checkout: CheckoutNow;
  merchantName: string;
  /** Stays the same as long as the page would show the same. */
  fingerprint: string;
}

/** Reads the state of the page. Never calls the network. Throws `Refusal` if the state cannot be read. */
export async function readCurrentPage(deps: PageStateDeps, payment: CheckoutRecord): Promise<CurrentPage> {
  const checkout = await readCheckout(deps, payment);
  // Read after the checkout, so that the rows are never older than what the workflow already shows.
  const { merchantName, attempt } = await loadPageFacts(deps.database, payment);
  const state = await stateOf(deps, payment, checkout, attempt);
  return { state, checkout, merchantName, fingerprint: fingerprint(state, attempt, checkout.attemptsLeft) };
}

async function stateOf(
  deps: PageStateDeps,
  payment: CheckoutRecord,
  checkout: CheckoutNow,
  attempt: LastAttempt | null,
): Promise<PageState> {
  const hosted = payment.checkoutMode === 'hosted';
  // A late success makes the payment paid although its checkout stays expired (AMB-07).
  if (checkout.status === 'paid' || attempt?.status === 'paid') return paidState(payment, attempt);
  switch (checkout.status) {
    case 'expired':
      return closedState(checkout, attempt);
    case 'processing':
      return { kind: 'processing', card: attempt?.status === 'processing' ? cardOf(attempt) : null };
    case 'requiresAction':
      return actionState(deps, payment, hosted);
    case 'open':
    case 'failed_retryable':
      if (!hosted) return { kind: 'elsewhere' };
      if (!payment.merchantActive) return { ...closedState(checkout, attempt), atMs: null };
      return {
        kind: 'open',
        methods: payment.offeredMethods,
        chosen: chosenMethod(payment, attempt),
        failure: failureText(attempt),
      };
  }
}

function paidState(payment: CheckoutPayment, attempt: LastAttempt | null): PageState {
  const paidBy = attempt?.status === 'paid' ? attempt : null;
  return {
    kind: 'paid',
    method: paidBy?.method ?? payment.method,
    card: cardOf(paidBy),
    atMs: payment.paidAt?.getTime() ?? paidBy?.resolvedAtMs ?? null,
  };
}

function closedState(
  checkout: CheckoutNow,
  attempt: LastAttempt | null,
): Extract<PageState, { kind: 'closed' }> {
  const reason = checkout.terminalReason ?? 'checkout_expired';
  return {
    kind: 'closed',
    reason,
    unsettled: attempt?.status === 'processing' || attempt?.status === 'requiresAction',
    method: attempt?.method ?? null,
    card: cardOf(attempt),
    atMs: reason === 'checkout_expired' ? checkout.expiresAtMs : (attempt?.resolvedAtMs ?? null),
  };
}

/**
 * Returns the step that the customer has to take. A step that ended meanwhile shows as processing until the
 * next read.
 */
async function actionState(
  deps: Pick<PageStateDeps, 'database' | 'keyring'>,
  payment: CheckoutPayment,
  hosted: boolean,
): Promise<PageState> {
  const stored = await findOpenAction(deps.database, payment.id);
  if (!stored?.actionSealed) return { kind: 'processing', card: null };
  const action = openAction(deps.keyring, stored);
  switch (action.kind) {
    case 'threeDS':
      return {
        kind: 'challenge',
        url: action.url,
        windowUrl: `/a/${actionToken(deps.keyring, payment.id, stored.attemptNo, stored.actionTokenHash)}`,
        mayLeave: hosted,
      };
    case 'wallet':
      return { kind: 'wallet', url: action.url };
    case 'pix':
      return {
        kind: 'pix',
        code: action.code,
        // The page that confirms a pix payment exists in the sandbox only.
        settleUrl: payment.environment === 'sandbox' ? action.url : null,
        expiresAtMs: Date.parse(action.expiresAt),
        reais: action.amountBrl
          ? {
              amountCents: action.amountBrl.amountCents,
              rate: action.amountBrl.rate,
              rateAtMs: Date.parse(action.amountBrl.rateAt),
            }
          : null,
      };
  }
}

/**
 * Returns the method of the last attempt, else the first one offered; null after the customer left a step to
 * pay another way.
 */
function chosenMethod(payment: CheckoutPayment, attempt: LastAttempt | null): PaymentMethod | null {
  if (attempt?.status === 'voided') return null;
  const last = payment.offeredMethods.find((method) => method === attempt?.method);
  return last ?? payment.offeredMethods[0] ?? null;
}
