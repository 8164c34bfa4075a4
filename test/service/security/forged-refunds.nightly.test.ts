import { randomUUID } from 'node:crypto';
import { type Client, defaultPayloadConverter } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { Webhook } from 'standardwebhooks';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { createTemporalClient } from '../../../src/temporal/connection.ts';
import { refundWorkflowId, workflowTypes } from '../../../src/temporal/contract/ids.ts';
import { refundChangedSignal } from '../../../src/temporal/contract/refund.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';
import { endByHand, firstReport, historyOf, runningActivity } from '../../support/by-hand.ts';
import { idOf, keyed, paidPayment, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, ledger } from '../../support/shop.ts';
import { type TcpRelay, tcpRelay } from '../../support/harness/tcp-relay.ts';
import { type World, createWorld } from '../../support/world.ts';

/**
 * An attacker with access to Temporal, or to the address that the network calls, tries to make a payment look
 * refunded although its money never went back.
 */

let world: World;
let wayToNetwork: TcpRelay;
let shop: Shop;
/** A client with the service's keys. */
let client: Client;

beforeAll(async () => {
  wayToNetwork = await tcpRelay();
  const NETWORK_URL = `http://127.0.0.1:${wayToNetwork.port}`;
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600', NETWORK_URL });
  wayToNetwork.targetPort = Number(new URL(world.networkUrl).port);
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  client = createTemporalClient(
    { address: world.settings.TEMPORAL_ADDRESS, namespace: world.settings.TEMPORAL_NAMESPACE },
    createDataConverter(createKeyring(world.settings.ENCRYPTION_KEYS)),
  );
});
afterEach(() => wayToNetwork.be('pass'));
afterAll(async () => {
  await client.connection.close();
  await world.close();
  await wayToNetwork.close();
});

/** Creates a refund of a paid payment that was not sent yet and may be canceled. */
async function cancelable(): Promise<{ paymentId: string; refundId: string; workflowId: string }> {
  const paymentId = await paidPayment(shop);
  const refundId = idOf(await refund(shop, paymentId));
  return { paymentId, refundId, workflowId: refundWorkflowId(refundId) };
}

/** Makes the service send a refund. */
const goOn = (workflowId: string): Promise<void> =>
  client.workflow.getHandle(workflowId).signal(refundChangedSignal, { submitNow: true, eventIds: [] });

/** Creates a refund that is sent repeatedly to a network that does not answer. */
async function unanswered() {
  const sent = await cancelable();
  wayToNetwork.be('hold');
  // The row of a refund that can no longer be canceled.
  await world.database.query(
    `UPDATE refunds SET submit_after = created_at, next_check_at = now() WHERE id = $1`,
    [sent.refundId],
  );
  await goOn(sent.workflowId);
  return sent;
}

/** Creates a refund that the network made, and returns the id of its workflow. */
async function made() {
  const done = await cancelable();
  await keyed(shop, `/v1/sandbox/refunds/${done.refundId}/outcome`, { outcome: 'succeeded' });
  await untilField(shop, `/v1/refunds/${done.refundId}`, 'status', 'succeeded');
  await client.workflow.getHandle(done.workflowId).result();
  return done;
}

/** Checks that merchant reads, network and events show that no money went back. */
async function expectNothingBack(paymentId: string, refundId: string, status: string): Promise<void> {
  expect((await shop.call('GET', `/v1/refunds/${refundId}`)).body.data).toMatchObject({ status });
  expect(await shop.read(paymentId)).toMatchObject({ status: 'paid', refundedCents: 0 });
  const { rows } = await world.database.query<{ type: string }>(
    'SELECT type FROM events WHERE payment_id = $1',
    [paymentId],
  );
  const types = rows.map(({ type }) => type);
  expect(types).toContain('payment.paid');
  expect(types.filter((type) => /succeeded|refunded/.test(type))).toEqual([]);
  const refunds = (await ledger(world.networkUrl, paymentId)).refunds.map((each) => each.status);
  expect(refunds.filter((each) => each === 'succeeded')).toEqual([]);
}

const succeeded = { status: 'succeeded', paymentStatus: 'refunded', nextLookInMs: null };

it.each([
  ['in clear', async () => defaultPayloadConverter.toPayload(succeeded)],
  ['sealed, of another refund', async () => firstReport(client, (await made()).workflowId)],
] satisfies [string, () => Promise<Payload>][])(
  'an activity completed by hand refunds nothing, and the network is queried again: %s',
  async (_what, forge) => {
    const payload = await forge();
    const { paymentId, refundId, workflowId } = await unanswered();
    const activityId = await runningActivity(client, workflowId, 'followRefund');
    await endByHand(client, { workflowId, activityId }, { completed: payload });
    await runningActivity(client, workflowId, 'followRefund', [activityId]);
    await expectNothingBack(paymentId, refundId, 'pending');

    wayToNetwork.be('pass');
    await untilField(shop, `/v1/refunds/${refundId}`, 'status', 'succeeded');
    expect((await ledger(world.networkUrl, paymentId)).refunds.map(({ status }) => status)).toEqual([
      'succeeded',
    ]);
  },
);

it('an old report of a refund that has failed since does not refund it again', async () => {
  const { paymentId, refundId, workflowId } = await made();
  const [started] = await historyOf(client, workflowId);
  const { input = null, taskQueue = null } = started?.workflowExecutionStartedEventAttributes ?? {};
  const report = await firstReport(client, workflowId);
  await keyed(shop, `/v1/sandbox/refunds/${refundId}/outcome`, { outcome: 'failed' });
  await untilField(shop, `/v1/payments/${paymentId}`, 'refundedCents', 0);

  await client.workflow.getHandle(workflowId).result();

  // Starts its own workflow again, with its own sealed input and a signal with its own earlier report.
  const { namespace } = client.options;
  await client.workflowService.startWorkflowExecution({
    namespace,
    workflowId,
    requestId: randomUUID(),
    workflowType: { name: workflowTypes.refund },
    taskQueue,
    input,
  });
  await client.workflowService.signalWorkflowExecution({
    namespace,
    workflowExecution: { workflowId },
    signalName: refundChangedSignal.name,
    input: { payloads: [report] },
  });
  // The service's own answer about a refund that is due.
  await goOn(workflowId);
  expect(await client.workflow.getHandle(workflowId).result()).toEqual({ status: 'failed' });
  expect((await shop.call('GET', `/v1/refunds/${refundId}`)).body.data).toMatchObject({ status: 'failed' });
  expect(await shop.read(paymentId)).toMatchObject({ status: 'paid', refundedCents: 0 });
  expect((await ledger(world.networkUrl, paymentId)).refunds.map(({ status }) => status)).toEqual(['failed']);
});

it.each([
  ['in clear', async () => defaultPayloadConverter.toPayload({ submitNow: true, eventIds: [] })],
  [
    'sealed, of another refund',
    async () => {
      const events = await historyOf(client, (await made()).workflowId);
      const signaled = events.find((event) => event.workflowExecutionSignaledEventAttributes);
      return signaled?.workflowExecutionSignaledEventAttributes?.input?.payloads?.[0];
    },
  ],
] satisfies [string, () => Promise<Payload | null | undefined>][])(
  'a signal by hand sends no refund that may still be canceled: %s',
  async (_what, forge) => {
    const payload = await forge();
    if (!payload) throw new Error('there is nothing to send again');
    const { paymentId, refundId, workflowId } = await cancelable();
    await client.workflowService.signalWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId },
      signalName: refundChangedSignal.name,
      input: { payloads: [payload] },
    });
    // By now the workflow has processed it, whatever the result.
    await client.workflow.getHandle(workflowId).query('__stack_trace');
    await expectNothingBack(paymentId, refundId, 'pending');
    expect((await shop.call('POST', `/v1/refunds/${refundId}/cancel`)).status).toBe(200);
    await expectNothingBack(paymentId, refundId, 'canceled');
    expect((await ledger(world.networkUrl, paymentId)).refunds).toEqual([]);
  },
);

describe('a callback', () => {
  const secretOfNetwork = (): string => world.settings.NETWORK_CALLBACK_SECRET;

  async function call(
    claim: object,
    { secret = secretOfNetwork(), at = new Date(), sent = JSON.stringify(claim) } = {},
  ): Promise<number> {
    const response = await fetch(`${world.baseUrl}/callbacks/network`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('msg_1', at, JSON.stringify(claim)),
      },
      body: sent,
    });
    return response.status;
  }

  it('that claims a refund is not trusted from any sender, also not from the network itself or twice', async () => {
    const { paymentId, refundId } = await unanswered();
    const amounts = { amountCents: 2_500, refundedCents: 2_500 };
    const claim = { type: 'refund.updated', paymentId, refundKey: refundId, status: 'succeeded', ...amounts };
    const stranger = `whsec_${Buffer.alloc(32, 'stranger').toString('base64')}`;
    const anHourAgo = new Date(Date.now() - 3_600_000);
    expect(await call(claim, { secret: stranger })).toBe(401);
    expect(await call(claim, { at: anHourAgo })).toBe(401);
    expect(await call({ type: 'charge.updated', paymentId }, { sent: JSON.stringify(claim) })).toBe(401);
    for (const forged of [
      claim,
      claim,
      { ...claim, type: 'refund.succeeded' },
      { ...claim, type: 'charge.updated', status: 'refunded' },
      { ...claim, type: 'payment.refunded', refundKey: undefined },
    ]) {
      expect(await call(forged)).toBe(204);
    }
    await expectNothingBack(paymentId, refundId, 'pending');
    wayToNetwork.be('pass');
    await untilField(shop, `/v1/refunds/${refundId}`, 'status', 'succeeded');
    expect((await ledger(world.networkUrl, paymentId)).refunds).toHaveLength(1);
  });

  it('about a refund that may still be canceled sends nothing, and one about a foreign payment changes nothing', async () => {
    const { paymentId, refundId } = await cancelable();
    const other = await paidPayment(shop);
    expect(await call({ type: 'refund.updated', paymentId, refundKey: refundId })).toBe(204);
    expect(await call({ type: 'refund.updated', paymentId: other, refundKey: refundId })).toBe(204);
    await client.workflow.getHandle(refundWorkflowId(refundId)).query('__stack_trace');
    await expectNothingBack(paymentId, refundId, 'pending');
    expect(await shop.read(other)).toMatchObject({ status: 'paid', refundedCents: 0 });
    expect((await ledger(world.networkUrl, paymentId)).refunds).toEqual([]);
  });
});
