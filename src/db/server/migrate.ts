import { setTimeout as sleep } from 'node:timers/promises';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { migrationFiles } from './migration-files.ts';
import { lendsConnections } from './pooler.ts';

/** How a migration behaves on a database that is in use. */
export interface MigrateOptions {
  /** Longest wait of a statement for a lock, in ms. Writers wait behind it for as long. */
  lockTimeoutMs?: number;
  /** Pause between two tries, in ms, during which writers proceed. */
  pauseMs?: number;
  /** Tries before the migration fails for want of a lock. */
  tries?: number;
  /** Receives one line for each migration that begins and for each wait. */
  onProgress?: (line: string) => void;
}

/**
 * Migrates a database to the newest schema. It may run in several processes at once (advisory lock) and while
 * others write: a statement that gets no lock in time is rolled back and retried. Returns the names of the
 * migrations it applied. Throws the errors of PostgreSQL, and `lock_not_available` (55P03) after the last
 * try. Migrations that were applied before stay, and the next call resumes there.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { lockTimeoutMs = 1_000, pauseMs = 2_000, tries = 200, onProgress = () => undefined } = options;
  if (await lendsConnections(databaseUrl, 'card-payments-migrate')) {
    throw new Error(
      'a pooler that lends connections for one transaction each cannot migrate: use a direct URL',
    );
  }
  const applied: string[] = [];
  let under = '';
  const begin = (name: string): void => {
    if (name !== under) onProgress(`applying ${name}`);
    under = name;
  };
  for (let tried = 1; ; tried += 1) {
    try {
      const name = await applyNext(databaseUrl, lockTimeoutMs, begin);
      if (name === null) return applied;
      applied.push(name);
      tried = 0;
    } catch (error) {
      if (!isTaken(error) || tried >= tries) throw error;
      onProgress(`${under || 'the schema'} waits for a lock that others hold (try ${tried} of ${tries})`);
      await sleep(pauseMs);
    }
  }
}

/** Applies the next migration on a connection of its own. Returns its name; null when there is none. */
async function applyNext(
  databaseUrl: string,
  lockTimeoutMs: number,
  onBegin: (name: string) => void,
): Promise<string | null> {
  const dbClient = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'card-payments-migrate',
    lock_timeout: lockTimeoutMs,
    keepAlive: true,
  });
  dbClient.on('error', () => undefined);
  const silent = (): void => undefined;
  const noteBegin = (line: string): void => {
    const name = /^### MIGRATION (\S+) /.exec(line)?.[1];
    if (name !== undefined) onBegin(name);
  };
  await dbClient.connect();
  try {
    const [migration] = await runner({
      ...migrationFiles,
      dbClient,
      direction: 'up',
      count: 1,
      logger: { debug: silent, info: noteBegin, warn: silent, error: silent },
    });
    return migration?.name ?? null;
  } finally {
    // Ending the connection rolls back a failed transaction and frees its lock.
    await dbClient.end();
  }
}

/** Returns whether another transaction, or another migrating process, holds the lock for now. */
function isTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as { code?: unknown }).code === '55P03' || error.message.startsWith('Another migration is');
}
