import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailureCategory } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type DeliveryStep, createDeliveryActivities } from '../../../src/activities/deliveries.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { insertEndpointEvent } from '../../../src/db/webhooks/events.ts';
import { leaseFirstTries } from '../../../src/db/webhooks/first-tries.ts';
import { deliveryWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { createEndpointSlots } from '../../../src/webhooks/endpoint-slots.ts';
import type { SendResult } from '../../../src/webhooks/sender.ts';
import { jsonData } from '../../support/answers.ts';
import { type Receiver, createReceiver } from '../../support/receiver.ts';
import { paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let client: Client;
const receivers: Receiver[] = [];

beforeAll(async () => {
  world = await createWorld(
    { SWEEP_SECONDS: '1', WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,1' },
    { webhooks: true },
  );
  client = new Client({ connection: await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS }) });
});
afterAll(async () => {
  await Promise.all(receivers.map((one) => one.close()));
  await client?.connection.close();
  await world.close();
});

async function receiver(answer?: Parameters<typeof createReceiver>[0]): Promise<Receiver> {
  const made = await createReceiver(answer);
  receivers.push(made);
  return made;
}

interface Merchant {
  id: string;
  shop: Shop;
}

async function newMerchant(): Promise<Merchant> {
  const id = await world.merchant();
  return { id, shop: new Shop(world.baseUrl, await world.key(id, 'sandbox')) };
}

async function addEndpoint({ shop }: Merchant, { url }: Receiver): Promise<string> {
  const answer = await shop.call('POST', '/v1/webhook-endpoints', { url });
  expect(answer.status).toBe(201);
  return (jsonData(answer) as { id: string }).id;
}

interface DeliveryRow {
  eventId: string;
  status: string;
  attempts: number;
  started: boolean;
  leased: boolean;
}

async function deliveriesTo(endpointId: string): Promise<DeliveryRow[]> {
  const { rows } = await world.database.query<DeliveryRow>(
    `SELECT event_id AS "eventId", status, attempt_count AS attempts, started_at IS NOT NULL AS started,
       leased_until IS NOT NULL AS leased
     FROM webhook_deliveries WHERE endpoint_id = $1`,
    [endpointId],
  );
  return rows;
}

const ended = (endpointId: string): Promise<DeliveryRow> =>
  eventually(async () => (await deliveriesTo(endpointId)).find(({ status }) => status !== 'pending'));

async function hasWorkflow(eventId: string, endpointId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(deliveryWorkflowId(eventId, endpointId)).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Inserts an event to one endpoint that no process was asked to deliver. */
const undispatched = ({ id }: Merchant, endpointId: string): Promise<string> =>
  insertEndpointEvent(world.database, {
    merchantId: id,
    environment: 'sandbox',
    endpointId,
    type: 'webhook.test',
    data: { message: randomUUID() },
    at: new Date(),
  });

/** Returns the delivery activities of a process whose sends are recorded and succeed. */
function activitiesCounting(sent: string[]) {
  return createDeliveryActivities({
    database: world.database,
    keyring: createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS),
    dispatcher: { dispatch: () => undefined },
    slots: createEndpointSlots(),
    send: async ({ url }): Promise<SendResult> => {
      sent.push(url);
      return { statusCode: 204, error: null, retryAfter: undefined, durationMs: 1, excerpt: null };
    },
    schedule: [0, 1_000],
    now: Date.now,
    random: () => 0.5,
  });
}

test('a delivery that succeeds at its first try has no workflow', async () => {
  const merchant = await newMerchant();
  const endpoint = await receiver();
  const endpointId = await addEndpoint(merchant, endpoint);
  await paidPayment(merchant.shop);
  const delivery = await ended(endpointId);
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, started: false, leased: false });
  expect(endpoint.received).toHaveLength(1);
  expect(await hasWorkflow(delivery.eventId, endpointId)).toBe(false);
});

test('a first try that fails is followed by a workflow, which makes the second one', async () => {
  const merchant = await newMerchant();
  let failures = 1;
  const endpoint = await receiver((_delivery, response) => {
    failures -= 1;
    response.writeHead(failures < 0 ? 204 : 500).end();
  });
  const endpointId = await addEndpoint(merchant, endpoint);
  await paidPayment(merchant.shop);
  const delivery = await ended(endpointId);
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 2, started: true, leased: false });
  expect(endpoint.received.map(({ event }) => event.id)).toEqual([delivery.eventId, delivery.eventId]);
  expect(await hasWorkflow(delivery.eventId, endpointId)).toBe(true);
});

test('twenty endpoints that hang delay no delivery to another one', async () => {
  const merchants = await Promise.all([newMerchant(), newMerchant(), newMerchant(), newMerchant()]);
  const [last, ...others] = merchants;
  const hanging = await receiver(() => undefined);
  const slowIds = await Promise.all(
    others.flatMap((merchant) =>
      Array.from({ length: 7 }, (_, at) =>
        addEndpoint(merchant, { ...hanging, url: `${hanging.url}?${at}` }),
      ),
    ),
  );
  const healthyId = await addEndpoint(last, await receiver());
  const slowRows = async (): Promise<DeliveryRow[]> => (await Promise.all(slowIds.map(deliveriesTo))).flat();

  await Promise.all(others.map(({ shop }) => paidPayment(shop)));
  await paidPayment(last.shop);
  expect(await ended(healthyId)).toMatchObject({ status: 'delivered', attempts: 1, started: false });
  expect((await slowRows()).filter(({ status }) => status !== 'pending')).toEqual([]);
  // After its first try, each of them is left to its workflow.
  await eventually(async () =>
    (await slowRows()).every(({ started, attempts }) => started && attempts >= 1) ? true : undefined,
  );
});

test('the lease of a first try is taken once, and holds back the tries of a workflow', async () => {
  const merchant = await newMerchant();
  const endpointId = await addEndpoint(merchant, await receiver());
  const eventId = await undispatched(merchant, endpointId);
  const [first, second] = await Promise.all([
    leaseFirstTries(world.database, eventId),
    leaseFirstTries(world.database, eventId),
  ]);
  expect(first.length + second.length).toBe(1);

  const sent: string[] = [];
  const activities = activitiesCounting(sent);
  const attempt = (evenIfEarly: boolean): Promise<DeliveryStep> =>
    new MockActivityEnvironment().run(() => activities.attemptDelivery({ eventId, endpointId, evenIfEarly }));
  expect(await attempt(false)).toMatchObject({ state: 'waiting', tries: 0 });
  // A redelivery is offered again, so that it is sent as soon as the lease ends.
  await expect(attempt(true)).rejects.toMatchObject({
    type: 'FirstTryUnderWay',
    nonRetryable: false,
    nextRetryDelay: 1_000,
    category: ApplicationFailureCategory.BENIGN,
  });
  expect(sent).toEqual([]);

  await world.database.query(
    `UPDATE webhook_deliveries SET leased_until = clock_timestamp() - interval '1 ms' WHERE event_id = $1`,
    [eventId],
  );
  expect(await attempt(true)).toEqual({ state: 'ended', status: 'delivered' });
  expect(sent).toHaveLength(1);
});

test('a process that ended within its lease is followed by the workflow of the delivery', async () => {
  const merchant = await newMerchant();
  const endpoint = await receiver();
  const endpointId = await addEndpoint(merchant, endpoint);
  const eventId = await undispatched(merchant, endpointId);
  expect(await leaseFirstTries(world.database, eventId)).toHaveLength(1);
  await world.database.query(
    `UPDATE webhook_deliveries SET leased_until = clock_timestamp(), next_check_at = clock_timestamp()
     WHERE event_id = $1`,
    [eventId],
  );
  expect(await ended(endpointId)).toMatchObject({ status: 'delivered', attempts: 1, started: true });
  expect(endpoint.received).toHaveLength(1);
});
