import { Context } from '@temporalio/activity';
import { clearChargeAlert } from '../db/payments/charge-alerts.ts';
import { hasAttempt, isEarlierOpen } from '../db/payments/lost-attempts.ts';
import {
  closeUnprepared,
  loadProviderReference,
  recordProviderReference,
} from '../db/payments/provider-objects.ts';
import { cancelUnclaimed, loadClaimAgeMs, loadClaimedAt } from '../db/payments/reservations.ts';
import { type PaymentRecord, attemptKey } from '../domain/payment.ts';
import {
  type AttemptReference,
  type Charge,
  type PaymentNetwork,
  TooManyCharges,
} from '../providers/ports.ts';
import {
  type Attempt,
  type AttemptReport,
  type ProviderAnswer,
  answerOf,
  finalCharge,
  finalReport,
  notStarted,
  recordAnswerOnly,
  recordedReport,
  unknownReport,
} from './attempt-report.ts';
import type { AttemptActivityDeps } from './authorize.ts';
import { requirePayment } from './require-payment.ts';
import { createLostAttempts } from './restore-attempts.ts';

/**
 * How long after its claim, in ms, an attempt's calls have normally ended. The key is closed then, so that a
 * later charge is refused.
 */
export const callsEndWithinMs = 12_000;

/** Look-ups without a charge after which an unseen key is closed: before that a slow charge may arrive. */
const lookupsBeforeClosing = 3;

/** The network of an attempt, and the attempt's reference there. */
interface Address {
  network: PaymentNetwork;
  reference: AttemptReference;
}

/** Returns the network of an attempt with its reference there. Throws when the connector cannot be opened. */
export async function addressOf(
  { database, connectors }: Pick<AttemptActivityDeps, 'database' | 'connectors'>,
  attempt: Attempt,
): Promise<Address> {
  const record = await requirePayment(database, attempt.paymentId);
  const { network } = await connectors.portsOf(record);
  const prepared = network.prepare === null ? null : await loadProviderReference(database, attempt);
  return { network, reference: referenceOf(record, attempt.attemptNo, prepared) };
}

/** Returns what a charge means for its attempt, once the charge is final. */
export async function finalAnswer(
  deps: AttemptActivityDeps,
  attempt: Attempt,
  { network, reference, charge }: Address & { charge: Charge },
): Promise<ProviderAnswer> {
  const final = await finalCharge(network, charge, reference);
  return answerOf(deps, final, { ...attempt, amountCents: reference.amountCents });
}

/** Stores what a charge means for its attempt, once the charge is final, and returns the report. */
async function recordFinal(
  deps: AttemptActivityDeps,
  attempt: Attempt,
  charged: Address & { charge: Charge },
): Promise<AttemptReport> {
  const answer = await finalAnswer(deps, attempt, charged);
  // Before the answer is stored, because storing may raise an alert about the answer's instant.
  if (answer.report.outcome.status !== 'unknown') await clearChargeAlert(deps.database, attempt.paymentId);
  return recordAnswerOnly(deps, attempt, answer);
}

/**
 * Returns the network's state of an attempt that waits for its customer. `decided`: a confirmation would only
 * read the outcome. `done`: the customer has taken the step, and a confirmation decides. `waiting`: neither.
 * Changes nothing. Throws when the network cannot be reached.
 */
export async function readStep(
  deps: Pick<AttemptActivityDeps, 'database' | 'connectors'>,
  attempt: Attempt,
): Promise<'decided' | 'done' | 'waiting'> {
  const { network, reference } = await addressOf(deps, attempt);
  const charge = await network.lookup(reference);
  if (charge === null) return 'waiting';
  if (charge.status !== 'requires_action' && charge.status !== 'pending') return 'decided';
  return charge.stepDone === true ? 'done' : 'waiting';
}

/** Queries the network once, while another process makes the call. */
export async function queryOnce(deps: AttemptActivityDeps, attempt: Attempt): Promise<AttemptReport> {
  const { network, reference } = await addressOf(deps, attempt);
  if (isUnprepared(network, reference)) return unknownReport;
  const charge = await network.lookup(reference);
  return charge ? recordFinal(deps, attempt, { network, reference, charge }) : unknownReport;
}

/**
 * Returns the outcome of an attempt by its rows and the network; `unknown` while neither proves one. `close`:
 * also makes sure that nothing can be charged any more. Throws when the network cannot be reached.
 */
export async function resolve(
  deps: AttemptActivityDeps,
  attempt: Attempt,
  close: boolean,
): Promise<AttemptReport> {
  const { database } = deps;
  // An earlier attempt was restored in place of this one, and the run is about to resume from the rows.
  if (await isEarlierOpen(database, attempt)) return unknownReport;
  if (await isUnsent(deps, attempt)) return notStarted(false);
  const stored = await finalReport(deps, attempt);
  if (stored) return stored;
  const { network, reference } = await addressOf(deps, attempt);
  if (isUnprepared(network, reference)) {
    // Nothing is charged without a committed object, but PostgreSQL may have lost the commit.
    if ((await isEarly(deps, attempt)) || (await recordLostObject(deps, attempt, network)))
      return unknownReport;
    return (await closeUnprepared(database, attempt)) ? recordedReport(deps, attempt) : unknownReport;
  }
  const charge = await findCharge(deps, attempt, { network, reference }, close);
  if (charge === null) return unknownReport;
  const found = await recordFinal(deps, attempt, { network, reference, charge });
  return close && found.outcome.status === 'requiresAction' ? unknownReport : found;
}

/**
 * Stores the network's object of an attempt if the row lacks it, for the next query. Returns whether it did.
 */
async function recordLostObject(
  { database }: AttemptActivityDeps,
  attempt: Attempt,
  { findPrepared }: PaymentNetwork,
): Promise<boolean> {
  const record = await requirePayment(database, attempt.paymentId);
  const key = attemptKey(attempt.paymentId, attempt.attemptNo);
  try {
    const object = (await findPrepared?.({ key, paymentId: attempt.paymentId }, record)) ?? null;
    return object !== null && (await recordProviderReference(database, attempt, object));
  } catch (error) {
    // Nothing is confirmed without a committed object: closing the row is enough.
    if (error instanceof TooManyCharges) return false;
    throw error;
  }
}

/**
 * Returns whether an attempt was never sent, and cancels its reservation. The rows alone do not prove it:
 * PostgreSQL may have lost the claim, or the whole row. Then the row is restored. ADR 0038.
 */
async function isUnsent(deps: AttemptActivityDeps, attempt: Attempt): Promise<boolean> {
  const { database } = deps;
  const { paymentId, attemptNo } = attempt;
  if ((await loadClaimedAt(database, paymentId, attemptNo)) !== null) return false;
  const lost = createLostAttempts(deps);
  if ((await hasAttempt(database, attempt)) && !(await lost.isKnownToProvider(attempt)))
    return cancelUnclaimed(database, paymentId, attemptNo);
  await lost.restore(paymentId, { lastAttemptNo: attemptNo, method: null, seq: 0 });
  return false;
}

/**
 * Returns the network's charge of an attempt; null while the network proves nothing. `close`: also cancels a
 * charge whose customer has a step to take.
 */
async function findCharge(
  deps: AttemptActivityDeps,
  attempt: Attempt,
  { network, reference }: Address,
  close: boolean,
): Promise<Charge | null> {
  const charge = await network.lookup(reference);
  if (charge === null) return closeUnseen(deps, network, reference, attempt);
  const open = charge.status === 'requires_action' || (charge.status === 'pending' && charge.action !== null);
  if (!close || !open) return charge;
  // The customer completed the step but it was not confirmed in time: the attempt is completed, not lost.
  const canceled = await network.cancel(reference);
  return canceled.status === 'requires_action' ? network.confirm(reference) : canceled;
}

const isUnprepared = ({ prepare }: PaymentNetwork, { providerReference }: AttemptReference): boolean =>
  prepare !== null && providerReference === null;

function referenceOf(
  record: PaymentRecord,
  attemptNo: number,
  providerReference: string | null,
): AttemptReference {
  return {
    key: attemptKey(record.id, attemptNo),
    paymentId: record.id,
    merchantId: record.merchantId,
    environment: record.environment,
    amountCents: record.amountCents,
    providerReference,
  };
}

/** Returns the ms since the attempt was claimed for sending, by PostgreSQL's clock; Infinity: it was not. */
async function msSinceClaim(
  { database }: AttemptActivityDeps,
  { paymentId, attemptNo }: Attempt,
): Promise<number> {
  return (await loadClaimAgeMs(database, paymentId, attemptNo)) ?? Infinity;
}

/**
 * Returns whether the charge may still be on its way to the network, so that its key must not be closed yet.
 */
async function isEarly(deps: AttemptActivityDeps, attempt: Attempt): Promise<boolean> {
  const lookups = Context.current().info.attempt;
  return lookups < lookupsBeforeClosing && (await msSinceClaim(deps, attempt)) < callsEndWithinMs;
}

/**
 * Closes the key of a charge that the network does not know, so that nothing can arrive late. Only then the
 * attempt counts as not charged. Returns null when it is too early, or the key is not closed yet.
 */
async function closeUnseen(
  deps: AttemptActivityDeps,
  { unseenKeys }: PaymentNetwork,
  reference: AttemptReference,
  attempt: Attempt,
): Promise<Charge | null> {
  if (unseenKeys.closedBy === 'horizon') {
    return (await msSinceClaim(deps, attempt)) < unseenKeys.afterMs ? null : voidedCharge(reference);
  }
  return (await isEarly(deps, attempt)) ? null : unseenKeys.close(reference);
}

/** Returns the charge of an attempt that can no longer reach the network. */
const voidedCharge = ({ key, paymentId, amountCents }: AttemptReference): Charge => ({
  chargeId: key,
  key,
  paymentId,
  amountCents,
  currency: 'USD',
  status: 'voided',
  failureCode: null,
  message: null,
  card: null,
  action: null,
  stepDone: null,
  capturedAtMs: null,
});
