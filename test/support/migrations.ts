import { runner } from 'node-pg-migrate';
import { migrationFiles } from '../../src/db/server/migration-files.ts';

const silent = (): void => undefined;

/** Applies the next `count` migrations of a database, or takes the last ones back. */
export async function moveMigrations(
  databaseUrl: string,
  direction: 'up' | 'down',
  count: number,
): Promise<void> {
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  await runner({ ...migrationFiles, databaseUrl, direction, count, logger });
}
