import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { createTemporalClient } from '../../../src/temporal/connection.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';
import {
  disputeWorkflowId,
  refundWorkflowId,
  taskQueue,
  workflowTypes,
} from '../../../src/temporal/contract/ids.ts';
import { disputeOf, idOf, paidPayment, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For tests that are independent of each other: side by side, because they mostly wait. */
const test = it.concurrent;

let world: World;
let shop: Shop;
let client: Client;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  client = createTemporalClient(
    { address: world.settings.TEMPORAL_ADDRESS, namespace: world.settings.TEMPORAL_NAMESPACE },
    createDataConverter(createKeyring(world.settings.ENCRYPTION_KEYS)),
  );
});
afterAll(async () => {
  await client.connection.close();
  await world.close();
});

const sweep = (): Promise<{ started: number }> =>
  client.workflow.execute(workflowTypes.sweepRefundsAndDisputes, {
    workflowId: `sweep-${randomUUID()}`,
    taskQueue: taskQueue(world.settings.TASK_QUEUE_PREFIX, 'payments'),
  });
const isRunning = async (workflowId: string): Promise<boolean> =>
  (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';

describe('the sweep that follows payments', () => {
  test('a refund whose workflow was lost is submitted all the same, once', async () => {
    const id = await paidPayment(shop);
    const refundId = idOf(await refund(shop, id));
    await client.workflow.getHandle(refundWorkflowId(refundId)).terminate('lost');
    await world.database.query(
      `UPDATE refunds SET submit_after = now() - interval '1 minute' WHERE id = $1`,
      [refundId],
    );
    await Promise.all([sweep(), sweep(), sweep()]);
    await untilField(shop, `/v1/refunds/${refundId}`, 'status', 'succeeded');
    expect(await shop.read(id)).toMatchObject({ status: 'refunded', refundedCents: 2500 });
  });

  test('a dispute nobody told of is found, and one whose workflow was lost gets another', async () => {
    const id = await paidPayment(shop, '4000000000000259');
    const dispute = String((await disputeOf(shop, id))['id']);
    const workflow = client.workflow.getHandle(disputeWorkflowId(dispute));
    await workflow.terminate('lost');
    await world.database.query('DELETE FROM disputes WHERE id = $1', [dispute]);
    await world.database.query(
      `UPDATE payments SET status = 'paid', disputes_due_at = now() - interval '2 minutes' WHERE id = $1`,
      [id],
    );
    await sweep();
    expect((await disputeOf(shop, id))['id']).toBe(dispute);
    expect(await shop.read(id)).toMatchObject({ status: 'disputed' });

    await workflow.terminate('lost again');
    await world.database.query(`UPDATE disputes SET swept_at = now() - interval '6 minutes' WHERE id = $1`, [
      dispute,
    ]);
    expect(await isRunning(disputeWorkflowId(dispute))).toBe(false);
    await sweep();
    await eventually(async () => ((await isRunning(disputeWorkflowId(dispute))) ? true : undefined));
  });
});
