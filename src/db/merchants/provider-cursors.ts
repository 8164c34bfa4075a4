import type { Queryable } from '../server/database.ts';

/** A provider's list that is read by cursor. */
export type ProviderList = 'disputes' | 'refunds';

/** Returns the cursor of a provider's list; null: the list has not been read yet. */
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

/** Returns the cursors of several providers' lists, by provider, without those that were not read yet. */
export async function loadCursors(
  database: Queryable,
  providers: readonly string[],
  list: ProviderList,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.query<{ provider: string; cursor: string }>(
    'SELECT provider, cursor FROM provider_cursors WHERE provider = ANY ($1) AND list = $2',
    [providers, list],
  );
  return new Map(rows.map(({ provider, cursor }) => [provider, cursor]));
}

/** Moves the cursor. Must run in the transaction that stores what was read. */
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
