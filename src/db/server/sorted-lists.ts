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
  /** The counts of the tenant's rows by status, of those between `from` and `until` if these are given. */
  counts: Readonly<Record<string, number>>;
  total: number;
}

/**
 * Returns a page of the tenant's refunds or disputes, with the exact counts by status (ADR 0016). An order by
 * amount or deadline sorts all rows of the status, which are few compared with payments.
 */
export async function readSortedPage(
  database: Queryable,
  { list, columns }: { list: 'refunds' | 'disputes'; columns: string },
  { merchantId, environment }: { merchantId: string; environment: string },
  wanted: ListQuery,
): Promise<SortedPage> {
  const { status, from, until, order, offset, limit } = wanted;
  const isSpan = from !== null || until !== null;
  const span = [from ?? new Date(-8e13), until ?? new Date(8e13)];
  const inSpan = 'merchant_id = $1 AND environment = $2 AND created_at >= $3 AND created_at < $4';
  const { rows: counted } = await database.query<{ status: string; entries: number }>(
    isSpan
      ? `SELECT status, count(*)::int AS entries FROM ${list} WHERE ${inSpan} GROUP BY status`
      : `SELECT s.status, count_listed('${list}', $1, $2, s.status, NULL) AS entries
     FROM (SELECT DISTINCT status FROM list_counts WHERE list = '${list}' AND merchant_id = $1 AND environment = $2
             AND width_s = 5529600
           UNION SELECT DISTINCT status FROM list_changes WHERE list = '${list}' AND merchant_id = $1
             AND environment = $2) AS s`,
    [merchantId, environment, ...(isSpan ? span : [])],
  );
  const counts = Object.fromEntries(counted.map((row) => [row.status, row.entries]));
  const { rows } = await database.query<object>({
    text: `SELECT ${columns} FROM ${list} WHERE ${inSpan}
        ${status === null ? '' : 'AND status = $7'} ORDER BY ${orderSql[order]} LIMIT $5 OFFSET $6`,
    values: [merchantId, environment, ...span, limit, offset, ...(status === null ? [] : [status])],
  });
  const all = Object.values(counts).reduce((sum, entries) => sum + entries, 0);
  return { rows, counts, total: status === null ? all : (counts[status] ?? 0) };
}
