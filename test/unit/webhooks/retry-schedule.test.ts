import { readSettings } from '../../../src/runtime/settings.ts';
import { nextTryInMs, parseRetryAfter, parseRetrySchedule } from '../../../src/webhooks/retry-schedule.ts';

const schedule = parseRetrySchedule(
  readSettings({ DATABASE_URL: 'postgres://unused' }).WEBHOOK_RETRY_SCHEDULE_SECONDS,
);
const next = (tries: number, random = 0.5, retryAfterMs: number | null = null): number | null =>
  nextTryInMs({ schedule, tries, retryAfterMs, random });

describe('the retry schedule', () => {
  it('has ten tries over 75 hours and 35 minutes, as documented', () => {
    expect(schedule).toHaveLength(10);
    expect(schedule.map((_wait, tries) => next(tries))).toEqual(schedule);
    expect(schedule.reduce((sum, wait) => sum + wait, 0)).toBe((75 * 3600 + 35 * 60 + 5) * 1000);
    expect(next(10)).toBeNull();
  });

  it('moves each wait by at most ten percent either way', () => {
    expect([next(2, 0), next(2, 1)]).toEqual([270_000, 330_000]);
  });

  it('waits as long as the endpoint asks, up to a day, and never less than scheduled', () => {
    expect(next(1, 0.5, 60_000)).toBe(60_000);
    expect(next(3, 0.5, 60_000)).toBe(1_800_000);
    expect(next(1, 0.5, 10 * 86_400_000)).toBe(86_400_000);
    expect(next(10, 0.5, 60_000)).toBeNull();
  });

  const now = Date.parse('2026-03-01T12:00:00Z');
  it.each([
    ['120', 120_000],
    [' 5 ', 5_000],
    ['0', 0],
    ['Sun, 01 Mar 2026 12:02:00 GMT', 120_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
    ['99999999999999', null],
    [undefined, null],
  ])('reads Retry-After %p as %p ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});
