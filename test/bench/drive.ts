import { setTimeout as sleep } from 'node:timers/promises';

/** One call as its caller saw it. */
export interface Done {
  tookMs: number;
  /** `ok`, or what came instead: `503 temporarily_unavailable`. */
  outcome: string;
}

export interface Drive {
  done: Done[];
  elapsedMs: number;
}

/** A step that is too slow for its least calls ends by then. */
const LONGEST_MS = 60_000;

export type Call = (index: number) => Promise<string>;

/**
 * Makes calls one after the other for each of `callers`, until `maxCalls` were made, or `seconds` are over
 * and at least `minCalls` were begun; never for longer than a minute, or `seconds` if they are more. What was
 * begun is waited for.
 */
export async function closedLoop(
  call: Call,
  {
    callers,
    maxCalls,
    minCalls = 0,
    seconds,
    signal,
  }: { callers: number; maxCalls: number; minCalls?: number; seconds: number; signal: AbortSignal },
): Promise<Drive> {
  const done: Done[] = [];
  let next = 0;
  const startedAt = performance.now();
  const goesOn = (): boolean => {
    const elapsedMs = performance.now() - startedAt;
    if (next >= maxCalls || elapsedMs >= Math.max(seconds * 1000, LONGEST_MS)) return false;
    return elapsedMs < seconds * 1000 || next < minCalls;
  };
  const caller = async (): Promise<void> => {
    while (goesOn()) {
      signal.throwIfAborted();
      const index = next;
      next += 1;
      const begunAt = performance.now();
      const outcome = await call(index);
      done.push({ tookMs: performance.now() - begunAt, outcome });
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { done, elapsedMs: performance.now() - startedAt };
}

/**
 * Begins `perSecond` calls a second whether or not earlier ones were answered. A call's time counts from the
 * moment it was planned for: that of a generator or a stack which is late is not forgotten.
 */
export async function openLoop(
  call: Call,
  { perSecond, calls, signal }: { perSecond: number; calls: number; signal: AbortSignal },
): Promise<Drive> {
  const done: Done[] = [];
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  for (let index = 0; index < calls && !signal.aborted; index += 1) {
    const plannedAt = startedAt + (index * 1000) / perSecond;
    const early = plannedAt - performance.now();
    if (early > 0) await sleep(early);
    running.push(
      call(index).then((outcome) => {
        done.push({ tookMs: performance.now() - plannedAt, outcome });
      }),
    );
  }
  await Promise.all(running);
  signal.throwIfAborted();
  return { done, elapsedMs: performance.now() - startedAt };
}

/** Makes something for each index, some at a time; returns it in order. */
export async function inParallel<T>(
  count: number,
  atOnce: number,
  make: (index: number) => Promise<T>,
): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const maker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      made[index] = await make(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, maker));
  return made;
}
