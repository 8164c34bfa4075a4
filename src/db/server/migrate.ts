import { setTimeout as sleep } from 'node:timers/promises';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { migrationFiles } from './migration-files.ts';
import { isTransactionPooler } from './pooler.ts';

/** How a migration runs beside other users of the database. */
export interface MigrateOptions {
  /** Longest wait of a statement for a lock, in ms. Writers queue behind it for as long. */
  lockTimeoutMs?: number;
  /** Pause between two tries, in ms, in which writers proceed. */
  pauseMs?: number;
  /** Number of tries before the migration fails because it got no lock. */
  tries?: number;
  /** Directory of the migrations; this build's own unless given. */
  directory?: string;
  /** Called with one line for each migration that begins and each that has to wait. */
  onProgress?: (line: string) => void;
}

/**
 * Migrates a database to the newest schema. Safe to run from several processes at once (advisory lock) and
 * beside writers: a statement that gets no lock in time is rolled back and retried. Returns the names of the
 * migrations that it applied. Passes on PostgreSQL's errors, and throws `lock_not_available` (55P03) after
 * the last try; applied migrations stay, and the next call resumes there. Refuses a database of a version
 * before 0.1.0, whose migrations no longer exist.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const {
    lockTimeoutMs = 1_000,
    pauseMs = 2_000,
    tries = 200,
    onProgress = () => undefined,
    directory,
  } = options;
  if (await isTransactionPooler(databaseUrl, 'card-payments-migrate')) {
    throw new Error(
      'a pooler that lends connections for one transaction each cannot migrate: use a direct URL',
    );
  }
  const applied: string[] = [];
  await refuseUnreleased(databaseUrl);
  let under = '';
  const begin = (name: string): void => {
    if (name !== under) onProgress(`applying ${name}`);
    under = name;
  };
  for (let tried = 1; ; tried += 1) {
    try {
      const name = await applyNext(databaseUrl, { lockTimeoutMs, directory }, begin);
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

/** The first migration of the versions before 0.1.0, which no released version has. */
const unreleased = '0001_payments';

/**
 * Throws for a database whose schema a version before 0.1.0 created: no migration leads from there to here.
 */
async function refuseUnreleased(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'card-payments-migrate',
    statement_timeout: 30_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ there: boolean }>(
      `SELECT to_regclass('schema_migrations') IS NOT NULL AS there`,
    );
    if (tables[0]?.there !== true) return;
    const { rows } = await client.query('SELECT FROM schema_migrations WHERE name = $1', [unreleased]);
    if (rows.length === 0) return;
  } finally {
    await client.end();
  }
  throw new Error(
    'the database has the schema of a version before 0.1.0, which no migration changes: use a new database and Temporal namespace (npm start -- --fresh)',
  );
}

/**
 * Applies the next migration, on a connection that is closed afterwards. Returns its name; null if there is
 * none.
 */
async function applyNext(
  databaseUrl: string,
  { lockTimeoutMs, directory }: { lockTimeoutMs: number; directory: string | undefined },
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
  const reportBegin = (line: string): void => {
    const name = /^### MIGRATION (\S+) /.exec(line)?.[1];
    if (name !== undefined) onBegin(name);
  };
  await dbClient.connect();
  try {
    const [migration] = await runner({
      ...migrationFiles(directory),
      dbClient,
      direction: 'up',
      count: 1,
      logger: { debug: silent, info: reportBegin, warn: silent, error: silent },
    });
    return migration?.name ?? null;
  } finally {
    // Ending the connection rolls back a failed transaction and frees its lock.
    await dbClient.end();
  }
}

/** Returns whether another transaction, or another migrating process, holds the lock. */
function isTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as { code?: unknown }).code === '55P03' || error.message.startsWith('Another migration is');
}
