import type { Queryable } from './database.ts';

/**
 * Whether there is work, as a SQL expression without parameters. `now()` in it is PostgreSQL's time when the
 * statement begins: unlike `clock_timestamp()`, it can bound an index scan.
 */
export interface DueCondition {
  sql: string;
}

/**
 * Returns the condition that at least one row is found. `rows`: the rest of a SELECT from FROM on, in the
 * order of an index. A scalar subquery keeps this order, and EXISTS would drop it: without current statistics
 * PostgreSQL would then read the whole table.
 */
export const anyRow = (rows: string): DueCondition => ({
  sql: `(SELECT true FROM ${rows} LIMIT 1) IS NOT NULL`,
});

/** Returns the condition that one of these conditions holds. */
export const anyOf = (...conditions: readonly DueCondition[]): DueCondition => ({
  sql: conditions.map(({ sql }) => sql).join('\n OR '),
});

/**
 * Returns which of the conditions hold, and PostgreSQL's time (epoch ms), with one statement for all of them.
 * PostgreSQL raises the fence's error if the role's term has ended (ADR 0080).
 */
export async function readDueWork(
  connection: Queryable,
  { role, term }: { role: string; term: number },
  conditions: readonly DueCondition[],
): Promise<{ at: number; due: ReadonlySet<DueCondition> }> {
  const columns = conditions.map(({ sql }, index) => `,\n  (${sql}) AS due_${index}`);
  const { rows } = await connection.query<{ at: number } & Record<`due_${number}`, boolean>>(
    `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at${columns.join('')}
FROM require_sweep_term($1, $2)`,
    [role, term],
  );
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL did not return what is due');
  return { at: row.at, due: new Set(conditions.filter((_condition, index) => row[`due_${index}`])) };
}
