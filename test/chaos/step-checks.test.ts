import { partial } from '../support/partial.ts';
import type { Observations } from './observations.ts';
import type { PaymentRow } from './rows.ts';
import { checkSteps } from './step-checks.ts';

/** Returns the invariants that are violated by a charge at the network. */
function violatedBy(stepDone: boolean | null, confirmsSteps: boolean): string[] {
  const found: string[] = [];
  const charge = { attemptId: 'payment:1', status: 'pending', stepDone };
  const ledgers = new Map([['payment', [charge]]]) as Observations['ledgers'];
  const payment = partial<PaymentRow>({ id: 'payment', confirmsSteps });
  checkSteps(partial<Observations>({ ledgers }), payment, (invariant) => found.push(invariant));
  return found;
}

it('sees a step that the customer has done and that was not confirmed', () => {
  expect(violatedBy(true, false)).toEqual(['I32']);
});

it('accepts a step that is open, and one that its merchant confirms itself', () => {
  expect([...violatedBy(false, false), ...violatedBy(null, false), ...violatedBy(true, true)]).toEqual([]);
});
