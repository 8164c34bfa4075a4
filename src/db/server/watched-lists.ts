import { type PaymentSearch, searchStatement } from '../payments/payment-search.ts';
import type { Tenant } from '../payments/payments.ts';
import type { Queryable } from './database.ts';

/*
 * An open list in the dashboard reads its state every five seconds while it is used, to mark new and changed
 * rows. Each reading is one statement. It goes through the index of the list by creation and reads at most
 * 1,000 rows, whatever the filter and the number of the tenant's rows: 1 to 2 ms.
 */

/** The number of newest rows in which a change is noticed. */
export const watchedRows = 500;
/** The maximum number of rows of one reading: the watched ones, and as many new ones. */
const readRows = 2 * watchedRows;

/** The lists that are watched; also the names of their tables. */
export type WatchedList = 'payments' | 'refunds' | 'disputes';

/** The days of a list; `from` is inclusive and `until` exclusive. */
export interface ListSpan {
  from?: Date | undefined;
  until?: Date | undefined;
}

/** The state of a list's watched rows. */
export interface ListState {
  /** The number of rows that match the filter. */
  total: number;
  /** A text that changes when a row begins or ceases to match, or changes its status. */
  version: string;
}

const statement = (found: string): string =>
  `SELECT count(*)::int AS total,
     coalesce(hashtextextended(string_agg(id || status, ' ' ORDER BY id), 0), 0)::text AS version
   FROM (${found}) AS found`;

const begin = new Date(-8e13);
const end = new Date(8e13);

/** Returns the creation of the row from which on a list is watched; null if all of its rows are watched. */
export async function watchedFrom(
  database: Queryable,
  list: WatchedList,
  { merchantId, environment }: Tenant,
  { from = begin, until = end }: ListSpan,
): Promise<Date | null> {
  const { rows } = await database.query<{ createdAt: Date }>(
    `SELECT created_at AS "createdAt" FROM ${list}
     WHERE merchant_id = $1 AND environment = $2 AND created_at >= $3 AND created_at < $4
     ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ${watchedRows - 1}`,
    [merchantId, environment, from, until],
  );
  return rows[0]?.createdAt ?? null;
}

/** Returns the state of the watched refunds or disputes with a status; null: with any. */
export async function readListState(
  database: Queryable,
  list: 'refunds' | 'disputes',
  { merchantId, environment }: Tenant,
  { from = begin, until = end, status }: ListSpan & { status: string | null },
): Promise<ListState> {
  const found = `SELECT id, status FROM (
      SELECT id, status FROM ${list}
      WHERE merchant_id = $1 AND environment = $2 AND created_at >= $3 AND created_at < $4
      ORDER BY created_at DESC, id DESC LIMIT ${readRows}) AS newest
    WHERE $5::text IS NULL OR status = $5`;
  const values = [merchantId, environment, from, until, status];
  const { rows } = await database.query<ListState>(statement(found), values);
  return stateIn(rows);
}

/** Returns the state of the watched payments that a search finds. */
export async function readPaymentsState(
  database: Queryable,
  tenant: Tenant,
  search: PaymentSearch,
): Promise<ListState> {
  const { text, values } = searchStatement(tenant, search, null, readRows, { newest: readRows });
  const { rows } = await database.query<ListState>({ text: statement(text), values });
  return stateIn(rows);
}

function stateIn([state]: readonly ListState[]): ListState {
  if (!state) throw new Error('a count has one row');
  return state;
}
