import type { PaymentRecord } from './payment.ts';

/** The fields of a payment that can change. */
type Changing =
  | 'status'
  | 'checkoutStatus'
  | 'terminalReason'
  | 'attemptsLeft'
  | 'method'
  | 'refundedCents'
  | 'expiresAt'
  | 'captureExpiresAt'
  | 'failureCode'
  | 'failureMessage'
  | 'cardBin'
  | 'cardIssuer'
  | 'cardBrand'
  | 'cardLast4'
  | 'paidAt'
  | 'refundedAt'
  | 'finalizedAt';

/** The fields of a payment before a change. */
export interface PaymentVersion extends Pick<PaymentRecord, Changing> {
  /** Rises by one with every change; 0 at creation. */
  version: number;
  /** The fields had these values up to this instant, exclusive. */
  until: Date;
  /** The sequence of the payment's latest event then; 0 for none. */
  eventSeq: number;
}

/** A payment with the number of its latest change and the sequence of its latest event. */
export interface VersionedPayment extends PaymentRecord {
  version: number;
  eventSeq: number;
  /** When it last changed; null: at its creation. */
  changedAt: Date | null;
}

/** One state of a payment. */
export interface PaymentState {
  payment: VersionedPayment;
  /** From this instant on, inclusive. */
  from: Date;
}

/**
 * Returns every state of a payment, oldest first; the last one is its row. Pure. `versions` are in order;
 * those written after the row was read are left out. For a payment older than the versions, the list begins
 * with the first version that was kept.
 */
export function paymentStates(
  payment: VersionedPayment,
  versions: readonly PaymentVersion[],
): PaymentState[] {
  const states: PaymentState[] = [];
  let from = payment.createdAt;
  for (const { until, ...earlier } of versions) {
    if (earlier.version >= payment.version) break;
    states.push({ payment: { ...payment, ...earlier, changedAt: from }, from });
    from = until;
  }
  return [...states, { payment, from }];
}

/** Returns the state of a payment at an instant, or null before its creation. Pure. */
export function stateAt(states: readonly PaymentState[], at: Date): PaymentState | null {
  return states.findLast(({ from }) => from <= at) ?? null;
}
