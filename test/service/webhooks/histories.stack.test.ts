import { Client, Connection } from '@temporalio/client';
import {
  deliveryWorkflowId,
  replayWorkflowId,
  sandboxWorkflowId,
} from '../../../src/temporal/contract/ids.ts';
import { keepHistory } from '../../support/keep-history.ts';
import { idOf, keyed, paidPayment } from '../../support/refunds-and-disputes.ts';
import { type Receiver, createReceiver } from '../../support/receiver.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;
let receiver: Receiver;
let connection: Connection;
let temporal: Client;

beforeAll(async () => {
  world = await createWorld({ WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1' }, { webhooks: true });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await receiver.close();
  await connection.close();
  await world.close();
});

/** Returns the history of a run that has completed. */
const completed = (workflowId: string) =>
  eventually(async () => {
    const handle = temporal.workflow.getHandle(workflowId);
    const run = await handle.describe().catch(() => null);
    return run?.status.name === 'COMPLETED' ? handle : undefined;
  });

it('deliveries, replays and sandbox orders end with the expected results', async () => {
  let failures = 1;
  receiver = await createReceiver((_delivery, response) => {
    failures -= 1;
    response.writeHead(failures >= 0 ? 500 : 204).end();
  });
  const endpoint = await shop.call('POST', '/v1/webhook-endpoints', { url: receiver.url });
  const endpointId = idOf(endpoint);
  const since = new Date(Date.now() - 60_000).toISOString();
  const paid = await paidPayment(shop);
  const event = await eventually(async () => receiver.received.at(0)?.event);
  const delivery = await completed(deliveryWorkflowId(event.id, endpointId));
  await keepHistory('webhook-delivered', delivery);
  expect(receiver.received.filter((one) => one.event.id === event.id)).toHaveLength(2);

  const path = `/v1/webhook-endpoints/${endpointId}/replay`;
  const replay = await shop.call('POST', path, { since, status: 'all' });
  expect(replay.status).toBe(202);
  await keepHistory('webhook-replay', await completed(replayWorkflowId(idOf(replay))));

  const opened = await keyed(shop, `/v1/sandbox/payments/${paid}/disputes`, { reason: 'fraudulent' });
  expect(opened.status).toBe(201);
  const orders = await eventually(async () => {
    const ids: string[] = [];
    const query = `WorkflowType = 'sandboxWorkflow' AND TaskQueue = '${world.settings.TASK_QUEUE_PREFIX}payments'`;
    for await (const { workflowId } of temporal.workflow.list({ query })) ids.push(workflowId);
    return ids.length > 0 ? ids : undefined;
  });
  const order = orders[0] ?? '';
  expect(order).toMatch(new RegExp(`^${sandboxWorkflowId('')}`));
  await keepHistory('sandbox-order', await completed(order));
});
