import { parseRateLimits } from '../../../src/operations/rate-limits.ts';
import { drawApiSettings } from './settings.ts';

const seeds = Array.from({ length: 200 }, (_, index) => index + 1);

it('draws the same settings for a seed, and every kind of setting for some', () => {
  expect(drawApiSettings(7)).toEqual(drawApiSettings(7));
  const drawn = seeds.map(drawApiSettings);
  const kindsOf = (of: (one: (typeof drawn)[number]) => unknown): number => new Set(drawn.map(of)).size;
  expect(kindsOf(({ rateLimits }) => rateLimits)).toBe(2);
  expect(kindsOf(({ statusSource }) => statusSource)).toBe(2);
  expect(kindsOf(({ pageWatchSeconds }) => pageWatchSeconds)).toBe(2);
  expect(kindsOf(({ shop }) => shop.customActions)).toBe(2);
  expect(kindsOf(({ shop }) => shop.refundLate)).toBe(2);
  expect(kindsOf(({ shop }) => shop.refundApprovalCents)).toBe(3);
  expect(kindsOf(({ shop }) => shop.declinesPerMerchant)).toBe(3);
  expect(kindsOf(({ shop }) => shop.declinesPerCard)).toBe(2);
});

it('draws rate limits that the service reads', () => {
  for (const { rateLimits } of seeds.map(drawApiSettings)) {
    expect(() => parseRateLimits(rateLimits)).not.toThrow();
  }
});
