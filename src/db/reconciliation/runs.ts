import type { ReconciliationTotal } from '../../domain/reconciliation.ts';
import type { Environment } from '../../domain/statuses.ts';
import { withArchived } from '../payments/archive.ts';
import type { Tenant } from '../payments/payments.ts';
import type { Queryable } from '../server/database.ts';
import { anyRow } from '../server/due-work.ts';

/** A comparison of one span of time for one merchant. */
export interface ReconciliationRun extends Tenant {
  id: string;
  spanFrom: Date;
  /** Exclusive. */
  spanTo: Date;
  /** Null for a run that an operator requested. */
  dueAt: Date | null;
  status: 'running' | 'complete' | 'incomplete';
  /** A code for the reason why the run is incomplete. */
  problem: string | null;
  charges: number;
  refunds: number;
  disputes: number;
  totals: ReconciliationTotal[];
  startedAt: Date;
  finishedAt: Date | null;
}

const columns = `id, merchant_id AS "merchantId", environment, span_from AS "spanFrom", span_to AS "spanTo",
  due_at AS "dueAt", status, problem, charges, refunds, disputes, totals, started_at AS "startedAt",
  finished_at AS "finishedAt"`;

/**
 * Stores a run that an operator requests, and returns its id; the sweep starts its workflow. If a run of the
 * same span is in progress, returns that one instead.
 */
export async function requestRun(
  database: Queryable,
  id: string,
  { merchantId, environment }: Tenant,
  { from, to }: { from: Date; to: Date },
): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `INSERT INTO reconciliation_runs (id, merchant_id, environment, span_from, span_to, progressed_at)
     VALUES ($1, $2, $3, $4, $5, '-infinity')
     ON CONFLICT (merchant_id, environment, span_from, span_to) WHERE status = 'running'
     DO UPDATE SET progressed_at = reconciliation_runs.progressed_at RETURNING id`,
    [id, merchantId, environment, from, to],
  );
  return rows[0]?.id ?? id;
}

/** The span of a nightly run, so long that a late change is seen on two nights. */
const nightlySpan = `interval '48 hours'`;

/**
 * Stores the missing nightly runs of this instant, at most `limit`, and returns their number. A merchant has
 * one in each of `environments` in which it made payments or has a connector, unless a run of the same span
 * is under way. Merchants that were created later wait for the next night.
 */
export async function scheduleNightlyRuns(
  database: Queryable,
  dueAt: Date,
  environments: readonly Environment[],
  limit: number,
): Promise<number> {
  const { rowCount } = await database.query(
    `INSERT INTO reconciliation_runs (id, merchant_id, environment, span_from, span_to, due_at, progressed_at)
     SELECT gen_random_uuid(), m.id, e.name, $1::timestamptz - ${nightlySpan}, $1, $1, '-infinity'
     FROM merchants m CROSS JOIN unnest(ARRAY['sandbox', 'live']) AS e (name)
     WHERE m.created_at < $1 AND m.status = 'active'
       AND (EXISTS (SELECT FROM connectors c WHERE c.merchant_id = m.id AND c.environment = e.name)
         OR e.name = ANY ($2) AND EXISTS (
           SELECT FROM ${withArchived('payments', 'merchant_id, environment')} p
           WHERE p.merchant_id = m.id AND p.environment = e.name))
       AND NOT EXISTS (SELECT FROM reconciliation_runs r
         WHERE r.merchant_id = m.id AND r.environment = e.name AND (r.due_at = $1 OR (r.status = 'running'
           AND r.span_from = $1::timestamptz - ${nightlySpan} AND r.span_to = $1)))
     ORDER BY m.id, e.name LIMIT $3
     ON CONFLICT DO NOTHING`,
    [dueAt, environments, limit],
  );
  return rowCount ?? 0;
}

export const runsAreDue = anyRow(
  `reconciliation_runs WHERE status = 'running' AND progressed_at < now() - interval '2 minutes'
   ORDER BY progressed_at`,
);

/**
 * Returns the runs whose workflows must be started: new ones, and those without progress for two minutes,
 * unless `limit` are in progress. Marks them, so that each is returned at most once in two minutes.
 */
export async function takeRunsToStart(database: Queryable, limit: number): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `UPDATE reconciliation_runs SET progressed_at = clock_timestamp() WHERE id = ANY (ARRAY(
       SELECT id FROM reconciliation_runs
       WHERE status = 'running' AND progressed_at < now() - interval '2 minutes'
       ORDER BY progressed_at, started_at LIMIT greatest(0, $1 - (SELECT count(*) FROM reconciliation_runs
         WHERE status = 'running' AND progressed_at >= now() - interval '2 minutes'))
       FOR UPDATE SKIP LOCKED)) RETURNING id`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/** Returns a run and records that it makes progress; null if it is finished or does not exist. */
export async function continueRun(database: Queryable, id: string): Promise<ReconciliationRun | null> {
  const { rows } = await database.query<ReconciliationRun>(
    `UPDATE reconciliation_runs SET progressed_at = clock_timestamp() WHERE id = $1 AND status = 'running'
     RETURNING ${columns}`,
    [id],
  );
  return rows[0] ?? null;
}

/** Returns a run, or null. */
export async function loadRun(database: Queryable, id: string): Promise<ReconciliationRun | null> {
  const { rows } = await database.query<ReconciliationRun>(
    `SELECT ${columns} FROM reconciliation_runs WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** A run with the numbers of its open and healed differences. */
export interface ListedRun extends ReconciliationRun {
  needsAttention: number;
  healed: number;
}

/** Returns the newest runs, of one merchant or environment or of all (null). */
export async function listRuns(
  database: Queryable,
  { merchantId, environment }: { merchantId: string | null; environment: Environment | null },
  limit: number,
): Promise<ListedRun[]> {
  const { rows } = await database.query<ListedRun>(
    `SELECT ${columns}, counts.*
     FROM (SELECT * FROM reconciliation_runs
           WHERE ($1::uuid IS NULL OR merchant_id = $1) AND ($2::text IS NULL OR environment = $2)
           ORDER BY started_at DESC, id DESC LIMIT $3) r,
       LATERAL (SELECT count(*) FILTER (WHERE d.action = 'needs_attention')::int AS "needsAttention",
         count(*) FILTER (WHERE d.action = 'healed')::int AS healed
         FROM reconciliation_differences d WHERE d.run_id = r.id) counts
     ORDER BY "startedAt" DESC, id DESC`,
    [merchantId, environment, limit],
  );
  return rows;
}

/** Returns the connectors that a merchant has or had in an environment. */
export async function connectorsOf(
  database: Queryable,
  { merchantId, environment }: Tenant,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    'SELECT id FROM connectors WHERE merchant_id = $1 AND environment = $2 ORDER BY id LIMIT 100',
    [merchantId, environment],
  );
  return rows.map(({ id }) => id);
}
