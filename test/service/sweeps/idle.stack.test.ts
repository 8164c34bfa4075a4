import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { eventually } from '../../support/shop.ts';
import { createWorld } from '../../support/world.ts';

it('an idle worker runs its sweeps and starts no workflow and no schedule', async () => {
  const world = await createWorld({ SWEEP_SECONDS: '1' }, { webhooks: true });
  const connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  const temporal = new Client({ connection });
  try {
    const merchantId = await world.merchant();
    for (let turn = 0; turn < 4; turn += 1) {
      // The row is gone once a turn has passed.
      await world.database.query(
        `INSERT INTO list_changes (list, merchant_id, environment, status, created_s, change)
         VALUES ('payments', $1, 'sandbox', 'pending', 1, 1)`,
        [merchantId],
      );
      await eventually(async () => {
        const { rows } = await world.database.query('SELECT FROM list_changes');
        return rows.length === 0 ? true : undefined;
      });
    }
    const prefix = world.settings.TASK_QUEUE_PREFIX;
    for (const queue of ['payments', 'provider', 'webhooks']) {
      const { count } = await temporal.workflow.count(`TaskQueue = '${prefix}${queue}'`);
      expect(count).toBe(0);
    }
    for await (const { scheduleId } of temporal.schedule.list()) expect(scheduleId).not.toContain(prefix);
  } finally {
    await connection.close();
    await world.close();
  }
});

/** Statements of an idle API and worker in three turns of the sweeps; they make about 65. */
const maxStatements = 100;

it('an idle API and worker send few statements', async () => {
  const sent: string[] = [];
  const query = Object.getOwnPropertyDescriptor(pg.Client.prototype, 'query');
  const send = query?.value as (...args: unknown[]) => unknown;
  Object.defineProperty(pg.Client.prototype, 'query', {
    ...query,
    value(this: pg.Client, ...args: unknown[]) {
      const [statement] = args;
      sent.push(typeof statement === 'string' ? statement : (statement as { text: string }).text);
      return send.apply(this, args);
    },
  });
  const world = await createWorld({}, { webhooks: true });
  try {
    await world.merchant();
    // The look of the payments' sweeps; the first turns begin once the process leads.
    const looks = () => sent.filter((text) => text.includes('FROM payment_checks')).length;
    await eventually(async () => (looks() >= 2 ? true : undefined));
    sent.length = 0;
    await sleep(15_000);
    const statements = sent.filter((text) => !/^\s*(BEGIN|COMMIT)\s*$/i.test(text));
    const counts = new Map<string, number>();
    for (const text of statements) counts.set(text, (counts.get(text) ?? 0) + 1);
    const most = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 10);
    expect({ isFew: statements.length <= maxStatements, most }).toEqual({ isFew: true, most });
    expect(looks()).toBeGreaterThanOrEqual(2);
    // A condition that PostgreSQL refuses would count as due.
    expect(world.logs.filter((line) => line.includes('what is due could not be read'))).toEqual([]);
  } finally {
    Object.defineProperty(pg.Client.prototype, 'query', query ?? {});
    await world.close();
  }
});
