import pg from 'pg';
import { PreparingClient } from './prepared-statements.ts';

/** A pool or one of its connections inside a transaction: whatever can run a statement. */
export type Queryable = Pick<pg.Pool, 'query'>;
export type Database = pg.Pool;

// Cents are bigint in SQL and at most 10^8: exact as a JavaScript number.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => Number(text));

/** PostgreSQL error classes and Node errors that mean "not reachable now" rather than "wrong". */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    return /^(08|53|57)/.test(code) || /^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/.test(code) || code === '25006';
  }
  return /timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Query read timeout/.test(
    String(message),
  );
}

/** Whether PostgreSQL refuses the values themselves (classes 22 and 23): no repetition can ever succeed. */
export function isDataRefused(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && /^2[23]/.test(code);
}

/** How a pool is opened. */
export interface DatabaseOptions {
  url: string;
  poolSize: number;
  applicationName: string;
  /**
   * What stands between this process and PostgreSQL: `transaction` for a pooler that lends connections so.
   */
  pooler?: 'none' | 'transaction';
  /** Longest statement, in ms; 5,000 unless given. */
  statementTimeoutMs?: number;
  onError?: (error: Error) => void;
}

/** The statements that begin a transaction of a pool, with its deadlines, where they are more than BEGIN. */
const begins = new WeakMap<object, string>();

/** Longest pause of a transaction between two statements, in ms. */
const idleInTransactionMs = 5_000;

/**
 * Opens a pool. Every statement has a deadline, so that a stuck database shows as an error, never as a hang.
 *
 * Behind a pooler that lends connections for a transaction each, nothing is kept on a connection: statements
 * are not prepared by name, which another connection would not know; deadlines are not parameters of the
 * session, which such a pooler refuses, but local to each transaction. A statement outside of one has only
 * the deadline of the role (docs/operations.md) and the client's own.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5_000;
  const ofSession = options.pooler !== 'transaction';
  const pool = new pg.Pool({
    ...(ofSession && {
      Client: PreparingClient,
      // Used where a statement is sent before the answer to another: at the end of a transaction alone.
      pipeline: true,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
    }),
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    query_timeout: statementTimeoutMs + 1_000,
    keepAlive: true,
  });
  if (!ofSession) {
    begins.set(
      pool,
      `BEGIN; SET LOCAL statement_timeout = ${statementTimeoutMs};
       SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
    );
  }
  // An idle connection that dies must not take the process with it; the next checkout opens another.
  pool.on('error', (error) => options.onError?.(error));
  return pool;
}

/**
 * Lends `work` one connection. It goes back to the pool, unless it died meanwhile or `work` calls it broken:
 * then it is closed.
 */
export async function withConnection<T>(
  database: Database,
  work: (connection: Queryable, broken: (reason: unknown) => void) => Promise<T>,
): Promise<T> {
  const client = await database.connect();
  let fault: Error | undefined;
  const broken = (reason: unknown): void => {
    fault = reason instanceof Error ? reason : new Error('the connection is broken');
  };
  // A connection that dies while it is lent says so as an event; unheard, it would end the process.
  client.on('error', broken);
  try {
    return await work(client, broken);
  } finally {
    client.off('error', broken);
    client.release(fault);
  }
}

/**
 * The last statement of a transaction, sent together with its COMMIT: what it locks is not held until this
 * process finds the time to say that it is all. Returns its answer once both are done. Nothing may follow.
 */
export type LastStatement = (statement: {
  text: string;
  /** Plain: a value that could not be written would leave the COMMIT alone behind it. */
  values: readonly (string | number | boolean | null)[];
}) => Promise<{ rowCount: number | null }>;

/**
 * Runs `work` in one transaction; any throw rolls it back and is passed on. `opening`: a statement without
 * values that belongs to its beginning, sent in the same round trip.
 */
export function inTransaction<T>(
  database: Database,
  work: (transaction: Queryable, last: LastStatement) => Promise<T>,
  opening?: string,
): Promise<T> {
  return withConnection(database, async (connection, broken) => {
    let ended = false;
    const last: LastStatement = async ({ text, values }) => {
      const answer = connection.query(text, [...values]);
      // Behind a pooler that lends connections for a transaction each, statements go one by one.
      if (begins.has(database)) await answer;
      ended = true;
      // When the statement failed, PostgreSQL takes the COMMIT for a ROLLBACK.
      const [answered, committed] = await Promise.allSettled([answer, connection.query('COMMIT')]);
      if (answered.status === 'rejected') throw answered.reason;
      if (committed.status === 'rejected') throw committed.reason;
      return { rowCount: answered.value.rowCount };
    };
    try {
      const begin = begins.get(database) ?? 'BEGIN';
      await connection.query(opening === undefined ? begin : `${begin}; ${opening}`);
      const result = await work(connection, last);
      if (!ended) await connection.query('COMMIT');
      return result;
    } catch (error) {
      if (!ended) await connection.query('ROLLBACK').catch(broken);
      throw error;
    }
  });
}

/** Whether PostgreSQL answers. */
export async function answers(database: Queryable): Promise<boolean> {
  try {
    await database.query('SELECT 1');
    return true;
  } catch {
    return false;
  }
}
