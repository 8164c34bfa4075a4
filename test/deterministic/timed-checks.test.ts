import { checkInTime, drawDeadlineSeconds, isOfPatience } from './timed-checks.ts';

const seeds = Array.from({ length: 400 }, (_, index) => index + 1);
const isLong = (seed: number): boolean => drawDeadlineSeconds(seed) > 60;

it('gives some seeds a deadline that recovery cannot wait for', () => {
  const share = seeds.filter(isLong).length / seeds.length;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.45);
});

it('checks nothing when the deadline is near', async () => {
  const observe = () => Promise.reject(new Error('observed'));
  expect(await checkInTime(60_000, observe)).toEqual([]);
});

it('ignores a shop that stopped waiting only where the deadline is long', () => {
  const gaveUp = {
    invariant: 'I28',
    paymentId: 'p',
    detail: 'the SDK never returned how the payment ended: unknown',
  };
  const wrong = { ...gaveUp, detail: 'the SDK returned paid, the payment is pending' };
  expect(seeds.filter((seed) => isOfPatience(seed, gaveUp))).toEqual(seeds.filter(isLong));
  expect(seeds.filter((seed) => isOfPatience(seed, wrong))).toEqual([]);
});
