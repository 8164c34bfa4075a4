import type { Client, WorkflowHandle } from '@temporalio/client';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { createTemporalClient } from '../../../src/temporal/connection.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';
import { disputeWorkflowId, refundWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { disputeOf, idOf, paidPayment, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let shop: Shop;
let client: Client;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600', SWEEP_SECONDS: '1' });
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

/** A dispute that only waits has no run. */
const ended = (workflow: WorkflowHandle) =>
  eventually(async () => ((await workflow.describe()).status.name === 'RUNNING' ? undefined : true));

describe('the sweeps of refunds and disputes', () => {
  test('a refund whose workflow was lost is still submitted, once', async () => {
    const id = await paidPayment(shop);
    const refundId = idOf(await refund(shop, id));
    await client.workflow.getHandle(refundWorkflowId(refundId)).terminate('lost');
    await world.database.query(
      `UPDATE refunds SET submit_after = now() - interval '1 minute', next_check_at = now() WHERE id = $1`,
      [refundId],
    );
    await untilField(shop, `/v1/refunds/${refundId}`, 'status', 'succeeded');
    expect(await shop.read(id)).toMatchObject({ status: 'refunded', refundedCents: 2500 });
  });

  test('an unreported dispute is found, and one whose workflow was lost gets a new one', async () => {
    const id = await paidPayment(shop, '4000000000000259');
    const dispute = String((await disputeOf(shop, id))['id']);
    const workflow = client.workflow.getHandle(disputeWorkflowId(dispute));
    await ended(workflow);
    await world.database.query('DELETE FROM disputes WHERE id = $1', [dispute]);
    await world.database.query(`UPDATE payments SET status = 'paid' WHERE id = $1`, [id]);
    // As if this part of the network's list had not been read yet.
    await world.database.query('DELETE FROM dispute_hints');
    await world.database.query('DELETE FROM provider_cursors');
    await eventually(async () => ((await disputeOf(shop, id))['id'] === dispute ? true : undefined));
    expect(await shop.read(id)).toMatchObject({ status: 'disputed' });

    await ended(workflow);
    const before = (await workflow.describe()).runId;
    await world.database.query('UPDATE disputes SET next_check_at = now() WHERE id = $1', [dispute]);
    await eventually(async () => ((await workflow.describe()).runId === before ? undefined : true));
    await ended(workflow);
  });
});
