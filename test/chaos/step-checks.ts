import type { Observations } from './observations.ts';
import type { PaymentRow } from './rows.ts';
import type { Report } from './violation.ts';

/**
 * Checks I32: a step that the customer has done is confirmed, also when neither the customer nor the
 * network's callback came back. A merchant with custom actions confirms its steps itself.
 */
export function checkSteps(observations: Observations, payment: PaymentRow, report: Report): void {
  if (payment.confirmsSteps) return;
  for (const { attemptId, stepDone } of observations.ledgers.get(payment.id) ?? []) {
    if (stepDone === true) report('I32', payment.id, `the step of ${attemptId} is done and not confirmed`);
  }
}
