import type { Tenant } from '../payments/payments.ts';
import type { Queryable } from './database.ts';

/** The orders of a list; ties are broken by id. `due`: those that need a response first, by deadline. */
export type ListOrder = 'newest' | 'oldest' | 'largest' | 'smallest' | 'due';

const orderSql: Readonly<Record<ListOrder, string>> = {
  newest: 'created_at DESC, id DESC',
  oldest: 'created_at, id',
  largest: 'amount_cents DESC, created_at DESC, id DESC',
  smallest: 'amount_cents, created_at, id',
  due: `status = 'needsResponse' DESC, CASE WHEN status = 'needsResponse' THEN evidence_due_at END,
    created_at DESC, id DESC`,
};

/** The filter of a list; `from` is inclusive and `until` exclusive. */
export interface ListQuery {
  status: string | null;
  from: Date | null;
  until: Date | null;
  order: ListOrder;
  offset: number;
  limit: number;
}

/** A page of a list in its order. */
export interface SortedPage {
  rows: object[];
  /** The counts of all rows of the span, by status. */
  counts: Readonly<Record<string, number>>;
  total: number;
  /** The sums of all rows of the span in cents, by status; null if there are too many to sum. */
  sums: Readonly<Record<string, number>> | null;
}

/** The maximum number of rows that are summed one by one. */
export const maxSummedRows = 10_000;

interface List {
  list: 'refunds' | 'disputes';
  columns: string;
}

const inSpan = 'merchant_id = $1 AND environment = $2 AND created_at >= $3 AND created_at < $4';

const spanOf = ({ from, until }: ListQuery): [Date, Date] => [
  from ?? new Date(-8e13),
  until ?? new Date(8e13),
];

/** Returns the counts and sums by status; null if there are too many rows. Reads at most one more. */
async function sumUp(
  database: Queryable,
  { list }: List,
  { merchantId, environment }: Tenant,
  wanted: ListQuery,
): Promise<Pick<SortedPage, 'counts' | 'sums'> | null> {
  const { rows } = await database.query<{ status: string; entries: number; cents: number }>(
    `SELECT status, count(*)::int AS entries, sum(amount_cents)::bigint AS cents
     FROM (SELECT status, amount_cents FROM ${list} WHERE ${inSpan} LIMIT ${maxSummedRows + 1}) AS found
     GROUP BY status`,
    [merchantId, environment, ...spanOf(wanted)],
  );
  if (rows.reduce((sum, { entries }) => sum + entries, 0) > maxSummedRows) return null;
  return {
    counts: Object.fromEntries(rows.map(({ status, entries }) => [status, entries])),
    sums: Object.fromEntries(rows.map(({ status, cents }) => [status, cents])),
  };
}

type ListCounts = SortedPage['counts'];

/** Returns the exact counts by status of a whole list, from the counters of lists. ADR 0016. */
async function countListed(
  database: Queryable,
  list: List['list'],
  { merchantId, environment }: Tenant,
): Promise<ListCounts> {
  const { rows } = await database.query<{ status: string; entries: number }>(
    `SELECT s.status, count_listed('${list}', $1, $2, s.status, NULL) AS entries
     FROM (SELECT DISTINCT status FROM list_counts WHERE list = '${list}' AND merchant_id = $1 AND environment = $2
             AND width_s = 5529600
           UNION SELECT DISTINCT status FROM list_changes WHERE list = '${list}' AND merchant_id = $1
             AND environment = $2) AS s`,
    [merchantId, environment],
  );
  return Object.fromEntries(rows.map(({ status, entries }) => [status, entries]));
}

/** Returns the exact counts by status of any number of rows. */
async function countAll(
  database: Queryable,
  { list }: List,
  tenant: Tenant,
  wanted: ListQuery,
): Promise<ListCounts> {
  if (wanted.from === null && wanted.until === null) return countListed(database, list, tenant);
  const { rows } = await database.query<{ status: string; entries: number }>(
    `SELECT status, count(*)::int AS entries FROM ${list} WHERE ${inSpan} GROUP BY status`,
    [tenant.merchantId, tenant.environment, ...spanOf(wanted)],
  );
  return Object.fromEntries(rows.map(({ status, entries }) => [status, entries]));
}

/** Returns the rows of a page of the tenant's refunds or disputes. */
export async function readSortedRows(
  database: Queryable,
  { list, columns }: List,
  { merchantId, environment }: Tenant,
  wanted: ListQuery,
): Promise<object[]> {
  const { status, order, offset, limit } = wanted;
  const { rows } = await database.query<object>({
    text: `SELECT ${columns} FROM ${list} WHERE ${inSpan}
        ${status === null ? '' : 'AND status = $7'} ORDER BY ${orderSql[order]} LIMIT $5 OFFSET $6`,
    values: [
      ...[merchantId, environment, ...spanOf(wanted), limit, offset],
      ...(status === null ? [] : [status]),
    ],
  });
  return rows;
}

/**
 * Returns a page of the tenant's refunds or disputes, with the exact counts by status, and the sums of at
 * most 10,000 rows. An order by amount or deadline sorts all rows of the status, which are few compared with
 * payments.
 */
export async function readSortedPage(
  database: Queryable,
  list: List,
  tenant: Tenant,
  wanted: ListQuery,
): Promise<SortedPage> {
  const { status } = wanted;
  const rows = await readSortedRows(database, list, tenant, wanted);
  const { counts, sums } = (await sumUp(database, list, tenant, wanted)) ?? {
    counts: await countAll(database, list, tenant, wanted),
    sums: null,
  };
  const all = Object.values(counts).reduce((sum, entries) => sum + entries, 0);
  return { rows, counts, sums, total: status === null ? all : (counts[status] ?? 0) };
}
