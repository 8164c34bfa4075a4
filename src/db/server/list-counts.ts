import { type Database, inTransaction, type Queryable } from './database.ts';
import { anyRow } from './due-work.ts';

/** The lists whose rows are counted as they change (migrations/0008_lists.sql, ADR 0016). */
type CountedList = 'payments' | 'refunds' | 'disputes';

/** The conditions of a counted list: `from` inclusive, `until` exclusive, both starts of UTC days. */
interface CountedFilter {
  status: string | null;
  from: Date | null;
  until: Date | null;
  page: number;
  perPage: number;
}

interface CountedPage {
  rows: object[];
  total: number;
}

/** Returns an instant in seconds since the epoch, as the functions of counted lists need it. */
const secondsOf = (instant: Date | null): number | null => instant && instant.getTime() / 1_000;

/**
 * Returns one page of the tenant's rows, newest first, ties broken by id, with the count of all matches, from
 * one snapshot. `columns` are columns of the list's table. The cost depends on the page's size, not on its
 * position nor on the length of the list.
 */
export async function readCountedPage(
  database: Queryable,
  list: CountedList,
  columns: string,
  tenant: { merchantId: string; environment: string },
  filter: CountedFilter,
): Promise<CountedPage> {
  // The row of an empty page holds only the total.
  const { rows } = await database.query<{ total: number; listed: string | null }>(
    `SELECT l.total, l.listed, ${columns}
     FROM list_page('${list}', $1, $2, $3, $4, $5, $6, $7) AS l (total, listed) LEFT JOIN ${list} r ON r.id = l.listed
     ORDER BY r.created_at DESC, r.id DESC`,
    [
      tenant.merchantId,
      tenant.environment,
      filter.status,
      secondsOf(filter.from),
      secondsOf(filter.until),
      (filter.page - 1) * filter.perPage,
      filter.perPage,
    ],
  );
  return {
    total: rows[0]?.total ?? 0,
    rows: rows
      .filter(({ listed }) => listed !== null)
      .map(({ total: _total, listed: _listed, ...row }) => row),
  };
}

/** The FROM item of the spans of one status whose count is zero. */
const emptySpans = `json_to_recordset($1::json) AS gone (list text, merchant_id uuid, environment text, width_s int,
  starts_s bigint, status text)`;

export const listChangesAreDue = anyRow('list_changes ORDER BY id');

/**
 * Folds at most `limit` recorded changes into the counts, oldest first, and skips changes that another
 * process is folding. Readers see the same totals before, during and after. Returns the number of folded
 * changes.
 */
export function foldListChanges(database: Database, limit: number): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ taken: number; empty: object[] }>(
      `WITH taken AS (
         DELETE FROM list_changes WHERE id = ANY (ARRAY(
           SELECT id FROM list_changes ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
         RETURNING *
       ), folded AS (
         INSERT INTO list_counts AS c (list, merchant_id, environment, width_s, starts_s, status, entries)
         SELECT list, merchant_id, environment, width_s, created_s - created_s % width_s, status, sum(change)
         FROM taken, unnest(ARRAY[5529600, 86400, 1200, 10]) AS width_s
         GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4, 5, 6
         ON CONFLICT (list, merchant_id, environment, width_s, starts_s, status)
         DO UPDATE SET entries = c.entries + excluded.entries
         RETURNING list, merchant_id, environment, width_s, starts_s, status, entries
       )
       SELECT (SELECT count(*)::int FROM taken) AS taken,
         coalesce((SELECT json_agg(f) FROM folded f WHERE entries = 0), '[]') AS empty`,
      [limit],
    );
    const [{ taken, empty } = { taken: 0, empty: [] }] = rows;
    if (empty.length > 0) {
      await transaction.query(
        `DELETE FROM list_counts c USING ${emptySpans}
         WHERE c.list = gone.list AND c.merchant_id = gone.merchant_id AND c.environment = gone.environment
           AND c.width_s = gone.width_s AND c.starts_s = gone.starts_s AND c.status = gone.status
           AND c.entries = 0`,
        [JSON.stringify(empty)],
      );
    }
    return taken;
  });
}
