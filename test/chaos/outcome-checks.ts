import type { Observations } from './observations.ts';
import type { PaymentRow } from './rows.ts';
import { moneyCameIn } from './status-edges.ts';
import type { Report } from './violation.ts';

/** Checks the outcomes that the SDK returned to a shop against the payment's final state. */
export function checkOutcomes(observations: Observations, payment: PaymentRow, report: Report): void {
  const { id, status, isFinal } = payment;
  const outcomes = observations.history.filter(({ op, paymentId }) => op === 'outcome' && paymentId === id);
  const isTaken = moneyCameIn(status);
  for (const { data } of outcomes) {
    if (data?.status === 'paid' && !isTaken)
      report('I28', id, `the SDK returned paid, the payment is ${status}`);
    const isOver = data?.status === 'failed' || data?.status === 'expired';
    if (isOver && isTaken) report('I28', id, `the SDK returned ${data.status}, the payment is ${status}`);
  }
  // A final payment was recovered long after the last fault.
  const last = outcomes.at(-1)?.data?.status;
  if (isFinal && (last === 'unknown' || last === 'requiresAction')) {
    report('I28', id, `the SDK never returned how the payment ended: ${last}`);
  }
}
