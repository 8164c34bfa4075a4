import type { DifferenceKind, OurCharge, ReportedFacts } from '../../domain/reconciliation.ts';
import { withArchived } from '../payments/archive.ts';
import type { Tenant } from '../payments/payments.ts';
import type { Queryable } from '../server/database.ts';
import { capturedElsewhereSql } from './compare.ts';

/** The rows, including archived ones. */
const payments = withArchived('payments', 'id, amount_cents');
const attempts = withArchived('attempts', 'payment_id, attempt_no, status, provider_reference');
const refunds = withArchived(
  'refunds',
  'id, payment_id, amount_cents, status, submitted_at, provider_reference',
);
const disputes = withArchived(
  'disputes',
  'merchant_id, environment, provider_reference, amount_cents, status',
);

/** A possible difference that has yet to be looked up by its key. */
export interface Candidate {
  subject: string;
  kind: DifferenceKind;
  connectorId: string | null;
  /** The payment as the provider names it; it may not be one of ours. */
  paymentId: string | null;
  attemptNo: number | null;
  refundId: string | null;
  /** The provider's reference of the object. */
  reference: string | null;
  /** The key in the provider's list; null if the object was not listed or names no key. */
  key: string | null;
  lookups: number;
  /** Whether an earlier lookup began a repair. */
  repaired: boolean;
}

/** The pause between the two lookups of a difference. */
const pause = `interval '10 seconds'`;

/**
 * Returns the candidates that must be looked up now, least recently looked up first, and how many still have
 * no result.
 */
export async function dueCandidates(
  database: Queryable,
  runId: string,
  limit: number,
): Promise<{ candidates: Candidate[]; left: number }> {
  const { rows } = await database.query<Candidate>(
    `SELECT subject, kind, connector_id AS "connectorId", payment_id AS "paymentId", attempt_no AS "attemptNo",
       refund_id AS "refundId", reference, looks AS lookups, repaired, (
         SELECT i.key FROM reconciliation_items i
         WHERE i.run_id = $1 AND i.reference = d.reference AND i.kind <> 'dispute' LIMIT 1) AS key
     FROM reconciliation_differences d
     WHERE run_id = $1 AND action IS NULL AND (looked_at IS NULL OR looked_at < clock_timestamp() - ${pause})
     ORDER BY looked_at NULLS FIRST, subject LIMIT $2`,
    [runId, limit],
  );
  const { rows: counted } = await database.query<{ left: number }>(
    'SELECT count(*)::int AS left FROM reconciliation_differences WHERE run_id = $1 AND action IS NULL',
    [runId],
  );
  return { candidates: rows, left: counted[0]?.left ?? 0 };
}

/** Returns how many possible differences of a run were not looked up yet, up to `limit`. */
export async function countCandidates(database: Queryable, runId: string, limit: number): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT FROM reconciliation_differences
     WHERE run_id = $1 AND action IS NULL LIMIT $2) AS open`,
    [runId, limit],
  );
  return rows[0]?.count ?? 0;
}

/** The result of a lookup. */
export interface LookupResult {
  /**
   * `agrees`: there is no difference, and the candidate is deleted. `again`: it is looked up once more before
   * it counts.
   */
  outcome: 'agrees' | 'again' | 'healed' | 'needs_attention';
  kind: DifferenceKind;
  ours: ReportedFacts | null;
  theirs: ReportedFacts | null;
  repaired: boolean;
}

/** Stores the result of a lookup. A result that another process stored first stays. */
export async function recordLookup(
  database: Queryable,
  runId: string,
  subject: string,
  { outcome, kind, ours, theirs, repaired }: LookupResult,
): Promise<void> {
  if (outcome === 'agrees') {
    await database.query(
      'DELETE FROM reconciliation_differences WHERE run_id = $1 AND subject = $2 AND action IS NULL',
      [runId, subject],
    );
    return;
  }
  await database.query(
    `UPDATE reconciliation_differences SET kind = $3, ours = coalesce($4, ours), theirs = coalesce($5, theirs),
       action = $6, repaired = $7, looks = looks + 1, looked_at = clock_timestamp()
     WHERE run_id = $1 AND subject = $2 AND action IS NULL`,
    [
      runId,
      subject,
      kind,
      outcome === 'healed' ? null : ours && JSON.stringify(ours),
      outcome === 'healed' ? null : theirs && JSON.stringify(theirs),
      outcome === 'again' ? null : outcome,
      repaired,
    ],
  );
}

/** Stores the difference before it is repaired. */
export async function recordRepair(
  database: Queryable,
  runId: string,
  subject: string,
  { kind, ours, theirs }: Pick<LookupResult, 'kind' | 'ours' | 'theirs'>,
): Promise<void> {
  await database.query(
    `UPDATE reconciliation_differences SET repaired = true, kind = $3, ours = $4, theirs = $5
     WHERE run_id = $1 AND subject = $2 AND action IS NULL`,
    [runId, subject, kind, ours && JSON.stringify(ours), theirs && JSON.stringify(theirs)],
  );
}

/** Records that a lookup failed, so that the other candidates come first. */
export async function postponeLookup(database: Queryable, runId: string, subject: string): Promise<void> {
  await database.query(
    `UPDATE reconciliation_differences SET looked_at = clock_timestamp()
     WHERE run_id = $1 AND subject = $2 AND action IS NULL`,
    [runId, subject],
  );
}

/** A charge as the rows have it, with the reference that finds it at the provider. */
export interface ChargeRows extends OurCharge {
  providerReference: string | null;
  /** Whether the attempt is open here. */
  isOpen: boolean;
}

/** Returns the current facts of a charge from the rows. */
export async function loadCharge(
  database: Queryable,
  runId: string,
  { paymentId, attemptNo, reference }: Pick<Candidate, 'paymentId' | 'attemptNo' | 'reference'>,
): Promise<ChargeRows> {
  const { rows } = await database.query<ChargeRows>(
    `SELECT p.amount_cents AS "amountCents", a.status, a.provider_reference AS "providerReference",
       coalesce(a.status = 'paid' AND coalesce(a.provider_reference, '') IN ('', o.reference), false) AS "isPaidByIt",
       coalesce(a.status IN ('processing', 'requiresAction'), false) AS "isOpen",
       ${capturedElsewhereSql('p.id', 'o.attempt_no', 'o.reference', 'coalesce(i.created_at, now())')}
         AS "isCapturedElsewhere"
     FROM (VALUES ($2::text, $3::int, coalesce($4::text, ''))) AS o (payment_id, attempt_no, reference)
     LEFT JOIN ${payments} p ON p.id = CASE WHEN o.payment_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
       THEN o.payment_id::uuid END
     LEFT JOIN ${attempts} a ON a.payment_id = p.id AND a.attempt_no = o.attempt_no
     LEFT JOIN reconciliation_items i ON i.run_id = $1 AND i.kind = 'charge' AND i.reference = o.reference`,
    [runId, paymentId, attemptNo, reference],
  );
  const [found] = rows;
  if (!found) throw new Error('the rows of a charge were not read');
  return found;
}

/** A refund as the rows have it. */
export interface RefundRows extends ReportedFacts {
  id: string;
  /** Whether the refund may have been sent to the provider. */
  isSent: boolean;
  /** The provider's reference of a refund that was made there. */
  providerReference: string | null;
}

/**
 * Returns the payment's refund with one of these ids, as the rows have it now; null if there is none. The
 * provider may name any refund, so refunds of other payments are ignored.
 */
export async function loadRefundRows(
  database: Queryable,
  paymentId: string | null,
  ids: readonly (string | null)[],
): Promise<RefundRows | null> {
  const { rows } = await database.query<RefundRows>(
    `SELECT id, amount_cents AS "amountCents", 'USD' AS currency, status, submitted_at IS NOT NULL AS "isSent",
       provider_reference AS "providerReference"
     FROM ${refunds} r WHERE id = ANY ($1) AND payment_id = $2`,
    [ids.filter((id) => id !== null), paymentId],
  );
  return rows[0] ?? null;
}

/**
 * Returns a merchant's dispute as the rows have it now, found by the provider's reference; null if there is
 * none.
 */
export async function loadDisputeRows(
  database: Queryable,
  { merchantId, environment }: Tenant,
  reference: string,
): Promise<ReportedFacts | null> {
  const { rows } = await database.query<ReportedFacts>(
    `SELECT amount_cents AS "amountCents", 'USD' AS currency, status FROM ${disputes} d
     WHERE provider_reference = $1 AND merchant_id = $2 AND environment = $3`,
    [reference, merchantId, environment],
  );
  return rows[0] ?? null;
}

/** A refund of a payment that counts towards the refunded sum. */
export interface CountedRefund {
  /** Null for a refund made at the provider. */
  id: string | null;
  reference: string | null;
  amountCents: number;
}

/** Returns a payment's amount and the refunds that either side has of it, at most a hundred each. */
export async function loadRefundsOf(
  database: Queryable,
  runId: string,
  paymentId: string,
): Promise<{ amountCents: number; refunds: CountedRefund[] } | null> {
  const { rows } = await database.query<{ amountCents: number; refunds: CountedRefund[] }>(
    `SELECT p.amount_cents AS "amountCents", coalesce((
       SELECT json_agg(json_build_object('id', coalesce(r.id::text, i.key), 'reference',
         coalesce(r.provider_reference, i.reference), 'amountCents', coalesce(i.amount_cents, r.amount_cents)))
       FROM (SELECT * FROM ${refunds} o WHERE payment_id = p.id AND status IN ('pending', 'succeeded') LIMIT 100) r
       FULL JOIN (SELECT * FROM reconciliation_items WHERE run_id = $1 AND kind = 'refund' AND payment_id = p.id
         AND status <> 'failed' LIMIT 100) i ON r.id = coalesce(i.refund_id, i.provider_refund_id)), '[]') AS refunds
     FROM ${payments} p WHERE p.id = $2`,
    [runId, paymentId],
  );
  return rows[0] ?? null;
}
