import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { incompatibleWorkflows, untilOpen } from '../../support/incompatible-workflows.ts';
import { PageClient } from '../../support/page-client.ts';
import { type Receiver, createReceiver } from '../../support/receiver.ts';
import { dataOf, disputeOf, idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { type Answer, Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** The time that the service has to recover from a stuck run, plus a margin for a busy machine, in ms. */
const recoveryMs = 60_000 + 30_000;
const limit = 240_000;

let world: World;
let shop: Shop;
let receiver: Receiver;
let connection: Connection;
let temporal: Client;

/** Runs that the other workflows began. Each is open when this version's worker starts. */
let opened: {
  refundId: string;
  refunded: string;
  disputeWorkflowId: string;
  disputed: string;
  ordered: string;
  order: Promise<Answer>;
  challenged: string[];
};

/** Creates a custom and a hosted payment at the customer's step. */
const challengedPayments = async (): Promise<string[]> => {
  const custom = await shop.customPayment();
  const answer = await shop.pay(custom, await shop.captureCard(custom, '4000000000003220'));
  expect(answer.body.data).toMatchObject({ status: 'requiresAction' });
  const { id, checkoutUrl } = dataOf(await shop.create()) as { id: string; checkoutUrl: string };
  const paid = await new PageClient(checkoutUrl, world.vaultUrl).payByCard('4000000000003220');
  expect(paid).toMatchObject({ status: 200 });
  for (const paymentId of [custom, id])
    expect(await shop.read(paymentId)).toMatchObject({ status: 'requiresAction' });
  return [custom, id];
};

/** Completes the step as the customer, without returning to the shop. */
const completeStep = async (id: string): Promise<void> => {
  const answer = await fetch(`${world.networkUrl}/v1/simulate/challenges/${id}:1`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.settings.NETWORK_SERVICE_KEY}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ result: 'authenticated' }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
};

const orderKey = randomUUID();
const simulateDispute = (id: string): Promise<Answer> =>
  keyed(shop, `/v1/sandbox/payments/${id}/disputes`, { reason: 'fraudulent' }, orderKey);

/** Waits until there is an open run of a kind; returns its workflow id. */
const openedOf = async (type: string): Promise<string> => {
  const query = `WorkflowType = '${type}' AND TaskQueue STARTS_WITH '${world.settings.TASK_QUEUE_PREFIX}'`;
  const workflowId = await eventually(async () => {
    for await (const run of temporal.workflow.list({ query })) return run.workflowId;
    return undefined;
  });
  await untilOpen(temporal, workflowId);
  return workflowId;
};

/** Opens a run of every kind. No worker serves provider calls, so that none of the runs ends. */
async function openRuns(): Promise<typeof opened> {
  await world.startWorker('payments,webhooks', await incompatibleWorkflows());
  // Its refund is pending at the network for three seconds.
  const refunded = await paidPayment(shop, '4000000000007726');
  const refundId = idOf(await refund(shop, refunded));
  const disputed = await paidPayment(shop, '4000000000000259');
  const ordered = await paidPayment(shop);
  const challenged = await challengedPayments();
  const disputeWorkflowId = await openedOf('disputeWorkflow');
  await untilOpen(temporal, `refund-${refundId}`);
  // Its first try has failed.
  await openedOf('deliverWebhookWorkflow');
  const order = simulateDispute(ordered);
  await openedOf('sandboxWorkflow');
  await world.stopWorker();
  return { refundId, refunded, disputeWorkflowId, disputed, ordered, order, challenged };
}

beforeAll(async () => {
  world = await createWorld(
    { SWEEP_SECONDS: '1', REFUND_DELAY_SECONDS: '0', WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,20,20,20,20' },
    { worker: false },
  );
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  temporal = new Client({ connection });
  let accepts = false;
  receiver = await createReceiver((_delivery, response) => {
    response.writeHead(accepts ? 204 : 500).end();
  });
  const endpoint = { url: receiver.url, events: ['payment.paid'] };
  dataOf(await shop.call('POST', '/v1/webhook-endpoints', endpoint));
  opened = await openRuns();
  accepts = true;
  await world.startWorker();
}, limit);
afterAll(async () => {
  await receiver.close();
  await connection.close();
  await world.close();
});

/** Independent of each other, so they wait concurrently. */
const test = it.concurrent;

describe('after workflows that produce other histories, a stuck run is replaced within a minute', () => {
  test(
    'of a refund, which succeeds at the network and in the rows, once',
    async () => {
      await eventually(async () => {
        const { status } = dataOf(await shop.call('GET', `/v1/refunds/${opened.refundId}`));
        return status === 'succeeded' ? true : undefined;
      }, recoveryMs);
      expect(await shop.read(opened.refunded)).toMatchObject({ status: 'refunded', refundedCents: 2500 });
      expect((await ledger(world.networkUrl, opened.refunded)).refunds).toHaveLength(1);
    },
    limit,
  );

  test(
    'of a delivery, which its endpoint gets',
    async () => {
      const event = receiver.received[0]?.event.id;
      await eventually(async () => {
        const { rows } = await world.database.query(
          `SELECT FROM webhook_deliveries WHERE event_id = $1 AND status = 'delivered'`,
          [event],
        );
        return rows.length === 1 ? true : undefined;
      }, recoveryMs);
    },
    limit,
  );

  test(
    'of a dispute, whose evidence is submitted by the first or a repeated call',
    async () => {
      const { id } = await disputeOf(shop, opened.disputed);
      const path = `/v1/disputes/${String(id)}`;
      await shop.call('PUT', `${path}/evidence`, { evidence: { productDescription: 'winning_evidence' } });
      const key = randomUUID();
      await eventually(async () => {
        const answer = await keyed(shop, `${path}/submit`, undefined, key);
        return answer.status === 200 ? true : undefined;
      }, recoveryMs);
      expect(dataOf(await shop.call('GET', path))).not.toMatchObject({ status: 'needsResponse' });
    },
    limit,
  );

  test(
    'of a sandbox order, which the waiting call or a repeated one returns',
    async () => {
      let answer = await opened.order;
      // A repeated call may arrive while the first one still holds the key.
      await eventually(async () => {
        if (answer.status !== 503 && answer.status !== 409) return true;
        answer = await simulateDispute(opened.ordered);
        return undefined;
      }, recoveryMs);
      expect(answer).toMatchObject({ status: 201 });
    },
    limit,
  );

  test.each([
    [0, 'custom'],
    [1, 'hosted'],
  ])(
    "of a payment at the customer's step, which is paid when the customer completed it and left (%s, %s)",
    async (index) => {
      const id = opened.challenged[index] ?? '';
      await completeStep(id);
      await eventually(
        async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined),
        recoveryMs,
      );
      const { charges } = await ledger(world.networkUrl, id);
      expect(charges.filter(({ status }) => status === 'captured')).toHaveLength(1);
    },
    limit,
  );
});

it(
  "a provider's callback for a payment whose run was deleted starts another one, and is accepted",
  async () => {
    const [id = ''] = await challengedPayments();
    const workflowId = `payment-${id}`;
    const { runId } = await temporal.workflow.getHandle(workflowId).describe();
    await temporal.workflowService.deleteWorkflowExecution({
      namespace: world.settings.TEMPORAL_NAMESPACE,
      workflowExecution: { workflowId, runId },
    });
    await eventually(() =>
      temporal.workflow
        .getHandle(workflowId)
        .describe()
        .then(
          () => undefined,
          () => true,
        ),
    );
    await completeStep(id);
    await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined), recoveryMs);
    const callbacks = world.logs.filter((line) => line.includes('/callbacks/network'));
    expect(callbacks.filter((line) => line.includes('"status":503'))).toEqual([]);
  },
  limit,
);
