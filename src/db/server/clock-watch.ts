import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from './database.ts';
import type { DatabaseClock } from './database-clock.ts';
import { clearAlert, clearUnconfirmedAlerts, confirmAlert } from './operator-alerts.ts';
import { alertMissingLeaders } from './sweep-leaders.ts';

/** How far this process's system clock is ahead of another clock, in ms. */
export interface ClockOffset {
  of: 'PostgreSQL' | 'Temporal';
  offsetMs: number;
  /** The possible error of the measurement in either direction: half of its duration. */
  uncertaintyMs: number;
}

/**
 * The offset, in ms and beyond doubt, from which a clock is reported, and from which its process does no
 * provider work.
 */
const reportedFromMs = 2_000;
const refusedFromMs = 10_000;

/**
 * Pause between two comparisons in ms, normally and while the clock is reported or was never compared, so
 * that a corrected clock is noticed soon.
 */
const compareEveryMs = 60_000;
const recheckEveryMs = 5_000;
/** The number of measurements per comparison. The quickest one counts, because a slow one is imprecise. */
const tries = 3;

interface ClockWatchDeps {
  /** The process as operators see it: its kind, its host and its process id. */
  process: string;
  database: Database;
  clock: DatabaseClock;
  /**
   * Compares with Temporal's clock; null if Temporal does not report one. Throws while it does not answer.
   */
  compareTemporal: () => Promise<ClockOffset | null>;
  logger: { info: (facts: object, text: string) => void; warn: (facts: object, text: string) => void };
}

export interface ClockWatch {
  /** False while the clock is so wrong that the process must not lead sweeps or call providers. */
  isRight(): boolean;
  /** Adds a listener that is called when `isRight` changes. */
  onChange(listener: (isRight: boolean) => void): void;
  stop(): Promise<void>;
}

/**
 * Compares this process's system clock with those of PostgreSQL and Temporal, now and each minute. Beyond two
 * seconds it warns and raises an operator alert `clock`, which is cleared when the clock is right again or
 * the process is gone. It also alerts about roles whose sweeps have no leader. Resolves after the first
 * comparison; a server that does not answer is compared the next time. ADR 0035.
 */
export async function watchClock(deps: ClockWatchDeps): Promise<ClockWatch> {
  const { database, clock, logger } = deps;
  const stopping = new AbortController();
  const listeners: ((isRight: boolean) => void)[] = [];
  /** The last comparison with each clock. If a comparison fails, the previous one stays in force. */
  const offsets = new Map<ClockOffset['of'], ClockOffset>();
  let right = true;
  /** Null while it is unknown, because an earlier process with the same name may have raised the alert. */
  let alerted: boolean | null = null;

  const orLogged = async (work: () => Promise<void>, text: string): Promise<void> => {
    try {
      await work();
    } catch (error) {
      logger.warn({ err: error }, text);
    }
  };

  const compare = async (): Promise<void> => {
    await orLogged(async () => {
      offsets.set('PostgreSQL', await comparePostgres(clock));
    }, 'the clock was not compared with that of PostgreSQL');
    await orLogged(async () => {
      const offset = await deps.compareTemporal();
      if (offset) offsets.set('Temporal', offset);
    }, 'the clock was not compared with that of Temporal');
    const worst = worstOf([...offsets.values()]);
    const certain = worst === null ? 0 : certainMs(worst);
    const wasRight = right;
    right = certain <= refusedFromMs;
    if (right !== wasRight) for (const listener of listeners) listener(right);
    await orLogged(() => report(worst, certain), 'the alert about the clock could not be written');
  };

  const report = async (worst: ClockOffset | null, certain: number): Promise<void> => {
    if (worst !== null && certain > reportedFromMs) {
      const offsetMs = Math.round(worst.offsetMs);
      logger.warn(
        { process: deps.process, offsetMs, of: worst.of, refusesWork: !right },
        'the clock of this process is wrong',
      );
      alerted = true;
      const detail = `${offsetMs > 0 ? '+' : ''}${offsetMs}ms:${worst.of}`;
      await confirmAlert(database, { sweep: 'clock', subject: deps.process, detail });
    } else if (alerted !== false) {
      const cleared = await clearAlert(database, 'clock', deps.process, new Date(clock.now()));
      if (cleared) logger.info({ process: deps.process }, 'the clock of this process is right again');
      alerted = false;
    }
    await clearUnconfirmedAlerts(database, 'clock');
    const { raised } = await alertMissingLeaders(database);
    for (const role of raised) logger.warn({ role }, 'no leader: the sweeps of this role do not run');
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const isKnown = offsets.has('PostgreSQL') && alerted !== true;
      const pause = isKnown ? compareEveryMs : recheckEveryMs;
      await wait(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) await compare();
    }
  };

  await compare();
  const running = loop();
  return {
    isRight: () => right,
    onChange: (listener) => void listeners.push(listener),
    stop: async () => {
      stopping.abort();
      await running;
      // The alert ends with its process; the next process compares again.
      if (alerted === true) {
        await orLogged(async () => {
          await clearAlert(database, 'clock', deps.process, new Date(clock.now()));
        }, 'the alert about the clock could not be cleared');
      }
    },
  };
}

/** Compares with PostgreSQL's clock; the quickest of a few answers counts. */
async function comparePostgres(clock: DatabaseClock): Promise<ClockOffset> {
  let best: ClockOffset | null = null;
  for (let done = 0; done < tries; done += 1) {
    const { at, readAt, uncertaintyMs } = await clock.sync();
    const systemMs = Date.now() - (performance.now() - readAt);
    const found = { of: 'PostgreSQL', offsetMs: systemMs - at, uncertaintyMs } as const;
    if (best === null || uncertaintyMs < best.uncertaintyMs) best = found;
  }
  if (best === null) throw new Error('the clock was compared no times');
  return best;
}

/** Returns the smallest amount by which a clock is certainly wrong, in ms. Pure. */
const certainMs = ({ offsetMs, uncertaintyMs }: ClockOffset): number =>
  Math.max(0, Math.abs(offsetMs) - uncertaintyMs);

/** Returns the comparison in which the clock is most wrong, or null. Pure. */
function worstOf(offsets: readonly ClockOffset[]): ClockOffset | null {
  return offsets.toSorted((a, b) => certainMs(b) - certainMs(a))[0] ?? null;
}
