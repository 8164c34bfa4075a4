import { createDatabaseClock } from '../../../../src/db/server/database-clock.ts';
import type { Database } from '../../../../src/db/server/database.ts';
import { databaseOf } from '../../../support/partial.ts';

/** Returns a process whose monotonic clock began at PostgreSQL's 1,000,000 ms, and the delay between them. */
function processWith() {
  let monotonic = 0;
  let postgres = 1_000_000;
  const pass = (ms: number): void => {
    monotonic += ms;
    postgres += ms;
  };
  let way = { there: 0, back: 0 };
  let isUnreachable = false;
  let readings = 0;
  const connection = databaseOf(async () => {
    readings += 1;
    if (isUnreachable) throw new Error('unreachable');
    pass(way.there);
    const rows = [{ at: postgres }];
    pass(way.back);
    return { rows };
  });
  const events = { on() {}, off() {}, release() {} };
  const database: object = { connect: async () => Object.assign(connection, events) };
  const clock = createDatabaseClock(database as Database, () => monotonic);
  return {
    clock,
    pass,
    /** Sets PostgreSQL's clock, or simulates that this process's machine stood still. */
    shift: (ms: number) => (postgres += ms),
    sync: (there: number, back: number) => {
      way = { there, back };
      return clock.sync();
    },
    error: () => clock.now() - postgres,
    fail: (whether: boolean) => (isUnreachable = whether),
    readings: () => readings,
  };
}

describe('the first reading', () => {
  it('is made once for all that wait, again after a failure, and never when there is one', async () => {
    const { clock, readings, fail } = processWith();
    fail(true);
    await expect(clock.untilSet()).rejects.toThrow('unreachable');
    fail(false);
    await Promise.all([clock.untilSet(), clock.untilSet(), clock.untilSet()]);
    await clock.untilSet();
    expect(readings()).toBe(2);
  });
});

describe('the clock of PostgreSQL in a process', () => {
  it('ignores a slow answer, because the previous reading is more exact', async () => {
    const { sync, pass, error } = processWith();
    await sync(1, 1);
    pass(60_000);
    await sync(0, 8_000);
    expect(Math.abs(error())).toBeLessThanOrEqual(1);
    await sync(8_000, 0);
    expect(Math.abs(error())).toBeLessThanOrEqual(1);
  });

  it('follows a reading that is better than the first, whatever the first was', async () => {
    const { sync, error } = processWith();
    await sync(0, 8_000);
    expect(Math.abs(error())).toBe(4_000);
    await sync(1, 3);
    expect(Math.abs(error())).toBeLessThanOrEqual(2);
  });

  it.each([-1_000, 1_000, 3_600_000])(
    'follows a reading that contradicts the previous one: %d ms',
    async (ms) => {
      const { sync, shift, error } = processWith();
      await sync(1, 1);
      shift(ms);
      await sync(50, 50);
      expect(Math.abs(error())).toBeLessThanOrEqual(50);
    },
  );

  it('trusts an old reading less, because clocks drift', async () => {
    const { sync, pass, error, shift } = processWith();
    await sync(1, 1);
    pass(3_600_000);
    // Within the tolerance of two clocks after an hour; the measured difference is smaller.
    shift(400);
    await sync(20, 20);
    expect(Math.abs(error())).toBeLessThanOrEqual(20);
  });
});
