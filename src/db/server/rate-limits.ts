import type { Queryable } from './database.ts';

/** A bucket of a rate limit: it holds `burst` calls and gains one every `gapMs`. */
export interface BucketToTake {
  key: string;
  gapMs: number;
  burst: number;
}

/**
 * Takes one call from each bucket; all API processes share the buckets. Returns the number of the first
 * bucket that refused (1-based, 0 for none), the ms until it would admit a call, and the remaining calls of
 * the first bucket.
 */
export async function takeCalls(
  database: Queryable,
  buckets: readonly BucketToTake[],
): Promise<{ refused: number; waitMs: number; remaining: number }> {
  const { rows } = await database.query<{ refused: number; waitMs: number; remaining: number }>(
    'SELECT refused, wait_ms AS "waitMs", remaining FROM take_rate($1, $2, $3)',
    [
      buckets.map(({ key }) => key),
      buckets.map(({ gapMs }) => Math.round(gapMs * 1000)),
      buckets.map(({ burst }) => burst),
    ],
  );
  return rows[0] ?? { refused: 0, waitMs: 0, remaining: 0 };
}
