import { equalHashes, type Keyring } from '../../crypto/keyring.ts';
import { hashPurposes, sealContext } from '../../crypto/seal-contexts.ts';
import type { Principal } from '../../db/merchants/api-keys.ts';
import { findOpenAction } from '../../db/payments/attempts.ts';
import {
  type CheckoutRecord,
  checkoutState,
  findCheckout,
  loadCheckout,
} from '../../db/payments/checkouts.ts';
import type { Database, Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import {
  type CustomTenant,
  findHeldBack,
  loadClaimedAt,
  releaseReservation,
  type Reserved,
  reserveAttempt,
  type TooManyDeclines,
} from '../../db/payments/reservations.ts';
import { type CheckoutCommand, decide } from '../../domain/checkout.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { SimulatedOutcome } from '../../domain/sandbox.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import { paySeconds } from '../../metrics/series.ts';
import { RowsBehindRun, type PaymentWorkflows } from '../../temporal/clients/payments.ts';
import type { AttemptResult as WorkflowResult } from '../../temporal/contract/payment.ts';
import { tracing } from '../../tracing/spans.ts';
import { refuseDeclines } from './card-testing.ts';
import { openAction } from './checkout-view.ts';
import type { StartQueue } from './start-queue.ts';

export interface AttemptDeps {
  database: Database;
  keyring: Keyring;
  workflows: Pick<PaymentWorkflows, 'pay' | 'snapshot'>;
  starts: Pick<StartQueue, 'prioritize'>;
  now: () => number;
}

/** The input of an attempt. */
export interface AttemptOrder {
  method: PaymentMethod;
  /** A card's token, or a wallet's token from the page, which has no reference. */
  card: { token: string; reference: string | null } | null;
  simulated: SimulatedOutcome | null;
  requestId: string;
  /** The caller: a key, or a customer's network address. Null: the sandbox. */
  by: { keyId: string } | { address: string } | null;
}

/** The result of one attempt, with the secrets of its action opened. Spec: Resources > Attempt result. */
export type AttemptResult =
  | { status: 'paid'; paymentId: string }
  | { status: 'requiresAction'; paymentId: string; clientSecret: string; publishableKey: string }
  | { status: 'failed'; paymentId: string; failureCode: string; message: string; attemptsLeft: number };

/**
 * Returns the payment of a capture-flow endpoint, with its checkout. Unknown, foreign, other-environment and
 * hosted payments, and merchants without custom mode, get the same 404 (EP-05, EP-06, AMB-45).
 */
export async function findCustomCheckout(
  tenants: TenantReads,
  principal: Principal,
  id: string,
): Promise<CheckoutRecord> {
  const checkout = await tenants.read(principal, (database) => findCheckout(database, principal, id));
  if (!checkout || checkout.checkoutMode !== 'custom' || !principal.customMode)
    throw new Refusal('not_found');
  return checkout;
}

/**
 * Throws the refusal of a command if the rows alone, without the worker, decide it. Spec: Errors 409, 410.
 */
export function refuseByRow(checkout: CheckoutRecord, command: CheckoutCommand, now: number): void {
  const decision = decide(checkoutState(checkout), command, now);
  if (!decision.ok) throw new Refusal(decision.code);
  // A disabled merchant starts no attempt; running attempts are still resolved.
  const startsSomething = command.type === 'pay' || command.type === 'prepareCapture';
  if (startsSomething && !checkout.merchantActive) throw new Refusal('checkout_expired');
}

/** The command that an order gives to its checkout. */
const commandOf = ({ method }: AttemptOrder) => ({ type: 'pay', method }) as const;

/**
 * Makes one attempt for a payment that the caller has read: commits its reservation, which is the fence, and
 * then calls the workflow to make it. Refuses what the rows or the workflow refuse; card_token_rejected (422)
 * for another card than the accepted one; too_many_declines (429) when cards seem to be tested (ADR 0053);
 * service_unavailable (503) when there is no result: either nothing was sent and the reservation is released,
 * or the attempt continues and the caller polls the status. Spec: POST /v1/payments/{id}/pay; FENCE-01 to
 * -07.
 */
export async function makeAttempt(
  deps: AttemptDeps,
  checkout: CheckoutRecord,
  order: AttemptOrder,
): Promise<WorkflowResult> {
  const begun = performance.now();
  refuseByRow(checkout, commandOf(order), deps.now());
  const reserved = await reserve(deps, checkout, order, null);
  if (reserved.attemptNo !== null) return sendReserved(deps, reserved, order, begun);
  const now = await loadCheckout(deps.database, checkout.id);
  return refuseReservation(deps, now ?? checkout, order, reserved.tooMany);
}

/**
 * Makes one attempt for the tenant's payment in custom mode, as `makeAttempt` does. The reservation finds the
 * payment, so only a refusal reads it, with the same statements whatever the reason. Refuses also not_found
 * (EP-05, EP-06, AMB-45).
 */
export async function makeCustomAttempt(
  deps: AttemptDeps & { tenants: TenantReads },
  principal: Principal,
  paymentId: string,
  order: AttemptOrder,
): Promise<WorkflowResult> {
  const begun = performance.now();
  const { merchantId } = principal;
  const reserved = await reserve(deps, { id: paymentId, merchantId }, order, principal);
  if (reserved.attemptNo !== null) return sendReserved(deps, reserved, order, begun);
  const checkout = await findCustomCheckout(deps.tenants, principal, paymentId);
  return refuseReservation(deps, checkout, order, reserved.tooMany);
}

/** Commits the reservation of an attempt. `tenant`: see `AttemptReservation`. */
async function reserve(
  { database, keyring, now }: AttemptDeps,
  { id, merchantId }: { id: string; merchantId: string },
  { method, card, simulated, requestId, by }: AttemptOrder,
  tenant: CustomTenant | null,
): Promise<Reserved> {
  const reservation = {
    paymentId: id,
    tenant,
    method,
    tokenSealed: card && keyring.seal(card.token, sealContext.cardToken(id)),
    tokenHashes: card && keyring.lookupHashes(hashPurposes.cardToken, card.token),
    captureReference: card?.reference ?? null,
    simulated,
    requestId,
    keyId: by && 'keyId' in by ? by.keyId : null,
    addressHash: by && 'address' in by ? addressHash(keyring, merchantId, by.address) : null,
  };
  const reserved = await reserveAttempt(database, reservation, new Date(now()));
  const { attemptNo } = reserved;
  tracing.spans?.annotate({ 'payment.id': id, ...(attemptNo === null ? {} : { 'attempt.no': attemptNo }) });
  return reserved;
}

/** Calls the workflow to make a reserved attempt. `begun`: when the call began, by `performance.now()`. */
async function sendReserved(
  deps: AttemptDeps,
  { attemptNo, payment }: Extract<Reserved, { payment: unknown }>,
  order: AttemptOrder,
  begun: number,
): Promise<WorkflowResult> {
  const { id, environment } = payment;
  const { method, requestId } = order;
  try {
    const pay = () => deps.workflows.pay(payment, { attemptNo, method, requestId });
    const result = await deps.starts.prioritize(id, pay);
    paySeconds.observe({ environment }, (performance.now() - begun) / 1000);
    return result;
  } catch (error) {
    const command = commandOf(order);
    if (await isAheadOfRows(deps, id, error)) {
      // The reservation, and with it the fence, stays until the sweep has queried the provider.
      return refuseClosed(deps, id, command, new Refusal('service_unavailable', { cause: error }));
    }
    const heldBack = await findHeldBack(deps.database, id, attemptNo).catch(() => null);
    if (heldBack !== null) return refuseDeclines(deps, payment, heldBack);
    const released = await tryRelease(deps, id, attemptNo);
    if (!(error instanceof Refusal)) throw error;
    if (error.cause !== undefined) return refuseClosed(deps, id, command, error);
    if (!released && isStateRefusal(error) && (await isSent(deps, id, attemptNo))) {
      // The attempt was refused although a worker sent it: its run or its workflow task was lost. The next
      // run queries the network for the outcome.
      throw new Refusal('service_unavailable');
    }
    throw error;
  }
}

/**
 * Returns the keyed hash of a customer's network address. It differs by merchant, so that it identifies no
 * customer across shops.
 */
const addressHash = (keyring: Keyring, merchantId: string, address: string): Buffer =>
  keyring.lookupHash(hashPurposes.customerAddress, `${merchantId}:${address}`);

/** Returns whether the checkout's state was the reason of a refusal, and not the card or the provider. */
const isStateRefusal = ({ code }: Refusal): boolean =>
  code === 'payment_in_progress' || code === 'result_pending' || code === 'checkout_expired';

/** Returns whether a worker claimed the attempt, so that its charge may have been sent. */
async function isSent({ database }: AttemptDeps, paymentId: string, attemptNo: number): Promise<boolean> {
  return (await loadClaimedAt(database, paymentId, attemptNo)) !== null;
}

/**
 * Throws the reason why an attempt was not reserved: the checkout's state, its accepted card, or too many
 * declines.
 */
async function refuseReservation(
  deps: AttemptDeps,
  checkout: CheckoutRecord,
  order: AttemptOrder,
  tooMany: TooManyDeclines | null,
): Promise<never> {
  refuseByRow(checkout, commandOf(order), deps.now());
  if (order.card && isOtherCard(deps.keyring, order.card.token, checkout.acceptedTokenHash)) {
    throw new Refusal('card_token_rejected');
  }
  if (tooMany) return refuseDeclines(deps, checkout, tooMany);
  // The checkout as it is now would allow the attempt: another attempt was open and has ended since.
  throw new Refusal('payment_in_progress');
}

/** Returns whether the payment accepted a card, and this token is not that card's under any look-up key. */
function isOtherCard(keyring: Keyring, token: string, accepted: Buffer | null): boolean {
  if (accepted === null) return false;
  return !keyring.lookupHashes(hashPurposes.cardToken, token).some((hash) => equalHashes(hash, accepted));
}

/** Throws the refusal of a closed checkout when the workflow ended before the call; otherwise the fault. */
async function refuseClosed(
  { database, now }: AttemptDeps,
  id: string,
  command: CheckoutCommand,
  fault: Refusal,
): Promise<never> {
  const checkout = await loadCheckout(database, id);
  if (checkout && checkout.finalizedAt !== null) refuseByRow(checkout, command, now());
  throw fault;
}

/**
 * Returns whether an attempt was refused by a run that is ahead of its rows because PostgreSQL lost them. A
 * run commits before it shows its state, so rows that are read after it are otherwise never older.
 */
async function isAheadOfRows(
  { database, workflows }: AttemptDeps,
  id: string,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof Refusal)) return false;
  if (error.cause !== undefined) return error.cause instanceof RowsBehindRun;
  if (!isStateRefusal(error) && error.code !== 'action_required') return false;
  const snapshot = await workflows.snapshot(id);
  const checkout = snapshot && (await loadCheckout(database, id).catch(() => null));
  return checkout !== null && snapshot !== null && snapshot.seq > checkout.stateSeq;
}

/**
 * Releases the reservation unless a worker claimed it. The sweep releases those that cannot be released now
 * because the database is unavailable.
 */
async function tryRelease({ database }: AttemptDeps, paymentId: string, attemptNo: number): Promise<boolean> {
  return releaseReservation(database, { paymentId, attemptNo }).catch(() => false);
}

/**
 * Returns the workflow's result as merchants read it. Refuses service_unavailable for an action that is
 * already over; the caller then reads the status. Spec: Attempt result.
 */
export async function attemptResult(
  deps: { database: Queryable; keyring: Keyring },
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
  if (action?.kind !== 'threeDS') throw new Refusal('service_unavailable');
  return {
    status: 'requiresAction',
    paymentId,
    clientSecret: action.clientSecret,
    publishableKey: action.publishableKey,
  };
}
