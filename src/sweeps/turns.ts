import { isFenceRefusal, runFenced } from '../db/server/database.ts';
import type { DueCondition } from '../db/server/due-work.ts';
import { termCheckSql } from '../db/server/sweep-leaders.ts';
import { sweepLastSuccess } from '../metrics/series.ts';
import type { SweepAlerts } from './alerts.ts';
import type { CheckDue } from './due-check.ts';
import { type IsDue, type Sweep, everythingIsDue } from './sweep.ts';

/** Sweeps that begin at the same time. */
export type Group = Pick<Sweep, 'role' | 'everyMs' | 'readsOnly'> & {
  sweeps: Sweep[];
  conditions: DueCondition[];
};

/** Returns the sweeps by role and interval, and those that only read apart from the others. */
export function groupsOf(sweeps: readonly Sweep[]): Group[] {
  const groups = new Map<string, Group>();
  for (const sweep of sweeps) {
    const { role, everyMs, readsOnly } = sweep;
    const key = `${role} ${everyMs} ${readsOnly === true}`;
    const group = groups.get(key) ?? {
      ...{ role, everyMs, ...(readsOnly && { readsOnly }) },
      sweeps: [],
      conditions: [],
    };
    group.sweeps.push(sweep);
    // Always all of them: the statement's text must not vary, because it is prepared by name.
    group.conditions.push(...(sweep.conditions ?? []));
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * Returns the turns of a process. `begin` checks what is due and begins the turns of a group's sweeps, as the
 * leader in this term; it does not wait for them. A sweep whose last turn still runs is left out. `ended`
 * resolves when the turns in progress are over. Neither throws.
 */
export function createTurns(deps: {
  alerts: SweepAlerts;
  checkDue: CheckDue;
  stopped: () => boolean;
  /** Returns the term in which this process leads a role now; null: it does not. */
  ledTerm: (role: string) => number | null;
  /** Called when PostgreSQL refused what was sent in a term. */
  onRefused: (role: string, term: number) => void;
}): { begin: (group: Group, term: number) => Promise<void>; ended: () => Promise<void> } {
  const { alerts, checkDue, stopped, ledTerm } = deps;
  /** The turns in progress. */
  const turns = new Map<Sweep, Promise<void>>();

  const begin = async ({ role, sweeps, conditions, readsOnly }: Group, term: number): Promise<void> => {
    const free = sweeps.filter((sweep) => !turns.has(sweep));
    if (free.length === 0) return;
    // The term is compared too: a turn that hung may continue in a process that leads again, in a later term.
    const going = (): boolean => !stopped() && ledTerm(role) === term;
    const onRefused = (): void => deps.onRefused(role, term);
    const fenced = <T>(work: () => T): T => runFenced({ check: termCheckSql(role, term), onRefused }, work);
    const fail = async (sweep: Sweep, error: unknown): Promise<void> => {
      if (going()) await fenced(() => alerts.failed(sweep.name, error));
    };
    const runTurn = async (sweep: Sweep, isDue: IsDue): Promise<void> => {
      try {
        await (readsOnly ? sweep.run(going) : fenced(() => sweep.run(going, isDue)));
        if (!going()) return;
        sweepLastSuccess.setToCurrentTime({ sweep: sweep.name });
        await fenced(() => alerts.worked(sweep.name));
      } catch (error) {
        await fail(sweep, error);
      }
    };
    try {
      const isDue = readsOnly ? everythingIsDue : await checkDue({ role, term }, conditions);
      if (!going()) return;
      for (const sweep of free) {
        turns.set(
          sweep,
          runTurn(sweep, isDue).finally(() => turns.delete(sweep)),
        );
      }
    } catch (error) {
      if (isFenceRefusal(error)) onRefused();
      else await Promise.all(free.map((sweep) => fail(sweep, error)));
    }
  };

  return {
    begin,
    ended: async () => {
      await Promise.all(turns.values());
    },
  };
}
