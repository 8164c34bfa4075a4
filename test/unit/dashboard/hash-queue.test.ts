import { createHashQueue } from '../../../src/dashboard/sign-in/hash-queue.ts';

it('runs two hashes at once, has a bounded number wait, and refuses more', async () => {
  const queued = createHashQueue({ atOnce: 2, maxWaiting: 3 });
  const ends: (() => void)[] = [];
  const work = () => new Promise<string>((resolve) => ends.push(() => resolve('done')));
  const results = Array.from({ length: 5 }, () => queued(work));
  await expect(queued(work)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 });
  expect(ends).toHaveLength(2);
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(results)).toEqual(Array.from({ length: 5 }, () => 'done'));
  // A failed one releases its place.
  await expect(queued(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queued(() => Promise.resolve('next'))).toBe('next');
});
