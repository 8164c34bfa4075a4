import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LeaderLock } from '../db/server/leader-lock.ts';
import { sweepLastSuccess } from '../metrics/series.ts';
import type { SweepAlerts } from './alerts.ts';
import type { Sweep } from './sweep.ts';

/** How often the locks are requested, and the leader's connection is tested, in ms. */
const lockEveryMs = 2_000;
/** How often a leader notes that it leads, and a follower checks that one does, in ms. */
const noteEveryMs = 10_000;

/** What processes know of the leaders of their roles. Faults are its own: it throws nothing. */
export interface LeaderNotes {
  /** Notes that this process leads these roles, and alerts to those that none leads. */
  note(led: readonly string[]): Promise<void>;
}

/**
 * Runs the sweeps whose lock (named after the role) this process holds, each at its own pace, until it is
 * stopped. A run that fails is repeated at the next turn. `stop` waits for the runs under way, whose calls
 * all have a deadline, and then releases the locks.
 */
export function runSweeps(deps: {
  sweeps: readonly Sweep[];
  lock: LeaderLock;
  alerts: SweepAlerts;
  notes: LeaderNotes;
  /** Reads the time of the turn from PostgreSQL. */
  beginTurn: () => Promise<unknown>;
  /** Whether this process may lead: not while its clock is wrong. */
  mayLead: () => boolean;
  logger: Pick<Logger, 'info'>;
}): { stop: () => Promise<void> } {
  const { lock, logger, alerts } = deps;
  const stopping = new AbortController();
  // Each loop waits with a listener of its own; Node warns of more than ten.
  setMaxListeners(deps.sweeps.length + 1, stopping.signal);
  const stopped = (): boolean => stopping.signal.aborted;
  const pause = (ms: number) => wait(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  const lead = async (): Promise<void> => {
    let before = '';
    let notedAt = -Infinity;
    while (!stopped()) {
      if (deps.mayLead()) await lock.refresh();
      else await lock.close();
      const led = [...lock.held()];
      const after = led.join(' ');
      if (after !== before) logger.info({ roles: after }, 'leads the sweeps of these roles');
      if (after !== before || performance.now() - notedAt >= noteEveryMs) {
        notedAt = performance.now();
        await deps.notes.note(led);
      }
      before = after;
      await pause(lockEveryMs);
    }
  };

  const follow = async (sweep: Sweep): Promise<void> => {
    const going = (): boolean => !stopped() && deps.mayLead() && lock.held().has(sweep.role);
    while (!stopped()) {
      const waited = going() ? sweep.everyMs : Math.min(sweep.everyMs, lockEveryMs / 4);
      if (going()) {
        try {
          await deps.beginTurn();
          await sweep.run(going);
          if (going()) {
            sweepLastSuccess.setToCurrentTime({ sweep: sweep.name });
            await alerts.worked(sweep.name);
          }
        } catch (error) {
          if (going()) await alerts.failed(sweep.name, error);
        }
      }
      await pause(waited);
    }
  };

  const loops = [lead(), ...deps.sweeps.map(follow)];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
      await lock.close();
    },
  };
}
