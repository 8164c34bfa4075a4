import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from './database.ts';
import type { DatabaseClock } from './database-clock.ts';
import { clearAlert, clearUnconfirmedAlerts, confirmAlert } from './operator-alerts.ts';
import { alertMissingLeaders } from './sweep-leaders.ts';

/** How far the system's clock of this process is ahead of another clock, in ms. */
export interface ClockOffset {
  of: 'PostgreSQL' | 'Temporal';
  offsetMs: number;
  /** How far the measurement may be off either way: half of the time it took. */
  uncertaintyMs: number;
}

/** Certain offsets in ms from which a clock is reported, and from which its process does no provider work. */
const reportedFromMs = 2_000;
const refusedFromMs = 10_000;

/** Pause between two comparisons in ms, and while the clock is reported: a mended clock is noticed soon. */
const compareEveryMs = 60_000;
const recheckEveryMs = 5_000;
/** A slow answer says little: so many are tried, and the quickest counts. */
const tries = 3;

interface ClockWatchDeps {
  /** The process as operators see it: what it is, its host and its process id. */
  process: string;
  database: Database;
  clock: DatabaseClock;
  /** Compares with Temporal's clock; null where Temporal shows none. Throws while it does not answer. */
  compareTemporal: () => Promise<ClockOffset | null>;
  logger: { info: (facts: object, text: string) => void; warn: (facts: object, text: string) => void };
}

export interface ClockWatch {
  /** False while the clock is wrong by so much that the process must not lead sweeps or call providers. */
  isRight(): boolean;
  /** Called when `isRight` changes. */
  onChange(listener: (isRight: boolean) => void): void;
  stop(): Promise<void>;
}

/**
 * Compares the system's clock of this process with those of PostgreSQL and Temporal, now and each minute.
 * Beyond two seconds it warns and raises an operator alert `clock`, which is cleared when the clock is right
 * again or the process is gone. Also alerts to roles whose sweeps no process leads. Resolves after the first
 * comparison; a server that does not answer is compared at the next. ADR 0035.
 */
export async function watchClock(deps: ClockWatchDeps): Promise<ClockWatch> {
  const { database, clock, logger } = deps;
  const stopping = new AbortController();
  const listeners: ((isRight: boolean) => void)[] = [];
  /** The last comparison with each clock: one that fails leaves the one before in force. */
  const offsets = new Map<ClockOffset['of'], ClockOffset>();
  let right = true;
  /** Null while it is not known: a process of the same name may have raised one. */
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
      const pause = alerted === true ? recheckEveryMs : compareEveryMs;
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
      // Its alert goes with the process; the next one compares again.
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

/** By how much a clock is wrong at least, in ms. Pure. */
const certainMs = ({ offsetMs, uncertaintyMs }: ClockOffset): number =>
  Math.max(0, Math.abs(offsetMs) - uncertaintyMs);

/** Returns the comparison by which the clock is wrong most, or null. Pure. */
function worstOf(offsets: readonly ClockOffset[]): ClockOffset | null {
  return offsets.toSorted((a, b) => certainMs(b) - certainMs(a))[0] ?? null;
}
