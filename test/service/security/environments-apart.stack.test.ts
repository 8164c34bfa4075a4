import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { Webhook } from 'standardwebhooks';
import { inTransaction } from '../../../src/db/server/database.ts';
import { disputeIdOf, recordDispute } from '../../../src/db/disputes/disputes.ts';
import { attemptKey } from '../../../src/domain/payment.ts';
import { disputeWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { keyed, paidPayment, refund, untilField, idOf } from '../../support/refunds-and-disputes.ts';
import { Shop, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** Sandbox and live use different processes of the providers, which share no data. */
let world: World;
let merchantId: string;
let sandbox: Shop;
let live: Shop;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '0' });
  merchantId = await world.merchant();
  sandbox = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  live = new Shop(world.baseUrl, await world.key(merchantId, 'live'));
});
afterAll(() => world.close());

/** Sends an order to the sandbox's network or vault itself, with the service's own credential there. */
async function order(of: 'network' | 'vault', path: string, body: object): Promise<number> {
  const { settings, networkUrl, vaultUrl } = world;
  const key = of === 'network' ? settings.NETWORK_SERVICE_KEY : settings.VAULT_SERVICE_KEY;
  const response = await fetch(`${of === 'network' ? networkUrl : vaultUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(body),
  });
  await response.body?.cancel();
  return response.status;
}

it('each environment keeps its charges at a network of its own, and its cards in a vault of its own', async () => {
  const paid = { sandbox: await paidPayment(sandbox), live: await paidPayment(live) };
  for (const [network, own, others] of [
    [world.networkUrl, paid.sandbox, paid.live],
    [world.live.networkUrl, paid.live, paid.sandbox],
  ] as const) {
    expect((await ledger(network, own)).charges.map(({ status }) => status)).toEqual(['captured']);
    expect((await ledger(network, others)).charges).toEqual([]);
  }
  const access = (await live.capture(await live.customPayment())).body.data?.['capture'];
  expect(access).toMatchObject({ url: expect.stringContaining(world.live.vaultUrl) as string });
});

it('orders of the sandbox, under any id, do not affect how a live payment is paid, refunded and queried', async () => {
  const id = await live.customPayment();
  const card = await live.captureCard(id);
  for (const paymentId of [id, undefined]) {
    for (const mode of ['timeout', 'error', 'lostResponse']) {
      await order('network', '/v1/faults', { merchantId, mode, count: 100, paymentId });
      await order('vault', '/service/faults', { merchantId, mode, count: 100, paymentId });
    }
  }
  await order('network', `/v1/simulate/charges/${attemptKey(id, 1)}`, { merchantId, outcome: 'declined' });
  expect((await live.pay(id, card)).status).toBe(200);
  expect(await live.read(id)).toMatchObject({ status: 'paid' });

  const clock = { merchantId, paymentId: id, checkoutExpiresAt: '2020-01-01T00:00:00Z' };
  await order('network', '/v1/simulate/clock', clock);
  const dispute = { merchantId, paymentId: id, reason: 'fraudulent' };
  expect(await order('network', '/v1/simulate/disputes', dispute)).toBe(409);
  const refunded = idOf(await refund(live, id, { amountCents: 100 }));
  await order('network', `/v1/simulate/refunds/${refunded}`, { merchantId, outcome: 'failed' });
  await untilField(live, `/v1/refunds/${refunded}`, 'status', 'succeeded');
  const { charges, refunds } = await ledger(world.live.networkUrl, id);
  expect([charges.length, refunds.length]).toEqual([1, 1]);
});

it("a hint that the sandbox's network signed is ignored for live payments", async () => {
  const id = await paidPayment(live);
  const connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  const temporal = new Client({ connection });
  const hint = async (disputeId: string, secret: string): Promise<number> => {
    const body = JSON.stringify({ type: 'dispute.updated', paymentId: id, disputeId });
    const at = new Date();
    const response = await fetch(`${world.baseUrl}/callbacks/network`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
      },
      body,
    });
    return response.status;
  };
  const begun = (disputeId: string) =>
    temporal.workflow.getHandle(disputeWorkflowId(disputeIdOf(disputeId))).describe();
  try {
    expect(await hint('dp_sandbox', world.settings.NETWORK_CALLBACK_SECRET)).toBe(204);
    expect(await hint('dp_live', world.settings.LIVE_NETWORK_CALLBACK_SECRET)).toBe(204);
    expect(await hint('dp_none', `whsec_${Buffer.alloc(32, 'another').toString('base64')}`)).toBe(401);
    await begun('dp_live');
    for (const none of ['dp_sandbox', 'dp_none']) {
      await expect(begun(none)).rejects.toBeInstanceOf(WorkflowNotFoundError);
    }
  } finally {
    await connection.close();
  }
});

it("a dispute that the sandbox's network reports for a live payment names an unknown payment", async () => {
  const id = await paidPayment(live);
  const report = (environment: 'sandbox' | 'live') =>
    inTransaction(world.database, (transaction) =>
      recordDispute(
        transaction,
        {
          providerReference: `dp_${id}`,
          paymentId: id,
          connectorId: null,
          environment,
          chargeReference: null,
          amountCents: 2_500,
          reason: 'fraudulent',
          stage: 'chargeback',
          status: 'needsResponse',
          resolution: null,
          evidenceDueAt: new Date(Date.now() + 86_400_000),
          createdAt: new Date(),
        },
        new Date(),
      ),
    );
  expect(await report('sandbox')).toBe('unknown_payment');
  expect(await report('live')).toMatchObject({ row: { paymentId: id } });
});

it("live payments work while the sandbox's providers are unavailable", async () => {
  const before = await live.customPayment();
  await Promise.all([world.network.close(), world.vault.close()]);
  expect((await live.pay(before, await live.captureCard(before))).status).toBe(200);
  expect((await live.read(before))['status']).toBe('paid');
  const response = await fetch(`${world.live.networkUrl}/v1/simulate/disputes`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.settings.LIVE_NETWORK_SERVICE_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ merchantId, paymentId: before, reason: 'fraudulent' }),
  });
  // Its own network refuses such orders for live money too.
  expect(response.status).toBe(409);
  expect((await keyed(live, `/v1/sandbox/payments/${before}/disputes`, { reason: 'x' })).status).toBe(404);
});
