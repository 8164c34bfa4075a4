import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/harness/random.ts';
import type { Change } from './change-plan.ts';
import { freezeLeader } from './frozen-leader.ts';
import { captureDeclined } from './late-captures.ts';
import { loseRuns } from './lost-runs.ts';
import type { Made } from './made.ts';
import { moveDisputes } from './moving-disputes.ts';
import type { Plan } from './plan.ts';
import { putRowsBack } from './put-back.ts';
import { shiftClock } from './shifted-clock.ts';
import type { Stack } from './stack.ts';
import { switchBuilds } from './switch-builds.ts';

/** The tools that a change works with. */
export interface ChangeContext {
  stack: Stack;
  /** The builds that run in turn. */
  builds: readonly string[];
  /** The schedule's payments were created after this time. */
  since: Date;
  random: Random;
  note: (line: string) => void;
  made: Made;
  /** Aborted when the schedule's payments are over. */
  over: AbortSignal;
}

/** The tools of a change that only the network makes. */
export interface NetworkContext extends Pick<ChangeContext, 'since' | 'note' | 'made' | 'over'> {
  stack: Pick<Stack, 'databaseUrl' | 'networkUrl' | 'networkKey' | 'network' | 'simulateAtNetwork'>;
}

/** A change in progress. */
export interface ChangeUnderWay {
  /** Resolves when payments may begin. */
  ready: Promise<void>;
  /** Resolves when every part that belongs to the faults is done. */
  done: Promise<void>;
  /** Undoes the change at the end of the faults, when the system is not healthy without that. */
  heal: () => void;
  /** Resolves when the part that outlasts the faults is over. */
  end: () => Promise<void>;
}

/** Does nothing more. */
const nothing = async (): Promise<void> => undefined;

/** Starts the change of a plan while its payments run. */
export function beginChange(plan: Plan, context: Omit<ChangeContext, 'random'>): ChangeUnderWay {
  if (plan.change === null) return { ready: nothing(), done: nothing(), heal() {}, end: nothing };
  const { note } = context;
  const underWay = begin(plan.change, { ...context, random: new Random(plan.seed ^ 0x3c6ef372) });
  // Other faults may keep the system down for long. A change that was not made is not judged.
  const done = underWay.done.catch((error: unknown) => note(`the change was given up: ${String(error)}`));
  return { ...underWay, done };
}

function begin(change: Change, context: ChangeContext): ChangeUnderWay {
  const only = (done: Promise<void>): ChangeUnderWay => ({
    ready: nothing(),
    done,
    heal() {},
    end: nothing,
  });
  switch (change.kind) {
    case 'two-builds':
      return only(switchBuilds(change, context));
    case 'shifted-clock':
      return shiftClock(change, context);
    case 'rows-put-back':
      return only(putRowsBack(change, context));
    case 'frozen-leader':
      return freezeLeader(change, context);
    case 'moving-disputes':
      return only(moveDisputes(change, context));
    case 'capture-after-decline':
      return only(captureDeclined(change, context));
    case 'lost-runs':
      return only(loseRuns(change, context));
  }
}

/** Waits, and ends early when the schedule is over. */
export async function pause(ms: number, { over }: Pick<ChangeContext, 'over'>): Promise<void> {
  await sleep(ms, undefined, { signal: over }).catch(() => undefined);
}

/**
 * Calls `look` repeatedly until it finds something; returns null when `withinMs` have passed. A call that
 * fails, because a system is down, counts as finding nothing.
 */
export async function untilFound<Found>(
  look: () => Promise<Found | null | undefined>,
  withinMs: number,
  context: Pick<ChangeContext, 'over'>,
  everyMs = 100,
): Promise<Found | null> {
  const untilMs = Date.now() + withinMs;
  while (Date.now() < untilMs && !context.over.aborted) {
    const found = await look().catch(() => null);
    if (found !== null && found !== undefined) return found;
    await pause(everyMs, context);
  }
  return null;
}
