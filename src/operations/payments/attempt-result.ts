import { findOpenAction } from '../../db/payments/attempts.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { AttemptResult as WorkflowResult } from '../../temporal/contract/payment.ts';
import { type CheckoutReadDeps, openAction } from './checkout-view.ts';
import type { AttemptResult } from '../../api/payments/checkout-schema.ts';

/** The API's attempt result: the workflow's word, with the action's secrets opened. Spec: Attempt result. */
export async function attemptResult(
  deps: CheckoutReadDeps,
  paymentId: string,
  result: WorkflowResult,
): Promise<AttemptResult> {
  if (result.status === 'paid') return { status: 'paid', paymentId };
  if (result.status === 'failed') {
    const { failureCode, message, attemptsLeft } = result;
    return { status: 'failed', paymentId, failureCode, message, attemptsLeft };
  }
  const stored = await findOpenAction(deps.database, paymentId);
  const action = stored ? openAction(deps.keyring, stored) : null;
  // The action is over already: the status tells what became of it.
  if (action?.kind !== 'threeDS') throw new Refusal('service_unavailable');
  return {
    status: 'requiresAction',
    paymentId,
    clientSecret: action.clientSecret,
    publishableKey: action.publishableKey,
  };
}
