import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LeaderLock } from '../db/server/leader-lock.ts';
import type { SweepAlerts } from './alerts.ts';
import type { Sweep } from './sweep.ts';

/** How often the locks are requested, and the leader's connection is tested, in ms. */
const lockEveryMs = 2_000;

/**
 * Runs the sweeps whose lock (named after the role) this process holds, each at its own pace, until it is
 * stopped. A run that fails is repeated at the next turn. `stop` waits for the runs under way, whose calls
 * all have a deadline, and then releases the locks.
 */
export function runSweeps(deps: {
  sweeps: readonly Sweep[];
  lock: LeaderLock;
  alerts: SweepAlerts;
  logger: Pick<Logger, 'info'>;
}): { stop: () => Promise<void> } {
  const { lock, logger, alerts } = deps;
  const stopping = new AbortController();
  const stopped = (): boolean => stopping.signal.aborted;
  const pause = (ms: number) => wait(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  const lead = async (): Promise<void> => {
    while (!stopped()) {
      const before = [...lock.held()].join(' ');
      const after = [...(await lock.refresh())].join(' ');
      if (after !== before) logger.info({ roles: after }, 'leads the sweeps of these roles');
      await pause(lockEveryMs);
    }
  };

  const follow = async (sweep: Sweep): Promise<void> => {
    const going = (): boolean => !stopped() && lock.held().has(sweep.role);
    while (!stopped()) {
      const waited = going() ? sweep.everyMs : Math.min(sweep.everyMs, lockEveryMs / 4);
      if (going()) {
        try {
          await sweep.run(going);
          await alerts.worked(sweep.name);
        } catch (error) {
          await alerts.failed(sweep.name, error);
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
