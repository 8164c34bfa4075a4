import { Refusal } from '../../domain/refusals.ts';

/** Password hashes at once: each takes a core for some tens of milliseconds, which payments need as well. */
const atOnce = 2;
/** The most that wait for their turn. */
const mostWaiting = 32;

/** A bounded queue. Refuses rate_limited (429) when it is full. */
export function createHashQueue(
  limits = { atOnce, mostWaiting },
): <Result>(work: () => Promise<Result>) => Promise<Result> {
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
