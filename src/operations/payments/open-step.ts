import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import type { Principal } from '../../db/merchants/api-keys.ts';
import { takeActionLease, releaseActionLease } from '../../db/payments/action-lease.ts';
import { type AttemptAction, findActionByToken } from '../../db/payments/attempts.ts';
import { hasLaterAttempt } from '../../db/payments/checkout-page.ts';
import { type CheckoutRecord, loadCheckout } from '../../db/payments/checkouts.ts';
import { loadPayment } from '../../db/payments/payments.ts';
import type { Database, Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { type PaymentRecord, attemptKey } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Connectors } from '../../providers/connectors.ts';
import type { PaymentWorkflows } from '../../temporal/clients/payments.ts';
import type { AttemptResult as WorkflowResult } from '../../temporal/contract/payment.ts';
import { type AttemptResult, attemptResult, findCustomCheckout, refuseByRow } from './make-attempt.ts';

/**
 * Longest time for which one caller excludes others, in ms: above one wait for a workflow, whose own
 * fence refuses a second call.
 */
const leaseMs = 25_000;

export interface StepDeps {
  database: Database;
  workflows: Pick<PaymentWorkflows, 'confirm' | 'abandonAction'>;
  /** Epoch ms. */
  now: () => number;
}

/**
 * Runs `send`, which calls the workflow to confirm or give up the open step. Of simultaneous calls only one
 * reaches the workflow. Refuses: confirmation_in_progress (409), and what `send` refuses.
 * Spec: POST confirm; FENCE-06.
 */
async function oneAtATime<T>(
  { database, now }: Pick<StepDeps, 'database' | 'now'>,
  paymentId: string,
  send: () => Promise<T>,
): Promise<T> {
  if (!(await takeActionLease(database, paymentId, new Date(now()), leaseMs))) {
    throw new Refusal('confirmation_in_progress');
  }
  try {
    return await send();
  } finally {
    // A lease that cannot be released expires.
    await releaseActionLease(database, paymentId).catch(() => undefined);
  }
}

/**
 * Confirms the open step of a merchant's custom checkout. Only for merchants approved for custom action
 * handling, not_found otherwise (AMB-34). Refuses: confirmation_not_required, confirmation_in_progress,
 * result_pending, checkout_expired, attempts_exhausted, service_unavailable.
 */
export async function confirmStep(
  deps: StepDeps & { tenants: TenantReads; keyring: Keyring },
  principal: Principal,
  id: string,
  requestId: string,
): Promise<AttemptResult> {
  const checkout = await findCustomCheckout(deps.tenants, principal, id);
  if (!principal.customActions) throw new Refusal('not_found');
  try {
    return await attemptResult(deps, id, await confirmByWorkflow(deps, checkout, requestId));
  } catch (error) {
    // The step was open when this call arrived. Its confirmation may have ended the workflow before the
    // workflow answered. The repeated call then finds a paid payment, which has nothing to confirm.
    const isOver = error instanceof Refusal && error.code === 'confirmation_not_required';
    if (!isOver || checkout.status !== 'requiresAction') throw error;
    const { status } = await findCustomCheckout(deps.tenants, principal, id);
    if (status !== 'paid') throw error;
    return attemptResult(deps, id, { status: 'paid' });
  }
}

/**
 * Calls the workflow to confirm, unless the rows refuse. A workflow that ended between the read of the row
 * and the call can no longer answer; then the row decides, with the refusal of a closed checkout.
 */
async function confirmByWorkflow(
  deps: StepDeps,
  checkout: CheckoutRecord,
  requestId: string,
): Promise<WorkflowResult> {
  const command = { type: 'confirm' } as const;
  refuseByRow(checkout, command, deps.now());
  try {
    return await oneAtATime(deps, checkout.id, () => deps.workflows.confirm(checkout, requestId));
  } catch (error) {
    // A cause means that the call itself failed; the workflow's own refusals have none.
    if (error instanceof Refusal && error.cause !== undefined) {
      const current = await loadCheckout(deps.database, checkout.id);
      if (current && current.finalizedAt !== null) refuseByRow(current, command, deps.now());
    }
    throw error;
  }
}

/**
 * Gives up the open step, so that another card or method can be used (AMB-64). Refuses as confirming does.
 */
export async function abandonStep(
  deps: StepDeps,
  checkout: CheckoutRecord,
  requestId: string,
): Promise<WorkflowResult> {
  refuseByRow(checkout, { type: 'abandonAction' }, deps.now());
  return oneAtATime(deps, checkout.id, () => deps.workflows.abandonAction(checkout, requestId));
}

/** A payment, and the attempt to whose step a link leads. */
export interface OpenStep {
  payment: PaymentRecord;
  attempt: AttemptAction;
}

/** Returns the attempt of a link's token; null once a later attempt exists. */
export async function findStep(
  { database, keyring }: { database: Queryable; keyring: Keyring },
  token: string,
): Promise<OpenStep | null> {
  const attempt = await findActionByToken(database, keyring.lookupHashes(hashPurposes.actionToken, token));
  if (!attempt || (await hasLaterAttempt(database, attempt))) return null;
  const payment = await loadPayment(database, attempt.paymentId);
  return payment ? { payment, attempt } : null;
}

/**
 * Confirms the step from which a customer returns, in either mode. Returns `unfinished` when the customer has
 * not done it; then nothing was confirmed. Refuses as confirming does.
 */
export async function returnFromStep(
  deps: StepDeps & { connectors: Connectors },
  step: OpenStep,
  requestId: string,
): Promise<'paid' | 'declined' | 'unfinished'> {
  if (await isUnfinished(deps, step)) return 'unfinished';
  const { payment } = step;
  const result = await oneAtATime(deps, payment.id, () => deps.workflows.confirm(payment, requestId));
  if (result.status === 'paid') return 'paid';
  return result.status === 'failed' ? 'declined' : 'unfinished';
}

/**
 * Returns whether the network reports that the customer has not done the step. Confirming would then change
 * nothing, but would add to the payment's history each time. A network that does not report this, or does not
 * answer, is called to confirm.
 */
async function isUnfinished(
  { connectors }: { connectors: Connectors },
  { payment, attempt }: OpenStep,
): Promise<boolean> {
  const { id: paymentId, merchantId, environment, amountCents } = payment;
  const { providerReference } = attempt;
  const key = attemptKey(paymentId, attempt.attemptNo);
  try {
    const { network } = await connectors.portsOf(payment);
    const reference = { key, paymentId, merchantId, environment, amountCents, providerReference };
    const charge = await network.lookup(reference);
    return charge?.stepDone === false;
  } catch {
    return false;
  }
}
