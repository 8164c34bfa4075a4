import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../scripts/lib/problem.mjs';
import { type Links, type Role, links } from './links.ts';
import { type Load, recoveryOf } from './load.ts';
import { signalTree } from './process-tree.ts';

/** The process that is killed or frozen, by role. */
const victims: Record<Role, string> = {
  history: 'temporal-history-1',
  matching: 'temporal-matching-1',
  worker: 'worker-1',
  api: 'api-2',
  visibility: 'postgres-visibility',
  frontend: 'temporal-frontend-1',
};

const ways = ['killed', 'frozen', 'cut'] as const;

/** One fault of the drill. */
export interface Strike {
  role: Role;
  way: (typeof ways)[number];
}

/** The result of a strike, for one line of the report. */
export interface Outcome {
  title: string;
  isInTime: boolean;
  seen: string;
}

/** How long a process is frozen, or a connection cut. */
const faultMs = 20_000;
/**
 * Limits, in ms: for a history host that is killed or frozen, for a frozen matching host, and for everything
 * else. The workers' polls stay with a hanging matching host until it continues or their minute is over. All
 * payments of that time complete afterwards.
 */
const historyWithinMs = 15_000;
const hangingMatchingWithinMs = 60_000;
const usualWithinMs = 30_000;
/** The shortest and the longest observation of payments after a fault began, in ms. */
const shortestMs = 8_000;
const longestMs = 62_000;
/** A client ends within this time while there is no fault, in ms. */
const usualClientMs = 8_000;
/** How long pays must succeed before a fault, and the longest wait for that, in ms. */
const wellForMs = 8_000;
const maxWaitBeforeMs = 60_000;
const pollMs = 500;

/** The names that `--only` accepts. */
export const choices = [...Object.keys(victims), ...ways];

/**
 * Returns the strikes of `--only`, comma-separated names of roles and ways: those of each named role and way.
 * Without a named role all roles are used, and without a named way all ways. Throws Problem.
 */
export function strikesOf(only: string | undefined): Strike[] {
  const named = only?.split(',') ?? [];
  const unknown = named.filter((name) => !choices.includes(name));
  if (unknown.length > 0) throw new Problem(`--only must name some of: ${choices.join(', ')}`);
  const isNamed = (all: readonly string[]) => {
    const chosen = all.filter((name) => named.includes(name));
    return (name: string): boolean => chosen.length === 0 || chosen.includes(name);
  };
  const roles = (Object.keys(victims) as Role[]).filter(isNamed(Object.keys(victims)));
  const chosenWays = ways.filter(isNamed(ways));
  return roles.flatMap((role) => chosenWays.map((way) => ({ role, way })));
}

interface Field {
  /** Returns the process id of a process of the stack. */
  pidOf: (name: string) => number | undefined;
  relays: Links;
  load: Load;
  signal: AbortSignal;
}

/**
 * Strikes one process once pays succeed steadily, and waits until they succeed again and no client waits
 * longer than usual, a minute at most. An aborted signal ends the fault and rejects.
 */
export async function strike(field: Field, { role, way }: Strike): Promise<Outcome> {
  const { load, signal } = field;
  const { from, to } = links[role];
  await untilWell(load, signal);
  const fromMs = Date.now();
  if (way === 'cut') {
    const relay = field.relays[role];
    relay.be('hold');
    await sleep(faultMs, undefined, { signal }).finally(() => relay.be('pass'));
  } else {
    const name = victims[role];
    const pid = field.pidOf(name);
    if (pid === undefined) throw new Problem(`there is no process ${name}`);
    signalTree(pid, way === 'killed' ? 'SIGKILL' : 'SIGSTOP');
    if (way === 'frozen') {
      await sleep(faultMs, undefined, { signal }).finally(() => signalTree(pid, 'SIGCONT'));
    }
  }
  const faultOverMs = Date.now() - fromMs;
  const isCalm = await untilCalm(load, fromMs, fromMs + Math.max(shortestMs, faultOverMs + pollMs), signal);
  const recovery = recoveryOf(load.history, fromMs, Date.now());
  const withinMs = objectiveOf(role, way);
  const title = way === 'cut' ? `${from} cut off from ${to} for 20 s` : `${victims[role]} ${faultText[way]}`;
  return {
    title,
    isInTime: recovery !== undefined && recovery.afterMs <= withinMs,
    seen: [
      recovery === undefined
        ? 'pays do not succeed'
        : `pays succeed after ${(recovery.afterMs / 1000).toFixed(1)} s`,
      `at most ${withinMs / 1000} s`,
      ...(recovery ? [`slowest pay ${(recovery.slowestMs / 1000).toFixed(1)} s`] : []),
      ...(recovery?.laterBad ? [`${recovery.laterBad} later calls failed`] : []),
      ...(isCalm ? [] : ['clients still wait']),
    ].join(', '),
  };
}

function objectiveOf(role: Role, way: Strike['way']): number {
  if (role === 'history' && way !== 'cut') return historyWithinMs;
  return role === 'matching' && way === 'frozen' ? hangingMatchingWithinMs : usualWithinMs;
}

const faultText = { killed: 'killed', frozen: 'frozen for 20 s' };

/** Waits, a minute at most, until the previous fault has no effect any more, so that each is judged alone. */
async function untilWell(load: Load, signal: AbortSignal): Promise<void> {
  const beganMs = Date.now();
  for (let now = beganMs; now < beganMs + maxWaitBeforeMs; now = Date.now()) {
    const isWell = recoveryOf(load.history, now - wellForMs, now) !== undefined;
    if (isWell && load.oldestMs() < usualClientMs) return;
    await sleep(pollMs, undefined, { signal });
  }
}

/** Waits until pays have succeeded again and no client is slow. Returns false when that took too long. */
async function untilCalm(
  load: Load,
  fromMs: number,
  notBeforeMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    await sleep(pollMs, undefined, { signal });
    const now = Date.now();
    const isCalm =
      now >= notBeforeMs &&
      load.oldestMs() < usualClientMs &&
      recoveryOf(load.history, fromMs, now) !== undefined;
    if (isCalm) return true;
    if (now > fromMs + longestMs) return false;
  }
}
