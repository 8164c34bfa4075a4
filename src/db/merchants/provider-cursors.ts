import type { Queryable } from '../server/database.ts';

/** A list of a provider's that is read from where it was last read. */
export type ProviderList = 'disputes' | 'refunds';

/** How far a list of a provider's has been read; null: not yet. */
export async function loadCursor(
  database: Queryable,
  provider: string,
  list: ProviderList,
): Promise<string | null> {
  const { rows } = await database.query<{ cursor: string }>(
    'SELECT cursor FROM provider_cursors WHERE provider = $1 AND list = $2',
    [provider, list],
  );
  return rows[0]?.cursor ?? null;
}

/** Moves the cursor, in the transaction that takes in what was read. */
export async function moveCursor(
  transaction: Queryable,
  { provider, list, cursor }: { provider: string; list: ProviderList; cursor: string },
  now: Date,
): Promise<void> {
  await transaction.query(
    `INSERT INTO provider_cursors (provider, list, cursor, moved_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (provider, list) DO UPDATE SET cursor = excluded.cursor, moved_at = excluded.moved_at`,
    [provider, list, cursor, now],
  );
}
