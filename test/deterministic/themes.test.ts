import { drawPutBack } from './put-back.ts';
import { Scheduler } from './scheduler.ts';
import { frozenRunLost, themeOf } from './themes.ts';
import { drawDeadlineSeconds } from './timed-checks.ts';

const seeds = Array.from({ length: 400 }, (_, index) => index + 1);
const themed = seeds.filter((seed) => themeOf(seed).length > 0);

it('is of some seeds, and puts no rows back in them', () => {
  expect(themed.length).toBeGreaterThan(100);
  expect(themed.length).toBeLessThan(180);
  expect(themed.filter((seed) => drawPutBack(seed) !== null)).toEqual([]);
});

it('gives each checkout a long deadline where runs are lost whose workers are frozen', () => {
  const losing = themed.filter((seed) => themeOf(seed).includes(frozenRunLost));
  expect(losing.length).toBeGreaterThan(50);
  expect(new Set(losing.map(drawDeadlineSeconds))).toEqual(new Set([240]));
});

it('lets its faults happen far more often than others', () => {
  const [seed] = seeds.filter((each) => themeOf(each).includes('frozen before a claim'));
  const scheduler = Object.assign(new Scheduler(seed ?? 0), { troubled: true });
  const draws = Array.from({ length: 400 }, () => scheduler.draws('frozen before a claim', 0.02));
  expect(draws.filter(Boolean).length).toBeGreaterThan(100);
  expect(scheduler.isOfTheme('frozen before a claim')).toBe(true);
  expect(scheduler.isOfTheme('answer to a commit lost')).toBe(false);
});
