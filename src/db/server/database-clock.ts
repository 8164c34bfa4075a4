import { type Database, type Queryable, withConnection } from './database.ts';

/** A reading of PostgreSQL's clock. */
export interface ClockReading {
  /** PostgreSQL's time when it answered, in epoch ms. */
  at: number;
  /** The time of this process's monotonic clock at that moment, in ms. */
  readAt: number;
  /** The possible error of the pair in either direction, in ms: half of the round trip. */
  uncertaintyMs: number;
}

/**
 * The one clock for instants that are stored in a column or compared with one. It is PostgreSQL's clock as
 * last read, advanced by this process's monotonic clock, so a wrong system clock does not matter. ADR 0035.
 */
export interface DatabaseClock {
  /**
   * Returns PostgreSQL's time in epoch ms, without a round trip; the system's time until the first reading.
   */
  readonly now: () => number;
  /**
   * Reads PostgreSQL's clock and returns the reading. From now on the clock follows it, unless the previous
   * reading is better. Passes on database errors.
   */
  sync(): Promise<ClockReading>;
  /**
   * The same with a statement that also returns other facts: `at` is PostgreSQL's time while it ran (epoch
   * ms). Returns what the statement returned.
   */
  syncWith<Facts extends { at: number }>(
    statement: (connection: Queryable) => Promise<Facts>,
  ): Promise<Facts>;
  /**
   * Resolves once PostgreSQL's clock has been read; reads it if it was not. Passes on database errors. What
   * stores an instant waits for this, because `now` is the system's time until then.
   */
  untilSet(): Promise<void>;
}

/** Returns the clock of a process. `monotonic` returns ms that changes of the system clock do not affect. */
export function createDatabaseClock(
  database: Database,
  monotonic: () => number = () => performance.now(),
): DatabaseClock {
  let followed: ClockReading | null = null;
  let first: Promise<unknown> | null = null;
  const read = <Facts extends { at: number }>(
    statement: (connection: Queryable) => Promise<Facts>,
  ): Promise<{ facts: Facts; reading: ClockReading }> =>
    // Over a connection that is already open, so that the reading is exact.
    withConnection(database, async (connection) => {
      const askedAt = monotonic();
      const facts = await statement(connection);
      const uncertaintyMs = (monotonic() - askedAt) / 2;
      const reading = { at: facts.at, readAt: askedAt + uncertaintyMs, uncertaintyMs };
      if (followed === null || isBetter(reading, followed)) followed = reading;
      return { facts, reading };
    });
  const sync = async (): Promise<ClockReading> => (await read(readTime)).reading;
  return {
    now: () => Math.floor(followed === null ? Date.now() : originOf(followed) + monotonic()),
    sync,
    syncWith: async (statement) => (await read(statement)).facts,
    async untilSet() {
      if (followed !== null) return;
      // One reading for all that wait.
      first ??= sync().finally(() => (first = null));
      await first;
    },
  };
}

/** PostgreSQL's time when the monotonic clock was zero. */
const originOf = ({ at, readAt }: ClockReading): number => at - readAt;

/** The maximum drift between two well-kept clocks, in ms per ms. */
const drift = 500e-6;

/**
 * Returns whether a reading is better than the previous one: it is more certain (old readings become less
 * so), or the two contradict each other. An answer that took seconds may be wrong by half of that. Pure.
 */
function isBetter(reading: ClockReading, before: ClockReading): boolean {
  const uncertaintyMs = before.uncertaintyMs + (reading.readAt - before.readAt) * drift;
  const apartMs = Math.abs(originOf(reading) - originOf(before));
  return reading.uncertaintyMs <= uncertaintyMs || apartMs > reading.uncertaintyMs + uncertaintyMs;
}

async function readTime(connection: Queryable): Promise<{ at: number }> {
  const { rows } = await connection.query<{ at: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at',
  );
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL returned no time');
  return row;
}
