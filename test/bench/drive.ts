import { setTimeout as sleep } from 'node:timers/promises';

/** One call as its caller observed it. */
export interface Done {
  tookMs: number;
  /** `ok`, or the unwanted answer, such as `503 temporarily_unavailable`. */
  outcome: string;
}

export interface Drive {
  done: Done[];
  elapsedMs: number;
}

/** A step that is too slow for its minimum of calls ends after this time, in ms. */
const LONGEST_MS = 60_000;

export type Call = (index: number) => Promise<string>;

/**
 * Makes calls one after the other for each of `callers`, until `most` were made, or `seconds` are over and at
 * least `least` were started; never for longer than a minute, or `seconds` if they are more. Started calls
 * are awaited.
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
 * Starts `perSecond` calls a second, whether or not earlier ones were answered. The time of a call counts
 * from its planned start, so that the delay of a late generator or stack is included.
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

/** Makes `count` items, some at a time, and returns them in order. */
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
