import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, isDatabaseUnavailable } from './database.ts';
import { isTransactionPooler } from './pooler.ts';
import { type ProcessRole, knownTables, privilegesOf, processRoles } from './privileges.ts';

/**
 * The facts that a check needs about a server, as PostgreSQL reports them for a connection of the service.
 */
export interface ServerFacts {
  versionNumber: number;
  synchronousCommit: string;
  fsync: string;
  fullPageWrites: string;
  isolation: string;
  readOnly: string;
  inRecovery: boolean;
  appliedMigrations: string[];
  /** The connection's user. `privileges` holds its privileges for each table: `<verb> <table>`. */
  user: string;
  privileges: string[];
}

const oldestVersion = 140_000;

/**
 * Returns why payments must not run on this server, in one line with the fix; null if they may. The rules
 * prevent a double charge: a crash must not lose a commit, and the isolation level must be the one for which
 * the statements were written.
 */
export function refuseServer(
  facts: ServerFacts,
  needed: readonly string[],
  production: boolean,
): string | null {
  const { synchronousCommit, isolation } = facts;
  if (facts.versionNumber < oldestVersion) {
    return `PostgreSQL ${Math.floor(facts.versionNumber / 10_000)} is too old: 14 or newer is needed`;
  }
  if (facts.inRecovery) return 'PostgreSQL is a standby: point DATABASE_URL at the primary';
  if (facts.readOnly !== 'off') {
    return 'PostgreSQL opens read-only transactions: set default_transaction_read_only = off for this role';
  }
  if (synchronousCommit === 'off' || synchronousCommit === 'local') {
    return `PostgreSQL has synchronous_commit = ${synchronousCommit}: set it to on, or an acknowledged charge can be forgotten`;
  }
  if (isolation !== 'read committed') {
    return `PostgreSQL has default_transaction_isolation = ${isolation}: set it to 'read committed' for this role`;
  }
  if (production && facts.fsync !== 'on') return 'PostgreSQL has fsync = off: set it to on';
  if (production && facts.fullPageWrites !== 'on')
    return 'PostgreSQL has full_page_writes = off: set it to on';
  const missing = needed.filter((name) => !facts.appliedMigrations.includes(name));
  if (missing.length > 0) {
    return `the database lacks ${missing.length} migration(s), the first is ${missing[0]}: run the migrate command`;
  }
  return null;
}

/**
 * Returns why this database user does not suit the process, in one line with the fix; null if it does. A user
 * with more privileges than needed is refused in production only.
 */
export function refuseUser(facts: ServerFacts, role: ProcessRole, production: boolean): string | null {
  const { user, privileges } = facts;
  const needed = knownTables.flatMap((table) => privilegesOf(role, table).map((verb) => `${verb} ${table}`));
  const listed = (list: string[]): string =>
    `${list.slice(0, 3).join(', ')}${list.length > 3 ? ` and ${list.length - 3} more` : ''}`;
  const lacking = needed.filter((one) => !privileges.includes(one));
  if (lacking.length > 0) {
    return `the database user ${user} may not ${listed(lacking)}: run the migrate command, or connect as ${processRoles[role]}`;
  }
  const beyond = privileges.filter((one) => !needed.includes(one));
  if (!production || beyond.length === 0) return null;
  return `the database user ${user} may do more than the ${role} needs (${listed(beyond)}): connect as ${processRoles[role]} (docs/operations.md, "A role for each process")`;
}

/** Returns the names of the migrations that this build needs. */
export async function neededMigrations(): Promise<string[]> {
  const files = await readdir(fileURLToPath(new URL('../migrations', import.meta.url)));
  return files
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.slice(0, -'.sql'.length))
    .sort();
}

/** Returns a server's facts. Passes on connection errors. */
export async function readServerFacts(database: Database): Promise<ServerFacts> {
  const { rows } = await database.query<
    Omit<ServerFacts, 'appliedMigrations' | 'privileges'> & { migrated: boolean }
  >(
    `SELECT current_setting('server_version_num')::int AS "versionNumber",
       current_setting('synchronous_commit') AS "synchronousCommit", current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS "fullPageWrites",
       current_setting('default_transaction_isolation') AS isolation,
       current_setting('default_transaction_read_only') AS "readOnly", pg_is_in_recovery() AS "inRecovery",
       current_user AS user,
       to_regclass('schema_migrations') IS NOT NULL AS migrated`,
  );
  const [facts] = rows;
  if (!facts) throw new Error('PostgreSQL returned no facts about itself');
  const applied = facts.migrated
    ? (await database.query<{ name: string }>('SELECT name FROM schema_migrations')).rows
    : [];
  const held = await database.query<{ privilege: string }>(
    `SELECT verb || ' ' || c.relname AS privilege
     FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS verb
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
       AND has_table_privilege(c.oid, verb)`,
  );
  return {
    ...facts,
    appliedMigrations: applied.map(({ name }) => name),
    privileges: held.rows.map(({ privilege }) => privilege),
  };
}

/** Returns how many connections the server accepts from users that are not superusers. */
export async function readMaxConnections(database: Database): Promise<number> {
  const { rows } = await database.query<{ max: number }>(
    `SELECT current_setting('max_connections')::int
       - current_setting('superuser_reserved_connections')::int AS max`,
  );
  return rows[0]?.max ?? 0;
}

/** Longest pause between two checks of a server that does not answer, in ms. */
const retryMs = 1_000;
/** How often a wait for PostgreSQL is logged, in ms. */
const logEveryMs = 60_000;

const refusedPooler =
  'DATABASE_URL leads to a pooler that lends connections for one transaction each: set DATABASE_POOLER=transaction';

/**
 * Returns why the server must not be used, in one line with the fix; null if it may. A server that does not
 * answer is retried until `signal` aborts; all other errors are thrown. With a `url`, its connections must
 * reach PostgreSQL directly, as DATABASE_POOLER=none declares.
 */
export async function checkServer(
  database: Database,
  role: ProcessRole,
  production: boolean,
  signal: AbortSignal,
  { url = null, onWaiting }: { url?: string | null; onWaiting?: (error: unknown) => void } = {},
): Promise<string | null> {
  const check = async (): Promise<string | null> => {
    // Runs first, because such a pooler may refuse a pool that is not configured for it.
    if (url !== null && (await isTransactionPooler(url, 'card-payments-check'))) return refusedPooler;
    const facts = await readServerFacts(database);
    return refuseServer(facts, await neededMigrations(), production) ?? refuseUser(facts, role, production);
  };
  return retryUntilReachable(signal, check, onWaiting);
}

/**
 * Returns the result of `check` as soon as PostgreSQL answers; null if `signal` aborts first. Until then it
 * calls `onWaiting` once a minute. Throws every error that does not mean an unreachable server.
 */
export async function retryUntilReachable(
  signal: AbortSignal,
  check: () => Promise<string | null>,
  onWaiting: (error: unknown) => void = () => undefined,
): Promise<string | null> {
  let loggedAt = -Infinity;
  while (!signal.aborted) {
    try {
      return await check();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (performance.now() - loggedAt >= logEveryMs) {
        loggedAt = performance.now();
        onWaiting(error);
      }
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}
