import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Keyring } from '../../crypto/keyring.ts';

/** A pool, or one of its connections in a transaction: anything that can run a statement. */
export type Queryable = Pick<pg.Pool, 'query'>;
export type Database = pg.Pool;

// Cents are bigint in SQL and at most 10^8, so that a JavaScript number holds them exactly.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => Number(text));

/** Returns whether an error means that PostgreSQL is unreachable now, and not that the statement is wrong. */
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

/**
 * Returns whether PostgreSQL rejects the values themselves (classes 22 and 23), so that no retry can succeed.
 */
export function isDataRefused(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && /^2[23]/.test(code);
}

/**
 * The maximum number of named statements; the service has far fewer. Names are never dropped: a connection
 * keeps what it prepared until it ends, so dropping a name would free nothing, and a new name would add to
 * it.
 */
const maxNames = 1_000;
const names = new Map<string, string>();

/** Returns the name of a statement, the same in every process; null once there are too many. */
function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= maxNames) return null;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  names.set(text, name);
  return name;
}

/**
 * A connection on which PostgreSQL prepares each statement with values once, by name, and afterwards only
 * executes it. The number of statements must be small: everything that varies must be a value.
 */
class PreparingClient extends pg.Client {
  // One signature for the many overloads of pg; the arguments are passed on unchanged.
  override query(...given: unknown[]): never {
    const [text, values, ...rest] = given;
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : null;
    const run = super.query.bind(this) as (...args: unknown[]) => never;
    return name === null ? run(...given) : run({ name, text, values }, ...rest);
  }
}

/** A condition that PostgreSQL checks at the beginning of each transaction of a piece of work. */
export interface Fence {
  /** A statement without values that raises an error with the code `fenceCode` if the work may not write. */
  check: string;
  /** Called when PostgreSQL refused a transaction. */
  onRefused: () => void;
}

const fences = new AsyncLocalStorage<Fence | undefined>();

/**
 * Runs `work`. Everything it sends to the database, through any object, is subject to the fence. ADR 0080.
 */
export const runFenced = <T>(fence: Fence, work: () => T): T => fences.run(fence, work);

/** Runs `work` without the fence of its caller, for queues that also work for other callers. */
export const runUnfenced = <T>(work: () => T): T => fences.run(undefined, work);

/** The SQLSTATE that a fence raises. */
const fenceCode = 'CP001';

/** Returns whether an error is the refusal of a fence. */
export const isFenceRefusal = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && (error as { code?: unknown }).code === fenceCode;

/** Returns the statements that begin a transaction of the pool, in one round trip. */
function beginning(database: Database, opening?: string): string {
  const parts = [begins.get(database) ?? 'BEGIN', fences.getStore()?.check, opening];
  return parts.filter((part) => part !== undefined).join('; ');
}

/** Rethrows the error of the statement that begins a transaction, and reports a refusal to the fence. */
function rethrowBeginError(error: unknown): never {
  if (isFenceRefusal(error)) fences.getStore()?.onRefused();
  throw error;
}

/** Makes statements of a pool outside of transactions run as transactions of their own within a fence. */
function fenceStatements(pool: Database): void {
  const plain = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  // One signature for the many overloads of pg.
  pool.query = ((...given: unknown[]) =>
    fences.getStore() === undefined ? plain(...given) : queryFenced(pool, given)) as typeof pool.query;
}

/** Sends a statement as a transaction within the fence: in one round trip, or in three behind a pooler. */
function queryFenced(database: Database, given: unknown[]): Promise<unknown> {
  const send = (connection: Queryable): Promise<unknown> =>
    (connection.query.bind(connection) as (...args: unknown[]) => Promise<unknown>)(...given);
  if (begins.has(database)) return inTransaction(database, send);
  return withConnection(database, async (connection, broken) => {
    const [started, answered, committed] = await Promise.allSettled([
      connection.query(beginning(database)),
      send(connection),
      // After a failure PostgreSQL treats it as a ROLLBACK.
      connection.query('COMMIT'),
    ]);
    if (started.status === 'rejected' && !isFenceRefusal(started.reason)) broken(started.reason);
    if (committed.status === 'rejected') broken(committed.reason);
    if (started.status === 'rejected') return rethrowBeginError(started.reason);
    if (answered.status === 'rejected') throw answered.reason;
    if (committed.status === 'rejected') throw committed.reason;
    return answered.value;
  });
}

/** How a pool is opened. */
export interface DatabaseOptions {
  url: string;
  poolSize: number;
  applicationName: string;
  /**
   * The pooler between this process and PostgreSQL. `transaction`: it lends connections for one transaction
   * each.
   */
  pooler?: 'none' | 'transaction';
  /** Longest duration of a statement, in ms; 5,000 unless given. */
  statementTimeoutMs?: number;
  onError?: (error: Error) => void;
  /** Opens the key that signs the entries which the pool's connections add to the audit log. */
  signWith?: Keyring;
}

/** The keys with which the connections of a pool sign. */
const signing = new WeakMap<object, Keyring>();

/** Returns the signing keys of the connection's pool; undefined if its entries are not signed. */
export const signingKeysOf = (connection: Queryable): Keyring | undefined => signing.get(connection);

/**
 * The statement that begins a pool's transactions with its deadlines, for pools that need more than BEGIN.
 */
const begins = new WeakMap<object, string>();

/** Longest pause of a transaction between two statements, in ms. */
const idleInTransactionMs = 5_000;

/**
 * Opens a pool. Every statement has a deadline, so that a stuck database causes an error and never a hang.
 * Behind a pooler that lends connections for one transaction each, no state may stay on a connection.
 * Statements are not prepared by name, because another connection does not know the name. Deadlines are local
 * to each transaction, because such a pooler refuses them as parameters of the session. A statement outside a
 * transaction has only the deadline of the role (docs/operations.md) and that of the client.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5_000;
  const ofSession = options.pooler !== 'transaction';
  const pool = new pg.Pool({
    ...(ofSession && {
      Client: PreparingClient,
      // Required to send a statement before the response to the previous one, which only the end of a
      // transaction does.
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
  fenceStatements(pool);
  const { signWith } = options;
  if (signWith) pool.on('connect', (client) => signing.set(client, signWith));
  // An idle connection that fails must not end the process; the next request for a connection opens another.
  pool.on('error', (error) => options.onError?.(error));
  return pool;
}

/**
 * Runs `work` with a connection from the pool. Afterwards the connection returns to the pool, unless it
 * failed or `work` reported it as broken: then it is closed.
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
  // A lent connection reports its failure as an event; without a listener the event would end the process.
  client.on('error', broken);
  try {
    return await work(client, broken);
  } finally {
    client.off('error', broken);
    client.release(fault);
  }
}

/**
 * Sends the last statement of a transaction together with its COMMIT, so that its locks are not held for
 * another round trip to this process. Returns the statement's result once both are done. No statement may
 * follow.
 */
export type LastStatement = (statement: {
  text: string;
  /** Plain values only: a value that cannot be serialized would leave the COMMIT without its statement. */
  values: readonly (string | number | boolean | null)[];
}) => Promise<{ rowCount: number | null }>;

/**
 * Runs `work` in one transaction. Any error rolls it back and is rethrown. `opening`: a statement without
 * values that is sent in the same round trip as BEGIN.
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
      // Behind a pooler that lends connections for one transaction each, statements are sent one by one.
      if (begins.has(database)) await answer;
      ended = true;
      // When the statement failed, PostgreSQL treats the COMMIT as a ROLLBACK.
      const [answered, committed] = await Promise.allSettled([answer, connection.query('COMMIT')]);
      if (answered.status === 'rejected') throw answered.reason;
      if (committed.status === 'rejected') throw committed.reason;
      return { rowCount: answered.value.rowCount };
    };
    try {
      await connection.query(beginning(database, opening)).catch(rethrowBeginError);
      const result = await work(connection, last);
      if (!ended) await connection.query('COMMIT');
      return result;
    } catch (error) {
      if (!ended) await connection.query('ROLLBACK').catch(broken);
      throw error;
    }
  });
}

/** Returns whether PostgreSQL answers. */
export async function answers(database: Queryable): Promise<boolean> {
  try {
    await database.query('SELECT 1');
    return true;
  } catch {
    return false;
  }
}
