import pg from 'pg';

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
  return /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout/.test(
    String(message),
  );
}

/** Opens a pool. Every statement has a deadline, so that a stuck database shows as an error, never as a hang. */
export function openDatabase(options: {
  url: string;
  poolSize: number;
  applicationName: string;
  onError?: (error: Error) => void;
}): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 5_000,
    query_timeout: 6_000,
    idle_in_transaction_session_timeout: 5_000,
    keepAlive: true,
  });
  // An idle connection that dies must not take the process with it; the next checkout opens another.
  pool.on('error', (error) => options.onError?.(error));
  return pool;
}

/** Runs `work` in one transaction; any throw rolls it back and is passed on. */
export async function inTransaction<T>(
  database: Database,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const client = await database.connect();
  let broken: Error | undefined;
  // A connection that dies between two statements says so as an event; unheard, it would end the process.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: unknown) => {
      broken = failure instanceof Error ? failure : new Error('rollback failed');
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
