import { archivedTables, readArchiveSql } from '../payments/archive.ts';
import type { Queryable } from '../server/database.ts';

/** The tables of an export, in their order, each with the condition that finds the merchant's rows. */
const tables = {
  merchants: 'id = $1',
  merchant_settings: 'merchant_id = $1',
  merchant_branding: 'merchant_id = $1',
  members: 'merchant_id = $1',
  api_keys: 'merchant_id = $1',
  connectors: 'merchant_id = $1',
  mail_settings: 'merchant_id = $1',
  webhook_endpoints: 'merchant_id = $1',
  payment_links: 'merchant_id = $1',
  payments: 'merchant_id = $1',
  attempts: 'payment_id IN (SELECT id FROM payments WHERE merchant_id = $1)',
  refunds: 'merchant_id = $1',
  refund_approvals: 'merchant_id = $1',
  disputes: 'merchant_id = $1',
  dispute_files: 'merchant_id = $1',
  events: 'merchant_id = $1',
  reconciliation_runs: 'merchant_id = $1',
  audit_entries: 'merchant_id = $1',
} as const;

export const exportedTables = Object.keys(tables) as (keyof typeof tables)[];

/** The exported tables that also have archived rows. */
export const exportedFromArchive = exportedTables.filter((table) =>
  archivedTables.some((archived) => archived === table),
);

/** Lets the rest of the transaction export archived rows. */
export const exportFromArchive = async (transaction: Queryable): Promise<void> => {
  await transaction.query(readArchiveSql);
};

/** Returns whether there is such a merchant. */
export async function isMerchant(database: Queryable, merchantId: string): Promise<boolean> {
  const { rows } = await database.query('SELECT FROM merchants WHERE id = $1', [merchantId]);
  return rows.length === 1;
}

/** The number of rows of one fetch. */
const batch = 500;

/**
 * Yields the rows of a merchant in one table, in batches and without secrets. It leaves out every column of
 * bytes (sealed values, hashes, signatures) and every column whose name mentions a hash, a secret or a token.
 * Must run in a transaction.
 */
export async function* exportRows(
  transaction: Queryable,
  table: keyof typeof tables,
  merchantId: string,
): AsyncGenerator<Record<string, unknown>[], void, undefined> {
  const { rows: columns } = await transaction.query<{ name: string }>(
    `SELECT quote_ident(column_name) AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 AND data_type <> 'bytea'
       AND column_name !~ 'hash|secret|sealed|token' ORDER BY ordinal_position`,
    [table],
  );
  const names = columns.map(({ name }) => name).join(', ');
  await transaction.query(
    `DECLARE exported NO SCROLL CURSOR FOR SELECT ${names} FROM ${table} WHERE ${tables[table]}`,
    [merchantId],
  );
  try {
    for (;;) {
      const { rows } = await transaction.query<Record<string, unknown>>(`FETCH ${batch} FROM exported`);
      if (rows.length > 0) yield rows;
      if (rows.length < batch) return;
    }
  } finally {
    await transaction.query('CLOSE exported');
  }
}
