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
  /** Reads PostgreSQL's clock and follows that reading from now on. Throws what the database throws. */
  sync(): Promise<ClockReading>;
}

/** Returns the clock of a process. `monotonic` returns ms that no change of the system's clock moves. */
export function createDatabaseClock(
  database: Database,
  monotonic: () => number = () => performance.now(),
): DatabaseClock {
  /** PostgreSQL's time when the monotonic clock was zero. */
  let origin: number | null = null;
  return {
    now: () => Math.floor(origin === null ? Date.now() : origin + monotonic()),
    async sync() {
      const reading = await readClock(database, monotonic);
      origin = reading.at - reading.readAt;
      return reading;
    },
  };
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
