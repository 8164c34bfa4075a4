import pg from 'pg';
import type { DatabaseOptions } from './database.ts';
import { createLease } from './lease.ts';

/** Longest wait for a connection or a statement, in ms: a leader without PostgreSQL must stop leading. */
const waitMs = 3_000;

/**
 * PostgreSQL ends the leader's session, and frees its locks, after this long without a statement, in ms.
 * Another process then leads in place of one that hangs.
 */
const sessionIdleMs = 10_000;

/**
 * How long a leader continues without an answer, in ms. It has stopped before another process can get its
 * locks.
 */
const leaseMs = 8_000;

/**
 * Advisory locks on a dedicated connection. The process that holds a lock is the leader, as long as the
 * connection lives and the lease of its last refresh has not ended.
 */
export interface LeaderLock {
  /**
   * Requests the locks that are not held, which also checks the connection. Begins the term of each lock that
   * was gained. Returns the locks that are held now; none while PostgreSQL does not answer. Only one call at
   * a time.
   */
  refresh(): Promise<ReadonlySet<string>>;
  /**
   * The locks held as of the last refresh. None if the connection is known to be lost, or if the last refresh
   * is too old, so that a process that was suspended does not lead when it continues.
   */
  held(): ReadonlySet<string>;
  /**
   * The terms of the locks, each begun when its lock was gained. They stay here after the lease has ended.
   */
  terms(): ReadonlyMap<string, number>;
  /** Releases all locks. */
  close(): Promise<void>;
}

/**
 * Returns locks with these names. `takeTerm` begins a new term of a gained lock, or returns null. Then it is
 * called again at the next refresh, and until then the lock does not count as held. The locks belong to the
 * session. Behind a pooler that lends its connections for one transaction each, they belong to one
 * transaction that stays open.
 */
export function createLeaderLock(
  options: Pick<DatabaseOptions, 'url' | 'pooler' | 'applicationName'>,
  names: readonly string[],
  onLost: (error: unknown) => void,
  takeTerm: (name: string) => Promise<number | null>,
): LeaderLock {
  let answers = true;
  const inTransaction = options.pooler === 'transaction';
  const tryLock = inTransaction ? 'pg_try_advisory_xact_lock' : 'pg_try_advisory_lock';
  const lease = createLease(leaseMs);
  /** The locks that the session holds until it ends. */
  const locked = new Set<string>();
  /** The terms that have begun, by lock. */
  const terms = new Map<string, number>();
  let client: pg.Client | null = null;

  const begun = (): string[] => names.filter((name) => terms.has(name));

  const forget = (): void => {
    locked.clear();
    terms.clear();
    lease.end();
  };

  const lose = (reason: unknown): void => {
    const lost = client;
    client = null;
    forget();
    // The connection is ended explicitly, because PostgreSQL frees the locks when it sees the end.
    if (lost) void end(lost);
    // Reported only once, not every few seconds while PostgreSQL is unreachable.
    if (answers) onLost(reason);
    answers = false;
  };

  const connect = async (): Promise<pg.Client> => {
    const fresh = sessionOf(options);
    fresh.on('error', (error) => {
      if (client === fresh) lose(error);
    });
    fresh.on('end', () => {
      if (client === fresh) lose(new Error('the connection ended'));
    });
    await fresh.connect();
    client = fresh;
    await limitIdleness(fresh, inTransaction);
    return fresh;
  };

  /** Uses other connections: a transaction that holds the locks stays open and commits nothing. */
  const beginTerms = async (connection: pg.Client): Promise<void> => {
    const begin = async (name: string): Promise<void> => {
      const term = await takeTerm(name);
      // A term that was begun for locks lost meanwhile is not used; the next gain begins another.
      if (term !== null && client === connection) terms.set(name, term);
    };
    await Promise.all([...locked].filter((name) => !terms.has(name)).map(begin));
  };

  return {
    async refresh() {
      try {
        const connection = client ?? (await connect());
        const wanted = names.filter((name) => !locked.has(name));
        const askedAt = lease.asking();
        const { rows } = await connection.query<{ name: string; taken: boolean }>(
          `SELECT name, ${tryLock}(hashtextextended('sweeps of ' || name, 0)) AS taken
           FROM unnest($1::text[]) AS name`,
          [wanted],
        );
        if (client !== connection) return lease.held();
        answers = true;
        for (const { name, taken } of rows) if (taken) locked.add(name);
        // Locks that are already held must not lapse while the terms of others begin.
        lease.renew(begun(), askedAt);
        await beginTerms(connection);
        if (client === connection) lease.renew(begun(), askedAt);
      } catch (error) {
        lose(error);
      }
      return lease.held();
    },
    held: () => lease.held(),
    terms: () => terms,
    async close() {
      const open = client;
      client = null;
      forget();
      if (open) await end(open);
    },
  };
}

/** Returns a connection for the locks, which is not open yet. */
const sessionOf = ({ url, applicationName }: Pick<DatabaseOptions, 'url' | 'applicationName'>): pg.Client =>
  new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: waitMs,
    query_timeout: waitMs,
    keepAlive: true,
  });

/** Begins the transaction of the locks, if any, and makes PostgreSQL end the session if the leader hangs. */
async function limitIdleness(client: pg.Client, inTransaction: boolean): Promise<void> {
  if (inTransaction) await client.query('BEGIN');
  await client.query(
    inTransaction
      ? `SET LOCAL idle_in_transaction_session_timeout = ${sessionIdleMs}`
      : `SET SESSION idle_session_timeout = ${sessionIdleMs}`,
  );
}

/** Ends a connection, which may already have failed. */
async function end(client: pg.Client): Promise<void> {
  try {
    await client.end();
  } catch {
    // The connection has failed; PostgreSQL notices it too.
  }
}
