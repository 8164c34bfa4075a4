import { type Database, withConnection } from './database.ts';

/** PostgreSQL's clock as it was read. */
export interface ClockReading {
  /** PostgreSQL's time when it answered, in epoch ms. */
  at: number;
  /** The time of this process's monotonic clock that belongs to it, in ms. */
  readAt: number;
  /** How wrong the pair may be either way, in ms: half of the round trip. */
  uncertaintyMs: number;
}

/**
 * The one clock for instants that are compared with a column or stored in one. It is PostgreSQL's clock as
 * last read, moved on by this process's monotonic clock: a wrong system clock does not matter. ADR 0035.
 */
export interface DatabaseClock {
  /** Returns PostgreSQL's time in epoch ms, without a round trip; the system's until it was read once. */
  readonly now: () => number;
  /**
   * Reads PostgreSQL's clock, follows that reading from now on unless the one before is better, and returns
   * it. Throws what the database throws.
   */
  sync(): Promise<ClockReading>;
}

/** Returns the clock of a process. `monotonic` returns ms that no change of the system's clock moves. */
export function createDatabaseClock(
  database: Database,
  monotonic: () => number = () => performance.now(),
): DatabaseClock {
  let followed: ClockReading | null = null;
  return {
    now: () => Math.floor(followed === null ? Date.now() : originOf(followed) + monotonic()),
    async sync() {
      const reading = await readClock(database, monotonic);
      if (followed === null || isBetter(reading, followed)) followed = reading;
      return reading;
    },
  };
}

/** PostgreSQL's time when the monotonic clock was zero. */
const originOf = ({ at, readAt }: ClockReading): number => at - readAt;

/** How far two clocks that are kept right move apart in an ms, at most. */
const drift = 500e-6;

/**
 * Whether a reading is better than the one before: it is more certain, as old readings are less and less, or
 * the one before cannot be right beside it. An answer that took seconds may be wrong by half of that. Pure.
 */
function isBetter(reading: ClockReading, before: ClockReading): boolean {
  const uncertaintyMs = before.uncertaintyMs + (reading.readAt - before.readAt) * drift;
  const apartMs = Math.abs(originOf(reading) - originOf(before));
  return reading.uncertaintyMs <= uncertaintyMs || apartMs > reading.uncertaintyMs + uncertaintyMs;
}

/** Reads PostgreSQL's clock once, over a connection that is open already. */
function readClock(database: Database, monotonic: () => number): Promise<ClockReading> {
  return withConnection(database, async (connection) => {
    const askedAt = monotonic();
    const { rows } = await connection.query<{ at: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at',
    );
    const uncertaintyMs = (monotonic() - askedAt) / 2;
    const [row] = rows;
    if (!row) throw new Error('PostgreSQL returned no time');
    return { at: row.at, readAt: askedAt + uncertaintyMs, uncertaintyMs };
  });
}
