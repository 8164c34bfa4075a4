import pg from 'pg';
import type { DatabaseOptions } from './database.ts';
import { createLease } from './lease.ts';

/** Longest wait for a connection or a statement, in ms: a leader without PostgreSQL must stop leading. */
const waitMs = 3_000;

/**
 * PostgreSQL ends the leader's session, and frees its locks, when it sent no statement for this long, in ms:
 * another process then leads in place of one that hangs.
 */
const sessionIdleMs = 10_000;

/** How long a leader goes on without an answer, in ms: it has stopped before another can have its locks. */
const leaseMs = 8_000;

/**
 * Advisory locks on a dedicated connection. The process that holds a lock is the leader, as long as the
 * connection lives and the lease of its last refresh has not ended.
 */
export interface LeaderLock {
  /**
   * Requests the locks that are not held, and thereby checks the connection. Begins the term of each lock
   * that was gained. Returns the locks that are held now; none while PostgreSQL does not answer. One call at
   * a time.
   */
  refresh(): Promise<ReadonlySet<string>>;
  /**
   * The locks held as of the last refresh; none as soon as the connection is known to be lost, and none when
   * the last refresh is too old: a process that was stopped does not lead when it continues.
   */
  held(): ReadonlySet<string>;
  /** The terms of the locks, each begun when the lock was gained; also after the lease has ended. */
  terms(): ReadonlyMap<string, number>;
  /** Releases all locks. */
  close(): Promise<void>;
}

/**
 * Returns locks of these names. `takeTerm` begins a new term of a lock that was gained, or returns null: it
 * is called again at the next refresh, and until then the lock does not count as held. The locks belong to
 * the session; behind a pooler that lends its connections for one transaction each, they belong to one
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
  /** The locks of the session, for as long as it lives. */
  const locked = new Set<string>();
  /** The terms of those whose term has begun. */
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
    // Reported once, not every few seconds while PostgreSQL is unreachable.
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

  /** On other connections: a transaction that holds the locks stays open and commits nothing. */
  const beginTerms = async (connection: pg.Client): Promise<void> => {
    const begin = async (name: string): Promise<void> => {
      const term = await takeTerm(name);
      // One that was begun for locks that are lost by now is not used: the next gain begins another.
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
        // Those held already must not lapse while the terms of others begin.
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

/** Returns the connection of the locks, which is not open yet. */
const sessionOf = ({ url, applicationName }: Pick<DatabaseOptions, 'url' | 'applicationName'>): pg.Client =>
  new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: waitMs,
    query_timeout: waitMs,
    keepAlive: true,
  });

/** Begins the transaction of the locks, if any, and has PostgreSQL end the session when the leader hangs. */
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
