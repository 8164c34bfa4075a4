import { type Database, inTransaction, type Queryable } from '../server/database.ts';

/** The schema of the tables that archived payments move to. ADR 0078. */
export const archiveSchema = 'card_payments_archive';

/** The tables that also exist in the archive, with the same columns. */
export const archivedTables = [
  'payments',
  'payment_versions',
  'attempts',
  'capture_access',
  'refunds',
  'refund_approvals',
  'disputes',
  'dispute_files',
] as const;
export type ArchivedTable = (typeof archivedTables)[number];

/** A statement after which the rest of its transaction reads archived rows from these tables. */
export const readArchiveSql = `SELECT set_config('search_path', '${archiveSchema}, ' || current_setting('search_path'), true)`;

/** Runs `work` in a transaction that reads archived payments. For the operator. */
export const readArchive = <T>(database: Database, work: (database: Queryable) => Promise<T>): Promise<T> =>
  inTransaction(database, work, readArchiveSql);

/** Returns SQL for a FROM clause that reads a table's rows together with the archived ones. */
export const withArchived = (table: ArchivedTable, columns: string): string =>
  `(SELECT ${columns} FROM ${table} UNION ALL SELECT ${columns} FROM ${archiveSchema}.${table})`;

/** Returns whether any payment is archived. */
export async function isAnyArchived(database: Queryable): Promise<boolean> {
  const { rows } = await database.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM ${archiveSchema}.payments) AS found`,
  );
  return rows[0]?.found === true;
}

/** Counts up to this number are exact; larger ones are PostgreSQL's estimate. */
const countedExactly = 100_000;

/** Returns how many payments are archived. */
export async function countArchived(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ counted: number; estimated: number }>(
    `SELECT (SELECT count(*) FROM (SELECT FROM ${archiveSchema}.payments LIMIT ${countedExactly + 1}) AS first_ones)::int AS counted,
       greatest(reltuples, pg_stat_get_live_tuples(oid))::float8 AS estimated
     FROM pg_class WHERE oid = '${archiveSchema}.payments'::regclass`,
  );
  const { counted = 0, estimated = 0 } = rows[0] ?? {};
  return counted > countedExactly ? Math.max(counted, estimated) : counted;
}

/** Sorts before the id of every payment. */
export const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * Archives the due payments among the next `batch` payments after `after`, in the order of their ids. `below`
 * bounds the ids; without it, the bound is payments created before the last `months` months. Returns how many
 * it moved, and the id to continue after; null at the end.
 */
export async function archivePayments(
  database: Queryable,
  {
    after,
    months,
    batch,
    below = null,
  }: { after: string; months: number; batch: number; below?: string | null },
): Promise<{ moved: number; next: string | null }> {
  const { rows } = await database.query<{ moved: number; next: string | null }>(
    `SELECT moved, next_id AS next FROM archive_payments($1,
       coalesce($4::uuid, first_request_id(now() - make_interval(months => $2::int))), $2::int, $3::int)`,
    [after, months, batch, below],
  );
  return rows[0] ?? { moved: 0, next: null };
}

/** Moves the archived payments among those whose ids a query selects back. Returns their number. */
async function moveBackSelected(database: Queryable, idsSql: string, values: unknown[]): Promise<number> {
  const { rows } = await database.query<{ moved: number }>(
    `SELECT unarchive_payments(ARRAY(${idsSql})) AS moved`,
    values,
  );
  return rows[0]?.moved ?? 0;
}

/**
 * Moves a tenant's archived payment back, found by its own id or by that of one of its refunds or disputes.
 * Returns whether it moved one, so that the caller's write can now find the row.
 */
export async function moveBackOfTenant(
  database: Queryable,
  tenant: { merchantId: string; environment: string },
  id: string,
): Promise<boolean> {
  const own = 'merchant_id = $2 AND environment = $3';
  const ids = `SELECT id FROM ${archiveSchema}.payments WHERE id = $1 AND ${own}
    UNION SELECT payment_id FROM ${archiveSchema}.refunds WHERE id = $1 AND ${own}
    UNION SELECT payment_id FROM ${archiveSchema}.disputes WHERE id = $1 AND ${own}`;
  return (await moveBackSelected(database, ids, [id, tenant.merchantId, tenant.environment])) > 0;
}

/** Moves those of these payments that are archived back. Returns their number. Ids must be UUIDs. */
export async function moveBack(database: Queryable, ids: readonly string[]): Promise<number> {
  return ids.length === 0 ? 0 : moveBackSelected(database, 'SELECT unnest($1::uuid[])', [ids]);
}

/**
 * Moves archived payments back, found by the provider's references of their attempts. Returns their number.
 */
export async function moveBackByReferences(
  database: Queryable,
  references: readonly string[],
): Promise<number> {
  if (references.length === 0) return 0;
  const ids = `SELECT payment_id FROM ${archiveSchema}.attempts WHERE provider_reference = ANY ($1::text[])`;
  return moveBackSelected(database, ids, [references]);
}

/**
 * Moves archived payments of a customer back, at most `limit`, found by e-mail address. Returns their number.
 */
export const moveBackOfCustomer = (
  database: Queryable,
  merchantId: string,
  email: string,
  limit: number,
): Promise<number> =>
  moveBackSelected(
    database,
    `SELECT id FROM ${archiveSchema}.payments WHERE merchant_id = $1 AND lower(customer_email) = lower($2) LIMIT $3`,
    [merchantId, email, limit],
  );

/**
 * Moves archived payments back, at most `limit`, that have an unread report of the provider: it was stored
 * while the payment was being archived. Returns their number.
 */
export const moveBackReported = (database: Queryable, limit: number): Promise<number> =>
  moveBackSelected(
    database,
    `SELECT id FROM ${archiveSchema}.payments WHERE id IN (
       SELECT payment_id FROM capture_hints UNION SELECT payment_id FROM provider_refund_hints
       UNION SELECT payment_id FROM dispute_hints) LIMIT $1`,
    [limit],
  );
