import { Refusal } from '../../domain/refusals.ts';

/**
 * The maximum number of concurrent sign-ins. Hashing a password occupies a core for some tens of
 * milliseconds, which payments need.
 */
const atOnce = 1;
/** The maximum length of the queue. */
const maxWaiting = 32;

/** Runs work when its turn comes. Refuses rate_limited (429) at once when the queue is full. */
export type HashQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns a bounded queue for the work of hashing a password and everything around it. */
export function createHashQueue(limits = { atOnce, maxWaiting }): HashQueue {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= limits.atOnce) {
      if (waiting.length >= limits.maxWaiting) throw new Refusal('rate_limited', { retryAfterSeconds: 5 });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The slot passes to the next in the queue.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
