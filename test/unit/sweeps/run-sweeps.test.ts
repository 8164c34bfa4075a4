import type { LeaderLock } from '../../../src/db/server/leader-lock.ts';
import type { CheckDue } from '../../../src/sweeps/due-check.ts';
import { runSweeps } from '../../../src/sweeps/run-sweeps.ts';
import type { Sweep } from '../../../src/sweeps/sweep.ts';
import { createTestLogger } from '../../support/logger.ts';
import { eventually } from '../../support/shop.ts';

const terms = new Map([
  ['payments', 1],
  ['webhooks', 2],
]);
const lock: LeaderLock = {
  refresh: async () => new Set(terms.keys()),
  held: () => new Set(terms.keys()),
  terms: () => terms,
  close: async () => undefined,
};
const [one, two, three] = [{ sql: '1' }, { sql: '2' }, { sql: '3' }];

/** Runs sweeps in a process that leads, until the test ends. Returns the sweeps whose runs failed. */
function run(sweeps: readonly Sweep[], checkDue: CheckDue): { failed: string[] } {
  const failed: string[] = [];
  const running = runSweeps({
    sweeps,
    lock,
    alerts: {
      raise: async () => undefined,
      clear: async () => undefined,
      failed: async (sweep) => void failed.push(sweep),
      worked: async () => undefined,
    },
    registry: { note: async () => true },
    checkDue,
    mayLead: () => true,
    logger: createTestLogger([]),
  });
  stops.push(running.stop);
  return { failed };
}
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});
const until = (isTrue: () => boolean) => eventually(async () => (isTrue() ? true : undefined));

it('looks once for all sweeps of a role with one interval, and each run gets what is due', async () => {
  const looks: string[] = [];
  const runs: string[] = [];
  const sweepOf = (name: string, changes: Partial<Sweep>): Sweep => ({
    ...{ name, role: 'payments', everyMs: 60_000, ...changes },
    run: async (_going, isDue) =>
      void runs.push(`${name} ${[one, two, three].map((of) => isDue?.(of)).join()}`),
  });
  run(
    [
      sweepOf('a', { conditions: [one] }),
      sweepOf('b', { conditions: [two] }),
      sweepOf('other role', { role: 'webhooks', conditions: [three] }),
      sweepOf('other interval', { everyMs: 50_000 }),
      sweepOf('figures', { readsOnly: true }),
    ],
    async ({ role, term }, conditions) => {
      looks.push(`${role} ${term} ${conditions.map(({ sql }) => sql).join()}`);
      return (condition) => condition === two;
    },
  );
  await until(() => runs.length === 5);
  expect(looks.toSorted()).toEqual(['payments 1 ', 'payments 1 1,2', 'webhooks 2 3']);
  expect(runs.toSorted()).toEqual([
    'a false,true,false',
    'b false,true,false',
    // It begins without a due check.
    'figures ,,',
    'other interval false,true,false',
    'other role false,true,false',
  ]);
});

it('a run that takes long delays no other sweep, and does not begin a second time', async () => {
  let isDone = false;
  const runs = { slow: 0, quick: 0 };
  const common = { role: 'payments', everyMs: 10 } as const;
  run(
    [
      {
        ...{ ...common, name: 'slow' },
        run: async () => {
          runs.slow += 1;
          if (runs.slow === 1) await until(() => isDone);
        },
      },
      { ...common, name: 'quick', run: async () => void (runs.quick += 1) },
    ],
    async () => () => true,
  );
  await until(() => runs.quick >= 5);
  expect(runs.slow).toBe(1);
  isDone = true;
  await until(() => runs.slow >= 2);
});

it('counts a failed run for each sweep when the due check fails, and checks again', async () => {
  let looks = 0;
  const runs: string[] = [];
  const common = { role: 'payments', everyMs: 10 } as const;
  const { failed } = run(
    ['a', 'b'].map((name) => ({ ...common, name, run: async () => void runs.push(name) })),
    async () => {
      looks += 1;
      if (looks === 1) throw new Error('away');
      return () => true;
    },
  );
  await until(() => runs.length >= 2);
  expect(failed).toEqual(['a', 'b']);
});
