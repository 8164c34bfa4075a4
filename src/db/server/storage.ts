import { archiveSchema } from '../payments/archive.ts';
import type { Queryable } from './database.ts';

/** The storage of one table; a partitioned table includes all of its partitions. */
export interface TableStorage {
  name: string;
  /** PostgreSQL's estimate. It is exact to some percent, except for a minute after many changes. */
  rows: number;
  /** With indexes and TOAST. */
  bytes: number;
  /** 0: the table is not partitioned. */
  partitions: number;
  /** When its oldest row was created; null for an empty table, or if no index finds that row. */
  oldest: Date | null;
}

/**
 * The query for the oldest row of each table that has a suitable index: one index probe each. Ids of
 * payments, attempts, refunds and requests begin with the time. Deliveries and their tries are those of the
 * oldest events.
 */
const oldestRows: Readonly<Record<string, string>> = {
  api_requests: 'SELECT at FROM api_requests ORDER BY id LIMIT 1',
  attempts: 'SELECT started_at FROM attempts ORDER BY payment_id, attempt_no LIMIT 1',
  event_seals: 'SELECT sealed_at FROM event_seals ORDER BY sealed_at LIMIT 1',
  events: 'SELECT created_at FROM events ORDER BY created_at LIMIT 1',
  idempotency_keys: 'SELECT created_at FROM idempotency_keys ORDER BY expires_at LIMIT 1',
  payments: 'SELECT created_at FROM payments ORDER BY id LIMIT 1',
  [`${archiveSchema}.payments`]: `SELECT created_at FROM ${archiveSchema}.payments ORDER BY id LIMIT 1`,
  reconciliation_runs: 'SELECT started_at FROM reconciliation_runs ORDER BY started_at LIMIT 1',
  refunds: 'SELECT created_at FROM refunds ORDER BY id LIMIT 1',
  webhook_attempts: `SELECT min(a.started_at) FROM (SELECT id FROM events ORDER BY created_at LIMIT 1000) e
    JOIN webhook_attempts a ON a.event_id = e.id`,
  webhook_deliveries: `SELECT min(d.created_at) FROM (SELECT id FROM events ORDER BY created_at LIMIT 1000) e
    JOIN webhook_deliveries d ON d.event_id = e.id`,
};

/**
 * Returns the storage of each table, largest first. It counts no rows: it reads the catalog, the file sizes
 * and one index entry per table, so that ten million payments take no longer than ten.
 */
export async function readStorage(database: Queryable): Promise<TableStorage[]> {
  const oldest = Object.entries(oldestRows).map(
    ([name, sql]) => `SELECT '${name}' AS name, (${sql}) AS oldest`,
  );
  const { rows } = await database.query<TableStorage>(
    `WITH leaves AS (
       SELECT oid, coalesce(pg_partition_root(oid), oid) AS root,
         -- Never analyzed: -1. The counters of the statistics begin at 0 after a restore.
         greatest(reltuples::float8, pg_stat_get_live_tuples(oid)::float8, 0) AS tuples
       FROM pg_class WHERE relkind = 'r'
         AND relnamespace IN (current_schema()::regnamespace, '${archiveSchema}'::regnamespace)),
     named AS (SELECT oid, CASE WHEN relnamespace = current_schema()::regnamespace THEN relname
       ELSE relnamespace::regnamespace || '.' || relname END AS name FROM pg_class WHERE oid IN (SELECT root FROM leaves)),
     oldest AS (${oldest.join('\n UNION ALL ')})
     SELECT r.name, sum(l.tuples) AS rows, sum(pg_total_relation_size(l.oid))::bigint AS bytes,
       count(*) FILTER (WHERE l.oid <> l.root)::int AS partitions, o.oldest
     FROM leaves l JOIN named r ON r.oid = l.root LEFT JOIN oldest o ON o.name = r.name
     GROUP BY r.name, o.oldest ORDER BY bytes DESC, name`,
  );
  return rows;
}
