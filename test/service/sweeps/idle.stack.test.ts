import { Client, Connection } from '@temporalio/client';
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
