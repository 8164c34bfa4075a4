import {
  type Candidate,
  loadCharge,
  loadDisputeRows,
  loadRefundRows,
  loadRefundsOf,
  type LookupResult,
  recordRepair,
} from '../db/reconciliation/lookups.ts';
import type { ReconciliationRun } from '../db/reconciliation/runs.ts';
import { findPaidAttempt } from '../db/payments/attempts.ts';
import { schedulePaymentCheckSoon } from '../db/payments/payment-checks.ts';
import { providerRefundId } from '../db/refunds/provider-refunds.ts';
import type { Database } from '../db/server/database.ts';
import {
  type DifferenceKind,
  differenceOfCharge,
  differenceOfDispute,
  differenceOfRefund,
  type ReportedFacts,
} from '../domain/reconciliation.ts';
import { attemptKey } from '../domain/payment.ts';
import type { Connectors } from '../providers/connectors.ts';
import type { NetworkListings } from '../providers/listings.ts';
import { ProviderUnavailable } from '../providers/ports.ts';
import type { DisputeActivities } from './disputes.ts';
import type { ProviderRefundActivities } from './provider-refunds.ts';
import type { RefundActivities } from './refunds.ts';
import type { CaptureChecks } from './unexpected-captures.ts';

export interface LookupDeps {
  database: Database;
  connectors: Connectors;
  /** The activities that read one object at the provider by its key and store its state. */
  repairs: CaptureChecks &
    Pick<RefundActivities, 'followRefund'> &
    ProviderRefundActivities &
    Pick<DisputeActivities, 'refreshDispute'>;
}

/** The context of a lookup: its run and the lists of its provider. */
interface LookupContext extends LookupDeps {
  run: ReconciliationRun;
  listings: NetworkListings;
}

/** The present state of both sides. `kind`: null when they agree. */
interface Compared {
  kind: DifferenceKind | null;
  ours: ReportedFacts | null;
  theirs: ReportedFacts | null;
  /** Updates the rows from the provider by the object's key; null when that cannot decide the difference. */
  repair: (() => Promise<unknown>) | null;
}

/**
 * Returns the function that checks one possible difference by its key, at both sides. A difference is
 * repaired when a read of the provider by that key decides it. It is checked twice before it needs attention,
 * so that a change in progress does not count.
 */
export function createLookup(deps: LookupDeps) {
  const { database, connectors } = deps;
  return async (run: ReconciliationRun, candidate: Candidate): Promise<LookupResult> => {
    const { connectorId } = candidate;
    const { listings } = await connectors.portsOf({ connectorId, environment: run.environment });
    if (listings === null) {
      const owner = connectorId === null ? 'the simulators' : `connector ${connectorId}`;
      throw new ProviderUnavailable('network', false, `the network of ${owner} has no lists`);
    }
    const before = await compare({ ...deps, run, listings }, candidate);
    const { kind, ours, theirs } = before;
    const result = { kind: kind ?? candidate.kind, ours, theirs };
    if (kind === null) {
      const outcome = candidate.repaired ? 'healed' : 'agrees';
      return { ...result, outcome, repaired: candidate.repaired };
    }
    if (candidate.lookups > 0) return { ...result, outcome: 'needs_attention', repaired: candidate.repaired };
    if (before.repair === null) return { ...result, outcome: 'again', repaired: false };
    // Recorded before the repair, so that a repaired difference is reported even if this process ends during
    // the repair.
    await recordRepair(database, run.id, candidate.subject, result);
    // A repair that fails leaves the difference to the next lookup.
    await before.repair().catch(() => undefined);
    return { ...result, outcome: 'again', repaired: true };
  };
}

/** Compares both sides of a possible difference, whose subject begins with its kind. */
function compare(context: LookupContext, candidate: Candidate): Promise<Compared> {
  const [kind = ''] = candidate.subject.split(' ');
  switch (kind) {
    case 'charge':
    case 'attempt':
      return compareCharge(context, candidate);
    case 'refunds':
      return compareRefundedSum(context, candidate);
    case 'dispute':
      return compareDispute(context, candidate);
    default:
      return compareRefund(context, candidate);
  }
}

/** Compares the charge of an attempt with the attempt's rows. */
async function compareCharge(
  { database, repairs, run, listings }: LookupContext,
  candidate: Candidate,
): Promise<Compared> {
  const { attemptNo } = candidate;
  const paymentId = ownId(candidate.paymentId);
  const rows = await loadCharge(database, run.id, candidate);
  const providerReference = candidate.reference ?? rows.providerReference;
  const ownKey = paymentId !== null && attemptNo !== null ? attemptKey(paymentId, attemptNo) : '';
  const theirs = await listings.findCharge({ key: candidate.key ?? ownKey, reference: providerReference });
  const ours = rows.amountCents === null ? null : { ...usd(rows.amountCents), status: rows.status ?? 'none' };
  const difference = differenceOfCharge(rows, theirs);
  const kind = difference ?? (isStuck(candidate) && rows.isOpen ? candidate.kind : null);
  const isReadable = kind !== null && readByKey.has(kind);
  if (paymentId === null || attemptNo === null || rows.amountCents === null || !isReadable) {
    return { kind, ours, theirs: factsOf(theirs), repair: null };
  }
  const repair = () =>
    rows.isOpen
      ? schedulePaymentCheckSoon(database, paymentId)
      : repairs.checkCapture({ paymentId, attemptNo, providerReference });
  return { kind, ours, theirs: factsOf(theirs), repair };
}

/** Compares a refund with its rows. */
async function compareRefund(
  { database, repairs, listings }: LookupContext,
  candidate: Candidate,
): Promise<Compared> {
  const { refundId, reference } = candidate;
  const paymentId = ownId(candidate.paymentId);
  // A refund that was made at the provider has an id that is derived from its reference.
  const derivedId = reference === null ? null : providerRefundId(reference);
  const rows = await loadRefundRows(database, paymentId, [refundId, derivedId]);
  const charge = paymentId === null ? null : await findPaidAttempt(database, paymentId);
  const theirs = await listings.findRefund({
    key: candidate.key ?? refundId,
    reference,
    chargeReference: charge?.providerReference ?? null,
  });
  const difference = differenceOfRefund(rows, theirs);
  const kind = difference ?? (isStuck(candidate) && rows?.status === 'pending' ? candidate.kind : null);
  const both = { kind, ours: factsOf(rows), theirs: factsOf(theirs) };
  if (kind === 'refund_unknown_here' && paymentId !== null) {
    return { ...both, repair: () => repairs.recordProviderRefunds({ paymentId }) };
  }
  const mayFollow = kind === 'refund_status_differs' || isStuck(candidate);
  if (rows === null || !rows.isSent || !mayFollow) return { ...both, repair: null };
  return { ...both, repair: () => repairs.followRefund({ refundId: rows.id }) };
}

/** Compares the sum that the provider has refunded for a payment with the amount that was captured. */
async function compareRefundedSum(
  { database, run, listings }: LookupContext,
  { paymentId }: Candidate,
): Promise<Compared> {
  const stored = await loadRefundsOf(database, run.id, paymentId ?? '');
  if (stored === null) return { kind: null, ours: null, theirs: null, repair: null };
  const charge = await findPaidAttempt(database, paymentId ?? '');
  const chargeReference = charge?.providerReference ?? null;
  let refundedCents = 0;
  for (const { id, reference } of stored.refunds) {
    const refund = await listings.findRefund({ key: id, reference, chargeReference });
    if (refund !== null && refund.status !== 'failed') refundedCents += refund.amountCents;
  }
  return {
    kind: refundedCents > stored.amountCents ? 'refunded_too_much' : null,
    ours: { ...usd(stored.amountCents), status: charge === null ? 'none' : 'paid' },
    theirs: { ...usd(refundedCents), status: 'refunded' },
    repair: null,
  };
}

/** Compares a dispute with its rows. */
async function compareDispute(
  { database, repairs, run, listings }: LookupContext,
  { reference, connectorId }: Candidate,
): Promise<Compared> {
  const name = reference ?? '';
  const ours = await loadDisputeRows(database, run, name);
  const theirs = await listings.findDispute(name);
  const owner = { connectorId, environment: run.environment };
  return {
    kind: differenceOfDispute(ours, theirs),
    ours,
    theirs: factsOf(theirs),
    repair: () => repairs.refreshDispute({ ...owner, reference: name }),
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Returns the id of a payment; null for a name that cannot be one of this service's ids. */
const ownId = (name: string | null): string | null => (name !== null && uuid.test(name) ? name : null);

/** Differences of a charge that a read of it by its key may decide. */
const readByKey: ReadonlySet<DifferenceKind> = new Set([
  'charge_unknown_here',
  'captured_but_not_paid',
  'captured_twice',
  'unresolved_too_long',
]);

const isStuck = ({ kind }: Pick<Candidate, 'kind'>): boolean => kind === 'unresolved_too_long';
const usd = (amountCents: number) => ({ amountCents, currency: 'USD' });
const factsOf = (one: ReportedFacts | null): ReportedFacts | null =>
  one && { amountCents: one.amountCents, currency: one.currency, status: one.status };
