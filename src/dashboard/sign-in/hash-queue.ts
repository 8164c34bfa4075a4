import { Refusal } from '../../domain/refusals.ts';

/** Sign-ins at once: hashing a password takes a core for some tens of milliseconds, which payments need. */
const atOnce = 1;
/** The most that wait for their turn. */
const mostWaiting = 32;

/** Runs work in its turn. Refuses rate_limited (429) at once when the queue is full. */
export type HashQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns a bounded queue, for work that hashes a password and all that belongs to it. */
export function createHashQueue(limits = { atOnce, mostWaiting }): HashQueue {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= limits.atOnce) {
      if (waiting.length >= limits.mostWaiting) throw new Refusal('rate_limited', { retryAfterSeconds: 5 });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place passes to the next in line.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
