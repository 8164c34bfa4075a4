import { checkAnswers } from './answer-checks.ts';
import { checkCharges } from './charge-checks.ts';
import { checkEvents } from './event-checks.ts';
import { checkMoneyTaken, checkRuns } from './money-checks.ts';
import { checkMovements } from './movement-checks.ts';
import { checkOutcomes } from './outcome-checks.ts';
import type { Observations } from './observations.ts';
import { checkReads } from './read-checks.ts';
import { checkDisputes, checkRefunds } from './refund-and-dispute-checks.ts';
import { checkRefundLimit } from './refund-limit-checks.ts';
import { checkSteps } from './step-checks.ts';
import type { Report, Violation } from './violation.ts';
import { checkWaiting } from './waiting-checks.ts';

/**
 * Returns the violations. The checker uses the specification's promises and none of the service's code. It
 * compares the network's ledger, the clients' history, the rows, the workflows, the deliveries and the logs
 * with each other.
 */
export function check(observations: Observations): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (invariant, paymentId, detail) => violations.push({ invariant, paymentId, detail });
  for (const payment of observations.payments) {
    checkCharges(observations, payment, report);
    checkMoneyTaken(observations, payment, report);
    checkSteps(observations, payment, report);
    checkRefunds(observations, payment, report);
    checkRefundLimit(observations, payment, report);
    checkDisputes(observations, payment, report);
    checkMovements(observations, payment, report);
    checkEvents(observations, payment, report);
    checkReads(observations, payment, report);
    checkWaiting(observations, payment, report);
    checkOutcomes(observations, payment, report);
  }
  checkAnswers(observations, report);
  checkRuns(observations, report);
  checkLeftovers(observations, report);
  return violations;
}

/** Finds leftovers: open transactions, capture secrets, secrets and card numbers in logs. */
function checkLeftovers({ idle, secrets, logs, canaries }: Observations, report: Report): void {
  if (idle.length > 0) report('I18', null, `${idle.length} connections idle in a transaction`);
  for (const { paymentId } of secrets) report('I9', paymentId, 'final, but its capture secret is kept');
  for (const { name, text } of logs) {
    for (const canary of canaries) {
      if (canary && text.includes(canary)) report('I12', null, `${name} holds a secret`);
    }
    if (/4242424242424242|4000000000007007/.test(text)) report('I12', null, `${name} holds a card number`);
  }
}
