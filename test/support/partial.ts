import type { Database } from '../../src/db/server/database.ts';

/** Returns a stand-in that has only the members which the tested code uses; any other one is undefined. */
export const partial = <T extends object>(members: Partial<T>): T => members as T;

/** Returns a database that answers each statement with what `query` makes of it. */
export function databaseOf(
  query: (text: string, values: unknown[]) => Promise<{ rows: unknown[]; rowCount?: number | null }>,
): Database {
  const database: object = { query };
  return database as Database;
}
