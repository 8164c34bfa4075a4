import type {
  DifferenceKind,
  ReconciliationDifference,
  ReconciliationTotal,
} from '../../domain/reconciliation.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';
import type { ReconciliationRun } from './runs.ts';

/** A difference of a finished run. */
export interface DifferenceRecord extends ReconciliationDifference {
  /** Its number within the run. */
  number: number;
  /** The provider's reference of the object that differs. */
  reference: string | null;
  createdAt: Date;
  settledAt: Date | null;
  settledBy: string | null;
  note: string | null;
  /** Set when a later run found the difference itself, or was complete and did not find it. */
  endedAt: Date | null;
}

const columns = `number, kind, payment_id AS "paymentId", ours, theirs, action, reference,
  created_at AS "createdAt", settled_at AS "settledAt", settled_by AS "settledBy", note, ended_at AS "endedAt"`;

/** Returns the differences of a finished run after this number, in order. */
export async function listDifferences(
  database: Queryable,
  runId: string,
  afterNumber: number,
  limit: number,
): Promise<DifferenceRecord[]> {
  const { rows } = await database.query<DifferenceRecord>(
    `SELECT ${columns} FROM reconciliation_differences
     WHERE run_id = $1 AND action IS NOT NULL AND number > $2 ORDER BY number LIMIT $3`,
    [runId, afterNumber, limit],
  );
  return rows;
}

/** Returns a merchant's differences that need attention, the newest first. For the tenant's own reads. */
export async function listOpenDifferences(
  database: Queryable,
  { merchantId, environment }: Tenant,
  limit: number,
): Promise<DifferenceRecord[]> {
  const { rows } = await database.query<DifferenceRecord>(
    `SELECT ${columns} FROM reconciliation_differences
     WHERE merchant_id = $1 AND environment = $2 AND action = 'needs_attention' AND settled_at IS NULL
       AND ended_at IS NULL ORDER BY created_at DESC, subject LIMIT $3`,
    [merchantId, environment, limit],
  );
  return rows;
}

/** The namespace of the lock that serializes the end of one merchant's runs. */
const endLock = 'reconciliation';

/**
 * Finishes a run: counts the compared objects, computes the totals, numbers the differences, and ends those
 * of earlier runs that this one covers. A difference that an operator settled before, and that is unchanged,
 * stays settled. A difference that could not be looked up by its key does not count, and makes the run
 * incomplete. May be repeated.
 */
export async function finishRun(
  database: Database,
  run: ReconciliationRun,
  problem: string | null,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `${endLock} ${run.merchantId} ${run.environment}`,
    ]);
    const { rows } = await transaction.query<{ problem: string | null }>(
      `UPDATE reconciliation_runs r SET status = CASE WHEN $2::text IS NULL THEN 'complete' ELSE 'incomplete' END,
         problem = $2, finished_at = clock_timestamp(), progressed_at = clock_timestamp(), totals = $3,
         charges = c.charges, refunds = c.refunds, disputes = c.disputes
       FROM (SELECT count(*) FILTER (WHERE kind = 'charge') AS charges,
           count(*) FILTER (WHERE kind = 'refund') AS refunds, count(*) FILTER (WHERE kind = 'dispute') AS disputes
         FROM reconciliation_items WHERE run_id = $1) AS c
       WHERE r.id = $1 AND r.status = 'running' RETURNING r.problem`,
      [run.id, problem, JSON.stringify(await sumUp(transaction, run))],
    );
    if (rows.length === 0) return;
    await transaction.query('DELETE FROM reconciliation_differences WHERE run_id = $1 AND action IS NULL', [
      run.id,
    ]);
    await transaction.query(
      `UPDATE reconciliation_differences d SET number = n.number
       FROM (SELECT subject, row_number() OVER (ORDER BY created_at, subject) AS number
             FROM reconciliation_differences WHERE run_id = $1) AS n
       WHERE d.run_id = $1 AND d.subject = n.subject`,
      [run.id],
    );
    await transaction.query(
      `UPDATE reconciliation_differences d SET settled_at = s.settled_at, settled_by = s.settled_by, note = s.note
       FROM reconciliation_differences s
       WHERE d.run_id = $1 AND s.merchant_id = d.merchant_id AND s.environment = d.environment
         AND s.subject = d.subject AND s.run_id <> d.run_id AND s.settled_at IS NOT NULL
         AND (s.kind, s.ours, s.theirs) IS NOT DISTINCT FROM (d.kind, d.ours, d.theirs)`,
      [run.id],
    );
    // An incomplete run replaces only the differences that it found itself, and proves nothing about the
    // rest.
    await transaction.query(
      `UPDATE reconciliation_differences e SET ended_at = clock_timestamp()
       WHERE e.merchant_id = $2 AND e.environment = $3 AND e.run_id <> $1 AND e.action = 'needs_attention'
         AND e.settled_at IS NULL AND e.ended_at IS NULL
         AND ($4::text IS NULL AND e.created_at >= $5 AND e.created_at < $6 OR EXISTS (
           SELECT FROM reconciliation_differences d WHERE d.run_id = $1 AND d.subject = e.subject))`,
      [run.id, run.merchantId, run.environment, problem, run.spanFrom, run.spanTo],
    );
  });
}

/** The totals of one day; null if the provider's balance has no such movements. */
type Listed = Omit<ReconciliationTotal, 'feesCents' | 'netCents' | 'payoutCents'> &
  Record<'feesCents' | 'payoutCents', number | null>;

/** The maximum number of days and currencies of one run for which totals are computed. */
const maxTotals = 1_000;

/**
 * Returns the provider's listed totals by currency and day, with the fees and payouts of the days on which
 * its balance has any.
 */
async function sumUp(database: Queryable, run: ReconciliationRun): Promise<ReconciliationTotal[]> {
  const { rows } = await database.query<Listed>(
    `SELECT currency, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
       coalesce(sum(cents) FILTER (WHERE kind = 'charge' AND status = 'captured'), 0)::bigint AS "capturedCents",
       coalesce(sum(cents) FILTER (WHERE kind = 'refund' AND status <> 'failed'), 0)::bigint AS "refundedCents",
       coalesce(sum(cents) FILTER (WHERE kind = 'dispute'), 0)::bigint AS "disputedCents",
       (-sum(cents) FILTER (WHERE kind = 'fee'))::bigint AS "feesCents",
       (-sum(cents) FILTER (WHERE kind = 'payout'))::bigint AS "payoutCents"
     FROM (
       SELECT currency, created_at, kind, status, amount_cents AS cents FROM reconciliation_items WHERE run_id = $1
       UNION ALL
       SELECT currency, occurred_at, type, '', amount_cents FROM movements
       WHERE merchant_id = $2 AND environment = $3 AND type IN ('fee', 'payout') AND booked_at >= $4
         AND occurred_at >= $4 AND occurred_at < $5
     ) AS listed GROUP BY 1, 2 ORDER BY 1, 2 LIMIT ${maxTotals}`,
    [run.id, run.merchantId, run.environment, run.spanFrom, run.spanTo],
  );
  return rows.map(
    ({ currency, day, capturedCents, refundedCents, disputedCents, feesCents, payoutCents }) => {
      const total = { currency, day, capturedCents, refundedCents, disputedCents };
      if (feesCents === null && payoutCents === null) return total;
      const fees = feesCents ?? 0;
      const netCents = capturedCents - refundedCents - disputedCents - fees;
      return { ...total, feesCents: fees, netCents, payoutCents: payoutCents ?? 0 };
    },
  );
}

/**
 * Settles a difference, so that it no longer alerts. Returns false if no difference under this number needs
 * attention; one that is settled already keeps its note.
 */
export async function settleDifference(
  database: Queryable,
  runId: string,
  number: number,
  { by, note }: { by: string; note: string },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE reconciliation_differences SET settled_at = coalesce(settled_at, clock_timestamp()),
       settled_by = coalesce(settled_by, $3), note = coalesce(note, $4)
     WHERE run_id = $1 AND number = $2 AND action = 'needs_attention'`,
    [runId, number, by, note],
  );
  return rowCount === 1;
}

/** The figures about all reconciliations that metrics show. */
export interface ReconciliationFigures {
  /** Differences that need attention, by kind; kinds without any are left out. */
  differences: { kind: DifferenceKind; open: number }[];
  /**
   * The end of the last complete nightly run of the merchant whose last one is oldest, in seconds since the
   * epoch; before its first complete run, the begin of its first run. Null: there was no nightly run.
   */
  lastSuccessSeconds: number | null;
}

/** The maximum number of open differences that are counted; from there on the number means "at least". */
const maxOpen = 10_000;

/** Returns the open differences of the whole system. Only active merchants count. */
export async function readReconciliationFigures(database: Queryable): Promise<ReconciliationFigures> {
  const { rows: differences } = await database.query<{ kind: DifferenceKind; open: number }>(
    `SELECT kind, count(*)::int AS open FROM (SELECT kind FROM reconciliation_differences
       WHERE action = 'needs_attention' AND settled_at IS NULL AND ended_at IS NULL LIMIT $1) AS open
     GROUP BY kind`,
    [maxOpen],
  );
  const { rows } = await database.query<{ seconds: number | null }>(
    `SELECT min(s.at)::float8 AS seconds FROM merchants m, unnest(ARRAY['sandbox', 'live']) AS e (name),
       LATERAL (SELECT extract(epoch FROM coalesce(
           max(r.finished_at) FILTER (WHERE r.status = 'complete'), min(r.started_at))) AS at
         FROM (SELECT * FROM reconciliation_runs r
           WHERE r.merchant_id = m.id AND r.environment = e.name AND r.due_at IS NOT NULL
           ORDER BY r.due_at DESC LIMIT 10) AS r) AS s
     WHERE m.status = 'active'`,
  );
  return { differences, lastSuccessSeconds: rows[0]?.seconds ?? null };
}
