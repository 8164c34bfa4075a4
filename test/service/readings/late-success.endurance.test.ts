import { execFileSync } from 'node:child_process';
import { jsonData } from '../../support/answers.ts';
import { type Receiver, createReceiver } from '../../support/receiver.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { inTransaction } from '../../../src/db/server/database.ts';
import { recordAnswer } from '../../../src/db/payments/attempt-answers.ts';
import { refundLate } from '../../../src/db/refunds/late-refunds.ts';
import { loadPayment } from '../../../src/db/payments/payments.ts';
import type { Transition } from '../../../src/domain/transition.ts';
import { commitTransition } from '../../../src/db/payments/transitions.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

/** The network charges this card, but answers only after the checkout's deadline. */
const lateCard = '4000000000007205';

let world: World;
let receiver: Receiver;
/** The first shop refunds late payments; the second keeps them. */
let giving: Shop;
let keeping: Shop;
/** The output of the command that set it. */
let printed: unknown;
beforeAll(async () => {
  world = await createWorld(
    { CHECKOUT_DEADLINE_SECONDS: '6', CAPTURE_WINDOW_SECONDS: '5', SWEEP_SECONDS: '1' },
    { webhooks: true },
  );
  receiver = await createReceiver();
  const merchantId = await world.merchant();
  const command = ['settings', 'set', '--merchant', merchantId, '--environment', 'sandbox'];
  printed = JSON.parse(
    execFileSync(
      process.execPath,
      ['--no-warnings', 'dist/src/cli/admin.js', ...command, '--refund-late', 'on', '--json'],
      { cwd: projectRoot, env: { ...process.env, ...world.environment }, encoding: 'utf8' },
    ),
  );
  giving = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  keeping = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  await giving.call('POST', '/v1/webhook-endpoints', { url: `${receiver.url}/hooks` });
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

/** Creates a payment whose attempt has no answer yet. */
async function unanswered(shop: Shop): Promise<string> {
  const id = await shop.customPayment();
  const paid = await shop.pay(id, await shop.captureCard(id, lateCard));
  expect(paid.status).toBe(503);
  return id;
}

/** Makes the network report the late success as if the checkout had another deadline. */
async function reportLateSuccessAfter(paymentId: string, checkoutExpiresAt: Date): Promise<void> {
  const response = await fetch(`${world.networkUrl}/v1/simulate/clock`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.settings.NETWORK_SERVICE_KEY}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ paymentId, checkoutExpiresAt }),
  });
  expect(await response.json()).toMatchObject({ charges: [{ status: 'pending' }] });
}
const reaches = (shop: Shop, id: string, status: string) =>
  eventually(async () => ((await shop.read(id))['status'] === status ? true : undefined), 60_000);
const eventsOf = async (id: string) =>
  (
    await world.database.query<{ type: string; late: boolean | null }>(
      `SELECT type, (data ->> 'late')::boolean AS late FROM events WHERE payment_id = $1 ORDER BY sequence`,
      [id],
    )
  ).rows;
const story = async (shop: Shop, id: string) => {
  const { body } = await shop.call('GET', `/v1/payments/${id}/timeline`);
  return jsonData({ body }) as { entries: { kind: string; detail: Record<string, unknown> }[] };
};

/** Checks a payment that was paid late and refunded once. */
async function givenBackOnce(id: string): Promise<void> {
  await reaches(giving, id, 'refunded');
  expect(await eventsOf(id)).toEqual([
    { type: 'payment.paid', late: true },
    { type: 'refund.created', late: null },
    { type: 'refund.succeeded', late: null },
    { type: 'payment.refunded', late: null },
  ]);
  const { refunds, charges } = await ledger(world.networkUrl, id);
  expect([charges.length, refunds.length]).toEqual([1, 1]);
  const { rows } = await world.database.query(
    'SELECT status, amount_cents FROM refunds WHERE payment_id = $1',
    [id],
  );
  expect(rows).toEqual([{ status: 'succeeded', amount_cents: 2500 }]);
}

it('is marked as late in event and timeline, and kept by default', async () => {
  const id = await unanswered(keeping);
  await reaches(keeping, id, 'paid');
  expect(await eventsOf(id)).toEqual([{ type: 'payment.paid', late: true }]);
  const { entries } = await story(keeping, id);
  expect(entries.find(({ kind }) => kind === 'payment.paid')?.detail).toMatchObject({ late: true });
  expect((await ledger(world.networkUrl, id)).refunds).toEqual([]);
});

it('is not late in time, whatever the settings are', async () => {
  const id = await giving.customPayment();
  await giving.pay(id, await giving.captureCard(id));
  expect(await eventsOf(id)).toEqual([{ type: 'payment.paid', late: null }]);
  const { entries } = await story(giving, id);
  expect(entries.find(({ kind }) => kind === 'payment.paid')?.detail).not.toHaveProperty('late');
  expect((await ledger(world.networkUrl, id)).refunds).toEqual([]);
});

it('is refunded automatically, once, and reported', async () => {
  expect(printed).toMatchObject({ refundLate: true });
  const id = await unanswered(giving);
  await givenBackOnce(id);
  await eventually(async () =>
    receiver.received.some(({ event }) => event.type === 'payment.paid' && event.data['id'] === id)
      ? true
      : undefined,
  );
  const reported = receiver.received.find(
    ({ event }) => event.type === 'payment.paid' && event.data['id'] === id,
  );
  expect(reported?.event.data).toMatchObject({ late: true, status: 'paid' });
});

it('is refunded once where the worker died between its commit and the start of the refund', async () => {
  const id = await giving.customPayment();
  const paying = giving.pay(id, await giving.captureCard(id, lateCard));
  await eventually(async () =>
    (await ledger(world.networkUrl, id)).charges.length === 1 ? true : undefined,
  );
  // No answer arrives before the worker is gone, however long that takes.
  await reportLateSuccessAfter(id, new Date(Date.now() + 3_600_000));
  expect((await paying).status).toBe(503);
  await world.stopWorker();
  const read = async () => {
    const { rows } = await world.database.query<{ runId: string; seq: number }>(
      'SELECT workflow_run_id AS "runId", state_seq AS seq FROM payments WHERE id = $1',
      [id],
    );
    return rows[0] ?? { runId: '', seq: 0 };
  };
  const { runId, seq } = await read();
  const closed: Transition = {
    paymentId: id,
    seq: seq + 1,
    at: Date.now(),
    paymentStatus: 'pending',
    checkoutStatus: 'expired',
    terminalReason: 'checkout_expired',
    attemptsLeft: 5,
    method: 'card',
    failure: null,
    attempt: null,
    emitEvent: false,
    final: false,
    capture: 'end',
    deadlines: null,
  };
  const card = { brand: 'visa', last4: '7205' };
  const paid: Transition = {
    ...closed,
    seq: seq + 2,
    paymentStatus: 'paid',
    emitEvent: true,
    final: true,
    attempt: { attemptNo: 1, status: 'paid', cardAccepted: true, failureCode: null, message: null, card },
  };
  // The writes of the dead worker, some of them twice.
  await commitTransition(world.database, closed, runId);
  const facts = { bin: null, issuer: null, ...card };
  await recordAnswer(world.database, { paymentId: id, attemptNo: 1 }, 'captured', { card: facts });
  const written = await Promise.all([1, 2, 3].map(() => commitTransition(world.database, paid, runId)));
  expect(written.filter(({ refund }) => refund !== undefined)).toHaveLength(1);
  // Another refund is refused.
  const payment = await loadPayment(world.database, id);
  if (!payment) throw new Error('no payment');
  await expect(
    inTransaction(world.database, (transaction) => refundLate(transaction, payment, new Date())),
  ).rejects.toThrow('Nothing is left to refund');
  await reportLateSuccessAfter(id, new Date(Date.now() - 5_000));
  await eventually(async () =>
    (await ledger(world.networkUrl, id)).charges[0]?.status === 'captured' ? true : undefined,
  );
  await world.startWorker();
  await givenBackOnce(id);
});
