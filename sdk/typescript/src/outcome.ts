import type { Payment, TerminalReason } from './types.ts';

/** The customer's money was taken. Fulfill the order once, when `payment.status` is `paid`. */
export interface PaidOutcome {
  status: 'paid';
  paymentId: string;
  /** As read from the service. Compare its reference, amount and currency with your order. */
  payment: Payment;
}

/** The customer must complete a step. Send the browser to `actionUrl`, then call `recover`. */
export interface RequiresActionOutcome {
  status: 'requiresAction';
  paymentId: string;
  actionUrl: string;
}

/** The attempt was declined and nothing was charged. The same card may be tried again. */
export interface DeclinedOutcome {
  status: 'declined';
  paymentId: string;
  attemptsLeft: number;
  /** Null where the service does not know it. */
  failureCode: string | null;
}

/** The payment failed for good and nothing was charged. A new payment may be created. */
export interface FailedOutcome {
  status: 'failed';
  paymentId: string;
  failureCode: string | null;
}

/** The checkout is closed, nothing was charged and nothing is under way. A new payment may be created. */
export interface ExpiredOutcome {
  status: 'expired';
  paymentId: string;
  /** Null where only the access to card capture is over, and for hosted payments. */
  terminalReason: TerminalReason | null;
}

/**
 * The result is not known yet: the money may have been taken. Keep the order pending and call `recover`
 * later. Do not create another payment for the order.
 */
export interface UnknownOutcome {
  status: 'unknown';
  paymentId: string;
  /** The last checkout status that was read: `open` when no attempt was made. Null when none was read. */
  checkoutStatus: string | null;
}

/** The state of a payment, distinguished by `status`. */
export type Outcome =
  PaidOutcome | RequiresActionOutcome | DeclinedOutcome | FailedOutcome | ExpiredOutcome | UnknownOutcome;
