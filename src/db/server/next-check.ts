import type { Queryable } from './database.ts';

/** The result of a check: when the object is next checked. */
export interface NextCheck {
  id: string;
  /** Null: never again. */
  at: Date | null;
  /** Failed checks in a row. */
  failures: number;
}

/** Stores when each of these is next checked, unless its own workflow run stored that after `now`. */
export async function recordChecks(
  database: Queryable,
  table: 'refunds' | 'disputes',
  checks: readonly NextCheck[],
  now: Date,
): Promise<void> {
  await database.query(
    `UPDATE ${table} t SET next_check_at = n.at, check_failures = n.failures
     FROM json_to_recordset($1) AS n (id uuid, at timestamptz, failures int)
     WHERE t.id = n.id AND t.id = ANY ($2) AND t.next_check_at <= $3`,
    [JSON.stringify(checks), checks.map(({ id }) => id), now],
  );
}
