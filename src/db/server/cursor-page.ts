/**
 * A page of a list that is read by cursor. `next`: the position after its last row; null when no row follows.
 */
export interface CursorPage<Row, Position> {
  rows: Row[];
  next: Position | null;
}

/**
 * Returns the page at the beginning of `found`. `found` holds the rows of the page and one more row if the
 * list continues; `positionOf` returns the position of a row in the order of the list.
 */
export function cursorPage<Row, Position>(
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): CursorPage<Row, Position> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? positionOf(last) : null };
}

/** Returns SQL for an instant in microseconds since the epoch, which is PostgreSQL's precision. */
export const microsecondsSql = (instant: string): string =>
  `(extract(epoch FROM ${instant}) * 1000000)::bigint`;

/** Returns SQL for the instant in a parameter that holds microseconds since the epoch. */
export const instantSql = (parameter: string): string =>
  `(timestamptz 'epoch' + ${parameter}::bigint * interval '1 microsecond')`;
