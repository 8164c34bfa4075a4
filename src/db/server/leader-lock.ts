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
   * Requests the locks that are not held, and thereby checks the connection. Returns the locks that are held
   * now; none while PostgreSQL does not answer. One call at a time.
   */
  refresh(): Promise<ReadonlySet<string>>;
  /**
   * The locks held as of the last refresh; none as soon as the connection is known to be lost, and none when
   * the last refresh is too old: a process that was stopped does not lead when it continues.
   */
  held(): ReadonlySet<string>;
  /** Releases all locks. */
  close(): Promise<void>;
}

/**
 * Returns locks of these names. The locks belong to the session; behind a pooler that lends its connections
 * for one transaction each, they belong to one transaction that stays open.
 */
export function createLeaderLock(
  options: Pick<DatabaseOptions, 'url' | 'pooler' | 'applicationName'>,
  names: readonly string[],
  onLost: (error: unknown) => void,
): LeaderLock {
  let answers = true;
  const inTransaction = options.pooler === 'transaction';
  const tryLock = inTransaction ? 'pg_try_advisory_xact_lock' : 'pg_try_advisory_lock';
  const lease = createLease(leaseMs);
  /** The locks of the session, for as long as it lives. */
  const locked = new Set<string>();
  let client: pg.Client | null = null;

  const lose = (reason: unknown): void => {
    const lost = client;
    client = null;
    locked.clear();
    lease.end();
    // The connection is ended explicitly, because PostgreSQL frees the locks when it sees the end.
    if (lost) void end(lost);
    // Reported once, not every few seconds while PostgreSQL is unreachable.
    if (answers) onLost(reason);
    answers = false;
  };

  const connect = async (): Promise<pg.Client> => {
    const fresh = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: waitMs,
      query_timeout: waitMs,
      keepAlive: true,
    });
    fresh.on('error', (error) => {
      if (client === fresh) lose(error);
    });
    fresh.on('end', () => {
      if (client === fresh) lose(new Error('the connection ended'));
    });
    await fresh.connect();
    client = fresh;
    if (inTransaction) await fresh.query('BEGIN');
    await fresh.query(
      inTransaction
        ? `SET LOCAL idle_in_transaction_session_timeout = ${sessionIdleMs}`
        : `SET SESSION idle_session_timeout = ${sessionIdleMs}`,
    );
    return fresh;
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
        lease.renew(locked, askedAt);
      } catch (error) {
        lose(error);
      }
      return lease.held();
    },
    held: () => lease.held(),
    async close() {
      const open = client;
      client = null;
      locked.clear();
      lease.end();
      if (open) await end(open);
    },
  };
}

/** Ends a connection, which may already have failed. */
async function end(client: pg.Client): Promise<void> {
  try {
    await client.end();
  } catch {
    // The connection has failed; PostgreSQL notices it too.
  }
}
