import type { Queryable } from './database.ts';

/** The orders of a list; ties are broken by id. `due`: what needs a response first, by its deadline. */
export type ListOrder = 'newest' | 'oldest' | 'largest' | 'smallest' | 'due';

const orderSql: Readonly<Record<ListOrder, string>> = {
  newest: 'created_at DESC, id DESC',
  oldest: 'created_at, id',
  largest: 'amount_cents DESC, created_at DESC, id DESC',
  smallest: 'amount_cents, created_at, id',
  due: `status = 'needsResponse' DESC, CASE WHEN status = 'needsResponse' THEN evidence_due_at END,
    created_at DESC, id DESC`,
};

/** A page of a list in an order. */
export interface SortedPage {
  rows: object[];
  /** Of all rows of the tenant, by status. */
  counts: Readonly<Record<string, number>>;
  total: number;
}

/**
 * Returns a page of the tenant's refunds or disputes, with the exact numbers by status (ADR 0016). An order by
 * amount or deadline sorts all rows of the status, of which there are few beside payments.
 */
export async function readSortedPage(
  database: Queryable,
  { list, columns }: { list: 'refunds' | 'disputes'; columns: string },
  { merchantId, environment }: { merchantId: string; environment: string },
  wanted: { status: string | null; order: ListOrder; offset: number; limit: number },
): Promise<SortedPage> {
  const { status, order, offset, limit } = wanted;
  const { rows: counted } = await database.query<{ status: string; entries: number }>(
    `SELECT s.status, count_listed('${list}', $1, $2, s.status, NULL) AS entries
     FROM (SELECT DISTINCT status FROM list_counts WHERE list = '${list}' AND merchant_id = $1 AND environment = $2
             AND width_s = 5529600
           UNION SELECT DISTINCT status FROM list_changes WHERE list = '${list}' AND merchant_id = $1
             AND environment = $2) AS s`,
    [merchantId, environment],
  );
  const counts = Object.fromEntries(counted.map((row) => [row.status, row.entries]));
  const { rows } = await database.query<object>({
    text: `SELECT ${columns} FROM ${list} WHERE merchant_id = $1 AND environment = $2
        ${status === null ? '' : 'AND status = $5'} ORDER BY ${orderSql[order]} LIMIT $3 OFFSET $4`,
    values: [merchantId, environment, limit, offset, ...(status === null ? [] : [status])],
  });
  const all = Object.values(counts).reduce((sum, entries) => sum + entries, 0);
  return { rows, counts, total: status === null ? all : (counts[status] ?? 0) };
}
