import type { Ledger } from './ledger.ts';

/** The effects of a change, which the checker must not report as violations of the service. */
export interface Made {
  /** When the rows of each payment were put back, epoch ms, by the payment's id. */
  putBack: Map<string, number>;
  /** Charges that the network captured after it had declined them, by their attempts. */
  capturedLate: Set<string>;
  /** Payments whose disputes the harness opened and moved. */
  disputed: Set<string>;
  /** Payments whose runs the harness terminated. One that was final by then needs no other run. */
  terminated: Set<string>;
  /** Refunds that the harness made at the network, by their keys there. */
  refundedElsewhere: Set<string>;
  /** Payments whose deadline was moved nearer in the sandbox: their attempts may have begun after it. */
  movedDeadline: Set<string>;
  /** Payments whose customer was erased: their events are delivered again without the customer. */
  erased: Set<string>;
}

/** Returns the record of a schedule without changes. */
export const nothingMade = (): Made => ({
  putBack: new Map(),
  capturedLate: new Set(),
  disputed: new Set(),
  terminated: new Set(),
  refundedElsewhere: new Set(),
  movedDeadline: new Set(),
  erased: new Set(),
});

/**
 * Returns the charge that paid, if there is one. A charge that was captured after it was declined is no
 * payment of the rows, and neither are its refunds and disputes: an operator is alerted (I25).
 */
export const chargeThatPaid = (
  { charges }: Pick<Ledger, 'charges'>,
  { capturedLate }: Pick<Made, 'capturedLate'>,
): Ledger['charges'][number] | undefined =>
  charges.find(({ status, attemptId }) => status === 'captured' && !capturedLate.has(attemptId));
