import type {
  CheckoutMode,
  CheckoutStatus,
  PaymentMethod,
  PaymentStatus,
  TerminalReason,
} from './statuses.ts';

/** Attempts a checkout starts with. Spec: Limits > attemptsLeft; AMB-04. */
export const attemptsPerCheckout = 5;

/** The payment statuses that a checkout can cause; the others follow from refunds and disputes. */
export type CheckoutPaymentStatus = 'pending' | 'requiresAction' | 'paid' | 'failed';

/** The one piece of provider work that may be in progress. Its existence is the fence. */
export interface Flight {
  /**
   * `closing`: after the deadline, or by the customer's wish, the attempt is being voided or found to have
   * succeeded.
   */
  kind: 'attempt' | 'confirmation' | 'closing';
  attemptNo: number;
  /** `unknown` once a call ended without a definite answer: only a query to the network resolves it. */
  certainty: 'running' | 'unknown';
}

/** State of one checkout, folded from its events. All instants are epoch milliseconds. */
export interface CheckoutState {
  mode: CheckoutMode;
  expiresAtMs: number;
  captureEndsAtMs: number;
  /** The status while nothing is in flight; `processing` is derived from `flight`. */
  resting: Exclude<CheckoutStatus, 'processing'>;
  terminalReason: TerminalReason | null;
  paymentStatus: CheckoutPaymentStatus;
  attemptsLeft: number;
  /** Number of the latest attempt ever started; rises for ever, so no provider key is used twice. */
  attemptsStarted: number;
  method: PaymentMethod | null;
  captureRevoked: boolean;
  flight: Flight | null;
  failure: { code: string; message: string } | null;
}

/** Returns a new checkout: open, nothing charged. Instants in epoch ms. Spec: POST /v1/payments; AMB-50. */
export function openCheckout(input: {
  mode: CheckoutMode;
  expiresAtMs: number;
  captureEndsAtMs: number;
}): CheckoutState {
  return {
    mode: input.mode,
    expiresAtMs: input.expiresAtMs,
    captureEndsAtMs: captureEnd(input.mode, input),
    resting: 'open',
    terminalReason: null,
    paymentStatus: 'pending',
    attemptsLeft: attemptsPerCheckout,
    attemptsStarted: 0,
    method: null,
    captureRevoked: false,
    flight: null,
    failure: null,
  };
}

/**
 * Returns the end of capture access in epoch ms. On the hosted page it is the deadline, because the page
 * takes cards as long as the checkout is open (AMB-64).
 */
export function captureEnd(
  mode: CheckoutMode,
  { expiresAtMs, captureEndsAtMs }: { expiresAtMs: number; captureEndsAtMs: number },
): number {
  return mode === 'hosted' ? expiresAtMs : Math.min(captureEndsAtMs, expiresAtMs);
}

/**
 * Returns the status that clients see. `expired` takes precedence over work that is still in flight (AMB-07).
 * Spec: States > Checkout status.
 */
export function checkoutStatus(state: CheckoutState): CheckoutStatus {
  if (state.resting === 'expired' || state.resting === 'paid') return state.resting;
  return state.flight ? 'processing' : state.resting;
}

/** Returns whether no attempt can ever start again. */
export function isClosed(state: CheckoutState): boolean {
  return state.resting === 'expired' || state.resting === 'paid';
}

/** A checkout as its rows hold it: enough to resume without a second charge when its workflow is gone. */
export interface StoredCheckout {
  mode: CheckoutMode;
  expiresAtMs: number;
  captureEndsAtMs: number;
  checkoutStatus: CheckoutStatus;
  terminalReason: TerminalReason | null;
  paymentStatus: CheckoutPaymentStatus;
  attemptsLeft: number;
  attemptsStarted: number;
  method: PaymentMethod | null;
  captureRevoked: boolean;
  openAttempt: OpenAttempt | null;
}

/** An attempt that is not over, as its row holds it. */
export interface OpenAttempt {
  attemptNo: number;
  /** Nothing is in progress: the customer has a step to take. */
  waitsForCustomer: boolean;
  /** The step is being confirmed or given up. */
  confirming: boolean;
  /** `unknown` unless the worker that makes the attempt may still report its answer. */
  certainty: Flight['certainty'];
}

/**
 * Returns a checkout from its rows. An attempt that was in progress when its workflow was lost has an unknown
 * outcome until the network returns one.
 */
export function resumeCheckout(stored: StoredCheckout): CheckoutState {
  const { openAttempt } = stored;
  const waiting = openAttempt?.waitsForCustomer === true;
  const closed = stored.checkoutStatus === 'expired' || stored.checkoutStatus === 'paid';
  const idle = stored.attemptsLeft < attemptsPerCheckout ? 'failed_retryable' : 'open';
  return {
    ...openCheckout(stored),
    resting: closed ? (stored.checkoutStatus as 'expired' | 'paid') : waiting ? 'requiresAction' : idle,
    terminalReason: stored.terminalReason,
    paymentStatus: stored.paymentStatus,
    attemptsLeft: stored.attemptsLeft,
    attemptsStarted: stored.attemptsStarted,
    method: stored.method,
    captureRevoked: stored.captureRevoked,
    flight:
      openAttempt && (closed || !waiting)
        ? {
            kind: waiting ? 'closing' : openAttempt.confirming ? 'confirmation' : 'attempt',
            attemptNo: openAttempt.attemptNo,
            certainty: openAttempt.certainty,
          }
        : null,
  };
}

/** Returns a payment's status as its checkout sees it: every status that follows `paid` counts as `paid`. */
export function checkoutPaymentStatus(status: PaymentStatus): CheckoutPaymentStatus {
  return status === 'pending' || status === 'requiresAction' || status === 'failed' ? status : 'paid';
}
