import pg from 'pg';
import type { DatabaseOptions } from './database.ts';
import { createLease } from './lease.ts';

/** Longest wait for a connection or a statement, in ms: a leader who cannot ask is none any more. */
const waitMs = 3_000;

/**
 * PostgreSQL ends the leader's session, and frees its locks, when it sent no statement for this long, in ms:
 * a process that hangs is followed by another.
 */
const sessionIdleMs = 10_000;

/** How long a leader goes on without an answer, in ms: it has stopped before another can have its locks. */
const leaseMs = 8_000;

/** Advisory locks on a connection of their own: whoever holds one leads, as long as the connection lives. */
export interface LeaderLock {
  /**
   * Asks for the locks that are not held, and thereby whether the connection lives. Returns those that are
   * held now; none while PostgreSQL does not answer. One call at a time.
   */
  refresh(): Promise<ReadonlySet<string>>;
  /**
   * Those held as of the last refresh; none from the moment the connection is known to be lost, and none when
   * the last refresh is too old: so a process that was stopped leads nothing when it goes on.
   */
  held(): ReadonlySet<string>;
  /** Gives all locks back. */
  close(): Promise<void>;
}

/**
 * Returns locks of these names. The locks belong to the session; behind a pooler that lends its connections
 * for a transaction each, they belong to one transaction that stays open.
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
    // Ended, not left alone: PostgreSQL frees the locks when it sees the end.
    if (lost) void end(lost);
    // DraftEntry once, not every few seconds while PostgreSQL is away.
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

/** Ends a connection, which may be dead already. */
async function end(client: pg.Client): Promise<void> {
  try {
    await client.end();
  } catch {
    // Dead: PostgreSQL sees it too.
  }
}
