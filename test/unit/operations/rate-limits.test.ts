import { createRateLimiter, parseRateLimits } from '../../../src/operations/rate-limits.ts';
import { databaseOf } from '../../support/partial.ts';

const maxKept = 10_000;

/** Returns a limiter whose every bucket refuses for ten seconds, and counts the statements. */
function refusing() {
  const work = { statements: 0 };
  const clock = { now: 1_000 };
  const database = databaseOf(async () => {
    work.statements += 1;
    return { rows: [{ refused: 1, waitMs: 10_000, remaining: 0 }] };
  });
  const limiter = createRateLimiter({ database, limits: parseRateLimits(''), now: () => clock.now });
  const take = (subject: number) => limiter.take([{ name: 'failures', subject: String(subject) }]);
  return { work, clock, take };
}

it('forgets only the oldest refusal when its memory is full', async () => {
  const { work, take } = refusing();
  for (let subject = 0; subject <= maxKept; subject += 1) await take(subject);
  expect(work.statements).toBe(maxKept + 1);
  for (let subject = 1; subject <= maxKept; subject += 1) await take(subject);
  expect(work.statements).toBe(maxKept + 1);
  await take(0);
  expect(work.statements).toBe(maxKept + 2);
});

it('asks the database again once a bucket would admit', async () => {
  const { work, clock, take } = refusing();
  await take(1);
  clock.now += 9_999;
  expect(await take(1)).toMatchObject({ admitted: false, retryAfterSeconds: 1 });
  expect(work.statements).toBe(1);
  clock.now += 1;
  await take(1);
  expect(work.statements).toBe(2);
});
