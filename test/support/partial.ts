import type { Database } from '../../src/db/server/database.ts';

/** Returns a stand-in with only the members that the tested code uses; any other member is undefined. */
export const partial = <T extends object>(members: Partial<T>): T => members as T;

/** Returns a database that answers each statement with the result of `query`. */
export function databaseOf(
  query: (text: string, values: unknown[]) => Promise<{ rows: unknown[]; rowCount?: number | null }>,
): Database {
  const database: object = { query };
  return database as Database;
}
