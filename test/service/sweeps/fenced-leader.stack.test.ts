import { randomUUID } from 'node:crypto';
import {
  type Database,
  inTransaction,
  openDatabase,
  runFenced,
  runUnfenced,
} from '../../../src/db/server/database.ts';
import { type LeaderLock, createLeaderLock } from '../../../src/db/server/leader-lock.ts';
import { foldListChanges } from '../../../src/db/server/list-counts.ts';
import { termCheckSql, expectLeaders, recordLeader, takeTerm } from '../../../src/db/server/sweep-leaders.ts';
import { createSweepAlerts } from '../../../src/sweeps/alerts.ts';
import { createLeaderRegistry } from '../../../src/sweeps/leader-registry.ts';
import { runSweeps } from '../../../src/sweeps/run-sweeps.ts';
import type { Sweep } from '../../../src/sweeps/sweep.ts';
import { createWebhookDispatcher } from '../../../src/webhooks/dispatcher.ts';
import type { DeliveryStarter } from '../../../src/webhooks/delivery-starter.ts';
import { createTestLogger } from '../../support/logger.ts';
import { partial } from '../../support/partial.ts';
import { eventually } from '../../support/shop.ts';
import { cloneDatabase } from '../../support/world.ts';

let url: string;
/** The test's own connections; the leaders have others. */
let database: Database;
const open: Database[] = [];
function connect(pooler: 'none' | 'transaction' = 'none'): Database {
  const pool = openDatabase({ url, pooler, poolSize: 4, applicationName: 'test' });
  open.push(pool);
  return pool;
}
beforeEach(async () => {
  url = await cloneDatabase();
  database = connect();
  await database.query('CREATE TABLE written (by text NOT NULL)');
});
const running: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((sweeps) => sweeps.stop()));
  await Promise.all(open.splice(0).map((pool) => pool.end()));
});

const written = async (): Promise<string[]> =>
  (await database.query<{ by: string }>('SELECT by FROM written')).rows.map(({ by }) => by);
const write = (to: Pick<Database, 'query'>, by: string) =>
  to.query('INSERT INTO written (by) VALUES ($1)', [by]);
const refused = { code: 'CP001' };

describe.each(['none', 'transaction'] as const)('the fence of a term, pooler %s', (pooler) => {
  /** Starts a term, and returns a function that runs work within it. */
  async function termOf(leader: string) {
    const pool = connect(pooler);
    const term = await takeTerm(pool, 'payments', leader);
    const refusals = { count: 0 };
    const fence = { check: termCheckSql('payments', term), onRefused: () => void (refusals.count += 1) };
    return { pool, term, refusals, within: <T>(work: () => Promise<T>) => runFenced(fence, work) };
  }

  it('refuses what the leader before sends, in a transaction and outside', async () => {
    const first = await termOf('one');
    await first.within(() => write(first.pool, 'one'));
    const second = await termOf('two');
    expect(second.term).toBeGreaterThan(first.term);
    await expect(first.within(() => write(first.pool, 'late'))).rejects.toMatchObject(refused);
    await expect(first.within(() => foldListChanges(first.pool, 10))).rejects.toMatchObject(refused);
    await expect(first.within(() => first.pool.query('SELECT 1'))).rejects.toMatchObject(refused);
    expect(first.refusals.count).toBe(3);
    await second.within(() => write(second.pool, 'two'));
    await second.within(() => inTransaction(second.pool, (transaction) => write(transaction, 'two')));
    expect(await written()).toEqual(['one', 'two', 'two']);
    // Outside the turn, the same connections serve other work.
    await write(first.pool, 'outside');
    expect(await written()).toContain('outside');
  });

  it('a process that leads again begins a term: what is left of its first is refused', async () => {
    const first = await termOf('one');
    const again = await termOf('one');
    await expect(first.within(() => write(first.pool, 'late'))).rejects.toMatchObject(refused);
    // It is refused even after the operator has deleted the row.
    await database.query('DELETE FROM sweep_leaders');
    await expect(again.within(() => write(again.pool, 'late'))).rejects.toMatchObject(refused);
    await expectLeaders(database, ['payments']);
    await termOf('one');
    await expect(again.within(() => write(again.pool, 'late'))).rejects.toMatchObject(refused);
    expect(await written()).toEqual([]);
  });

  it('a term waits for the transaction of the leader before', async () => {
    const first = await termOf('one');
    const steps: string[] = [];
    let next = Promise.resolve();
    await first.within(() =>
      inTransaction(first.pool, async (transaction) => {
        next = termOf('two').then(async (second) => {
          steps.push('second begins');
          await second.within(() => write(second.pool, 'two'));
        });
        await runUnfenced(async () => {
          await eventually(async () => {
            const { rowCount } = await database.query(
              `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
            );
            return rowCount === 1 ? true : undefined;
          });
          // The refresh of a leader's row does not wait for a transaction.
          expect(await recordLeader(database, new Map([['payments', first.term]]))).toEqual(
            new Set(['payments']),
          );
        });
        // A transaction that begins now is refused at once.
        await expect(write(first.pool, 'late')).rejects.toMatchObject(refused);
        await write(transaction, 'one');
        steps.push('first commits');
      }),
    );
    await next;
    expect(steps).toEqual(['first commits', 'second begins']);
    expect(await written()).toEqual(['one', 'two']);
  });

  it('a statement that PostgreSQL refuses by itself throws its own error and leaves nothing', async () => {
    const first = await termOf('one');
    const wrong = () => first.pool.query('INSERT INTO written (by) VALUES (NULL)');
    await expect(first.within(wrong)).rejects.toMatchObject({ code: '23502' });
    await first.within(() => write(first.pool, 'one'));
    expect(first.refusals.count).toBe(0);
    expect(await written()).toEqual(['one']);
  });
});

it('a worker of an earlier version that leads ends the term too', async () => {
  const term = await takeTerm(database, 'payments', 'one');
  // The row as 0.1.0 writes it.
  await database.query(
    `INSERT INTO sweep_leaders AS l (role, term, leader, refreshed_at) VALUES ('payments', 1, 'earlier', now())
     ON CONFLICT (role) DO UPDATE SET term = l.term + (l.leader <> excluded.leader)::int,
       leader = excluded.leader, refreshed_at = excluded.refreshed_at`,
  );
  const fence = { check: termCheckSql('payments', term), onRefused: () => undefined };
  await expect(runFenced(fence, () => write(database, 'late'))).rejects.toMatchObject(refused);
  expect(await recordLeader(database, new Map([['payments', term]]))).toEqual(new Set());
});

it('a statement that was first prepared in a refused transaction runs on the same connection later', async () => {
  const pool = openDatabase({ url, poolSize: 1, applicationName: 'test' });
  open.push(pool);
  const fence = { check: termCheckSql('payments', 1), onRefused: () => undefined };
  await expect(runFenced(fence, () => write(pool, 'late'))).rejects.toMatchObject(refused);
  await write(pool, 'outside');
  expect(await written()).toEqual(['outside']);
});

it('deliveries that a turn hands over begin after its term has ended', async () => {
  const faults: unknown[] = [];
  const begun: unknown[] = [];
  const dispatcher = createWebhookDispatcher({
    database,
    starter: partial<DeliveryStarter>({ startOnce: async (deliveries) => void begun.push(deliveries) }),
    firstTries: null,
    onFault: (error) => void faults.push(error),
  });
  const fence = { check: termCheckSql('payments', 1), onRefused: () => undefined };
  runFenced(fence, () => dispatcher.dispatch(randomUUID()));
  await dispatcher.close();
  expect({ faults, begun }).toEqual({ faults: [], begun: [[]] });
});

it('a leader that wakes with a lease that never ended writes nothing, alerts to nothing and follows', async () => {
  let wake = (): void => undefined;
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const lines: string[] = [];
  const turns: string[] = [];
  /** Starts a process whose sweep reads, and writes afterwards. */
  function start(name: string, isFrozen: boolean) {
    const pool = connect();
    const logger = createTestLogger(lines);
    const registry = createLeaderRegistry({ database: pool, roles: ['payments'], process: name, logger });
    const lock = createLeaderLock(
      { url, applicationName: name },
      ['payments'],
      () => undefined,
      (role) => registry.takeTerm(role),
    );
    const alerts = createSweepAlerts({ database: pool, logger, now: Date.now });
    const sweep: Sweep = {
      name: 'test',
      role: 'payments',
      everyMs: 20,
      run: async () => {
        await pool.query('SELECT by FROM written');
        turns.push(name);
        if (isFrozen && turns.length === 1) {
          await asleep;
          // The sixth failure raises an alert.
          for (let times = 0; times < 6; times += 1) await alerts.failed('test', new Error('late'));
          await inTransaction(pool, (transaction) => write(transaction, name)).catch(() => undefined);
        }
        await write(pool, name);
      },
    };
    // A frozen process: its lease does not change and its connection looks alive, until it returns its locks.
    let stale: ReadonlyMap<string, number> | null = null;
    const frozen: LeaderLock = {
      refresh: async () => {
        if (stale !== null) return asleep.then(() => new Set('payments'));
        const held = await lock.refresh();
        if (turns.length === 0) stale = new Map(lock.terms());
        return held;
      },
      held: () => (stale === null ? lock.held() : new Set(stale.keys())),
      terms: () => stale ?? lock.terms(),
      close: () => {
        stale = null;
        return lock.close();
      },
    };
    const sweeps = runSweeps({
      sweeps: [sweep],
      lock: isFrozen ? frozen : lock,
      alerts,
      registry,
      checkDue: async () => () => true,
      mayLead: () => true,
      logger,
    });
    running.push({
      stop: async () => {
        wake();
        await sweeps.stop();
      },
    });
    return sweeps;
  }
  start('one', true);
  await eventually(async () => (turns.includes('one') ? true : undefined));
  // PostgreSQL has ended the session of the lock, without the first process noticing.
  const second = start('two', false);
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'one'`,
  );
  await eventually(async () => ((await written()).includes('two') ? true : undefined));
  wake();
  const before = (await written()).length;
  await eventually(async () => ((await written()).length > before + 5 ? true : undefined));
  expect(new Set(await written())).toEqual(new Set(['two']));
  const { rows: raised } = await database.query('SELECT sweep FROM operator_alerts');
  expect(raised).toEqual([]);
  // Six warnings come from the test itself.
  const warnings = lines.filter((line) => /"level":[45]0/.test(line));
  expect(warnings.filter((line) => !line.includes('a sweep failed'))).toEqual([]);
  await second.stop();
  // The first process follows again, and leads once the second is gone.
  await eventually(async () => ((await written()).includes('one') ? true : undefined));
});
