import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { type LeaderLock, createLeaderLock } from '../../../src/db/server/leader-lock.ts';
import { takeTerm } from '../../../src/db/server/sweep-leaders.ts';
import { runSweeps } from '../../../src/sweeps/run-sweeps.ts';
import type { Sweep } from '../../../src/sweeps/sweep.ts';
import { createTestLogger } from '../../support/logger.ts';
import { eventually } from '../../support/shop.ts';
import { cloneDatabase } from '../../support/world.ts';

let url: string;
let database: Database;
beforeEach(async () => {
  url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 2, applicationName: 'test' });
});
afterEach(() => database.end());

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

function lockNamed(applicationName: string, pooler: 'none' | 'transaction' = 'none'): LeaderLock {
  const lock = createLeaderLock(
    { url, pooler, applicationName },
    ['payments', 'webhooks'],
    () => undefined,
    (role) => takeTerm(database, role, applicationName),
  );
  open.push(lock);
  return lock;
}
const cut = (applicationName: string) =>
  database.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
    applicationName,
  ]);

describe.each(['none', 'transaction'] as const)('a leader, pooler %s', (pooler) => {
  it('is the only one: another leads when its connection ends, whether or not it notices', async () => {
    const [first, second] = [lockNamed('first', pooler), lockNamed('second', pooler)];
    expect([...(await first.refresh())]).toEqual(['payments', 'webhooks']);
    expect([...(await second.refresh())]).toEqual([]);
    // A repeated request takes no lock twice.
    expect([...(await first.refresh())]).toEqual(['payments', 'webhooks']);
    await cut('first');
    await eventually(async () => ((await second.refresh()).size === 2 ? true : undefined));
    // It notices the end from the connection, or at its next request at the latest.
    await eventually(async () => (first.held().size === 0 ? true : undefined));
    expect((await first.refresh()).size).toBe(0);
    await second.close();
    await eventually(async () => ((await first.refresh()).size === 2 ? true : undefined));
  });

  it('is followed when it hangs: it holds nothing by then, and is a follower when it asks again', async () => {
    const [first, second] = [lockNamed('first', pooler), lockNamed('second', pooler)];
    expect((await first.refresh()).size).toBe(2);
    const stillHeld = await eventually(async () =>
      (await second.refresh()).size === 2 ? first.held().size : undefined,
    );
    expect(stillHeld).toBe(0);
    await eventually(async () => ((await first.refresh()).size === 0 ? true : undefined));
    expect((await second.refresh()).size).toBe(2);
  });
});

it('is replaced by the other process once its connection is cut', async () => {
  const ran: string[] = [];
  const start = (name: string) => {
    const sweep: Sweep = {
      name: 'test',
      role: 'payments',
      everyMs: 50,
      run: async () => void ran.push(name),
    };
    const lock = createLeaderLock(
      { url, applicationName: name },
      ['payments'],
      () => undefined,
      (role) => takeTerm(database, role, name),
    );
    const alerts = {
      raise: async () => undefined,
      clear: async () => undefined,
      failed: async () => undefined,
      worked: async () => undefined,
    };
    const sweeps = runSweeps({
      sweeps: [sweep],
      lock,
      alerts,
      registry: { note: async () => true },
      checkDue: async () => () => true,
      mayLead: () => true,
      logger: createTestLogger([]),
    });
    open.push({ close: () => sweeps.stop() });
    return sweeps;
  };
  const first = start('one');
  await eventually(async () => (ran.includes('one') ? true : undefined));
  start('two');
  expect(ran).not.toContain('two');
  await cut('one');
  // Whichever process takes it: when the first is stopped for good, the second gets it.
  await first.stop();
  await eventually(async () => (ran.includes('two') ? true : undefined));
});
