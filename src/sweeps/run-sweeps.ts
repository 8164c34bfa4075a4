import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LeaderLock } from '../db/server/leader-lock.ts';
import { sweepInterval } from '../metrics/series.ts';
import type { SweepAlerts } from './alerts.ts';
import type { CheckDue } from './due-check.ts';
import type { Sweep } from './sweep.ts';
import { type Group, createTurns, groupsOf } from './turns.ts';

/** How often the locks are requested, and the leader's connection is tested, in ms. */
const lockEveryMs = 2_000;
/** How often a leader notes that it leads, and a follower checks that one does, in ms. */
const noteEveryMs = 10_000;

/** The records of which processes lead the roles. It handles its own faults and throws nothing. */
export interface LeaderRegistry {
  /** Begins a new term of a role whose lock this process has gained; null: it cannot begin now. */
  takeTerm(role: string): Promise<number | null>;
  /**
   * Notes that this process leads in these terms by role, and alerts about roles without a leader. Returns
   * false when one of the terms has ended.
   */
  note(led: ReadonlyMap<string, number>): Promise<boolean>;
}

/**
 * Runs the sweeps of the roles whose locks this process holds, each sweep at its own interval, until it is
 * stopped. One due check serves all sweeps of a role with the same interval. A sweep whose last turn still
 * runs is left out of the next turn, and a turn that fails is repeated at the next one. Once the term in
 * which a turn began has ended, PostgreSQL refuses the turn's writes. The turn then ends without an alert,
 * and this process releases its locks. `stop` waits for the turns in progress, whose calls all have a
 * deadline, and then releases the locks. ADR 0015, ADR 0080.
 */
export function runSweeps(deps: {
  sweeps: readonly Sweep[];
  lock: LeaderLock;
  alerts: SweepAlerts;
  registry: Pick<LeaderRegistry, 'note'>;
  checkDue: CheckDue;
  /** Whether this process may lead; it may not while its clock is wrong. */
  mayLead: () => boolean;
  logger: Pick<Logger, 'info'>;
}): { stop: () => Promise<void> } {
  const { lock, logger } = deps;
  const groups = groupsOf(deps.sweeps);
  const stopping = new AbortController();
  // Each loop waits with a listener of its own, and Node warns about more than ten.
  setMaxListeners(groups.length + 1, stopping.signal);
  const stopped = (): boolean => stopping.signal.aborted;
  const pause = (ms: number) => wait(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  /** Whether PostgreSQL has recorded another leader. */
  let isReplaced = false;
  /** Returns the term in which this process leads a role; null: it does not. */
  const ledTerm = (role: string): number | null =>
    !isReplaced && deps.mayLead() && lock.held().has(role) ? (lock.terms().get(role) ?? null) : null;
  /** Releases the locks when PostgreSQL refused what was sent in the present term. */
  const onRefused = (role: string, term: number): void => {
    if (lock.terms().get(role) === term) isReplaced = true;
  };

  /** Requests the locks of the roles, tests those that it holds, and notes which roles this process leads. */
  const holdLocks = async (): Promise<void> => {
    let before = '';
    let notedAt = -Infinity;
    while (!stopped()) {
      if (isReplaced) {
        await lock.close();
        logger.info({ roles: before }, 'another process leads the sweeps: the locks are given back');
        isReplaced = false;
      }
      if (deps.mayLead()) await lock.refresh();
      else await lock.close();
      const after = [...lock.held()].join(' ');
      if (after !== before) logger.info({ roles: after }, 'leads the sweeps of these roles');
      if (after !== before || performance.now() - notedAt >= noteEveryMs) {
        notedAt = performance.now();
        if (!(await deps.registry.note(lock.terms()))) isReplaced = true;
      }
      before = after;
      await pause(lockEveryMs);
    }
  };

  const turns = createTurns({ alerts: deps.alerts, checkDue: deps.checkDue, stopped, ledTerm, onRefused });

  /** Begins the turns of a group's sweeps at their interval, while this process leads their role. */
  const runGroup = async (group: Group): Promise<void> => {
    const { role, everyMs } = group;
    for (const { name } of group.sweeps) sweepInterval.set({ sweep: name }, everyMs / 1_000);
    while (!stopped()) {
      const term = ledTerm(role);
      if (term !== null) await turns.begin(group, term);
      await pause(term === null ? Math.min(everyMs, lockEveryMs / 4) : everyMs);
    }
  };

  const loops = [holdLocks(), ...groups.map(runGroup)];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
      await turns.ended();
      await lock.close();
    },
  };
}
