import { Client, Connection } from '@temporalio/client';
import { attemptKey } from '../../../src/domain/payment.ts';
import { paymentWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { jsonData } from '../../support/answers.ts';
import { submitChallenge } from '../../support/challenge.ts';
import { dataOf, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let merchantId: string;
let shop: Shop;
/** A merchant that confirms by itself and refunds late payments. */
let own: Shop;
let connection: Connection;
let temporal: Client;

beforeAll(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1', REFUND_DELAY_SECONDS: '0' });
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const approved = await world.merchant({ sandbox: { customActions: true, refundLate: true } });
  own = new Shop(world.baseUrl, await world.key(approved, 'sandbox'));
  connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await world.close();
});

const asService = () => ({
  authorization: `Bearer ${world.settings.NETWORK_SERVICE_KEY}`,
  'content-type': 'application/json',
});
const callNetwork = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${world.networkUrl}${path}`, {
    method: 'POST',
    headers: { ...asService(), ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`the network answered ${answer.status} ${await answer.text()}`);
};
const simulateCharge = (key: string, order: object) =>
  callNetwork(`/v1/simulate/charges/${encodeURIComponent(key)}`, order);
const misreport = (key: string, order: object) =>
  callNetwork(`/v1/simulate/charges/${encodeURIComponent(key)}/misreport`, order);

interface Event {
  type: string;
  data: Record<string, unknown>;
}
const eventsOf = async (by: Shop, id: string): Promise<Event[]> =>
  jsonData(await by.call('GET', `/v1/events?paymentId=${id}`)) as Event[];
const unexpectedOf = async (by: Shop, id: string): Promise<unknown[]> =>
  (await eventsOf(by, id))
    .filter(({ type }) => type === 'payment.unexpectedCapture')
    .map(({ data }) => data['unexpectedCapture']);
const untilUnexpected = (by: Shop, id: string) =>
  eventually(async () => {
    const found = await unexpectedOf(by, id);
    return found.length > 0 ? found : undefined;
  });
const alertsOf = async (id: string) =>
  (
    await world.database.query<{ sweep: string; detail: string }>(
      'SELECT sweep, detail FROM operator_alerts WHERE subject = $1 AND cleared_at IS NULL ORDER BY id',
      [id],
    )
  ).rows;
const entriesOf = async (by: Shop, id: string) =>
  (
    jsonData(await by.call('GET', `/v1/payments/${id}/timeline`)) as {
      entries: { kind: string; title: string; detail: Record<string, unknown> }[];
    }
  ).entries;

/** Waits until every report of the provider about the payment has been read. */
const untilRead = (id: string) =>
  eventually(async () => {
    const { rows } = await world.database.query('SELECT FROM capture_hints WHERE payment_id = $1', [id]);
    return rows.length === 0 ? true : undefined;
  });

describe('a capture that no paid attempt has', () => {
  test('of a failed payment is reported once, however often it is reported, and changes nothing', async () => {
    const id = await shop.customPayment();
    await shop.pay(id, await shop.captureCard(id, '4000000000009987'));
    expect(await shop.read(id)).toMatchObject({ status: 'failed' });
    const before = await shop.read(id);
    await simulateCharge(attemptKey(id, 1), { outcome: 'captured' });
    expect(await untilUnexpected(shop, id)).toEqual([
      {
        attemptNo: 1,
        amountCents: 2500,
        currency: 'USD',
        providerReference: expect.stringMatching(/^ch_/) as string,
        capturedAt: expect.stringMatching(/^\d{4}-/) as string,
      },
    ]);
    for (let again = 0; again < 3; again += 1) await misreport(attemptKey(id, 1), {});
    await untilRead(id);
    expect(await unexpectedOf(shop, id)).toHaveLength(1);
    expect(await alertsOf(id)).toEqual([
      { sweep: 'unexpected captures', detail: 'unexpected_capture: attempt 1' },
    ]);
    expect(await shop.read(id)).toEqual(before);
    expect(await entriesOf(shop, id)).toContainEqual(
      expect.objectContaining({
        kind: 'payment.unexpectedCapture',
        title: 'Unexpected capture: the network took $25.00 under attempt 1',
      }),
    );
  });

  test('of a declined attempt counts beside a paid one', async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id, '4000000000009995');
    expect(dataOf(await shop.pay(id, card))).toMatchObject({ status: 'failed' });
    expect(dataOf(await shop.pay(id, card))).toMatchObject({ status: 'paid' });
    await simulateCharge(attemptKey(id, 1), { outcome: 'captured' });
    expect(await untilUnexpected(shop, id)).toMatchObject([{ attemptNo: 1 }]);
    expect(await shop.read(id)).toMatchObject({ status: 'paid', refundedCents: 0 });
  });

  test('of a declined attempt counts while the payment is open, which goes on', async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id, '4000000000000002');
    expect(dataOf(await shop.pay(id, card))).toMatchObject({ status: 'failed' });
    await simulateCharge(attemptKey(id, 1), { outcome: 'captured' });
    await untilUnexpected(shop, id);
    expect(await shop.read(id)).toMatchObject({ status: 'pending' });
    expect(dataOf(await shop.pay(id, card))).toMatchObject({ status: 'failed', attemptsLeft: 3 });
  });

  test('of a declined attempt leaves a later attempt at its step, without asking the network about it', async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id, '4000000000003220');
    const toStep = async () => {
      await shop.pay(id, card);
      const { actionUrl } = (await shop.checkout(id)) as { actionUrl: string };
      const page = await fetch(actionUrl, { redirect: 'manual' });
      return page.headers.get('location') ?? '';
    };
    await submitChallenge(await toStep(), 'fail');
    await untilField(shop, `/v1/payments/${id}`, 'status', 'pending');
    await toStep();
    await simulateCharge(attemptKey(id, 1), { outcome: 'captured' });
    await untilUnexpected(shop, id);
    // The workflow reads the reports in turn. Had it acted on the first, there would be two more versions.
    await simulateCharge(attemptKey(id, 2), { outcome: 'captured' });
    await untilField(shop, `/v1/payments/${id}`, 'status', 'paid');
    const { rows } = await world.database.query<{ status: string }>(
      `SELECT checkout_status AS status FROM payment_versions WHERE payment_id = $1 ORDER BY version`,
      [id],
    );
    const attempt = ['processing', 'requiresAction', 'processing'];
    expect(rows.map(({ status }) => status)).toEqual(['open', ...attempt, 'failed_retryable', ...attempt]);
  });

  test('under a key that the rows do not have is found, and each attempt is named in one alert', async () => {
    const id = await shop.customPayment();
    await shop.pay(id, await shop.captureCard(id));
    for (const attemptNo of [2, 3]) {
      const key = attemptKey(id, attemptNo);
      await simulateCharge(key, { outcome: 'pending' });
      await callNetwork(
        '/v1/charges',
        {
          ...{ paymentId: id, attemptId: key, merchantId, environment: 'sandbox', amountCents: 2500 },
          ...{ currency: 'USD', method: 'card', returnUrl: 'https://shop.example/ok' },
          checkoutExpiresAt: new Date(Date.now() + 600_000).toISOString(),
        },
        { 'idempotency-key': key },
      );
      await simulateCharge(key, { outcome: 'captured' });
      await eventually(async () =>
        (await unexpectedOf(shop, id)).length === attemptNo - 1 ? true : undefined,
      );
    }
    expect(await alertsOf(id)).toEqual([
      { sweep: 'unexpected captures', detail: 'unexpected_capture: attempt 2, 3' },
    ]);
    expect(await shop.read(id)).toMatchObject({ status: 'paid' });
  });

  test('is kept as the provider shows it, in another currency, another amount, from the future', async () => {
    const id = await shop.customPayment();
    await shop.pay(id, await shop.captureCard(id, '4000000000009987'));
    const key = attemptKey(id, 1);
    await misreport(key, { status: 'settled_tomorrow' });
    await eventually(async () => ((await alertsOf(id)).length > 0 ? true : undefined));
    expect(await alertsOf(id)).toEqual([{ sweep: 'unreadable charges', detail: 'unknown_state' }]);
    expect(await unexpectedOf(shop, id)).toEqual([]);
    const capturedAt = '2999-01-01T00:00:00.000Z';
    await misreport(key, { status: 'captured', currency: 'EUR', amountCents: 3100, capturedAt });
    expect(await untilUnexpected(shop, id)).toMatchObject([
      { amountCents: 3100, currency: 'EUR', capturedAt: null },
    ]);
    expect(await shop.read(id)).toMatchObject({ status: 'failed', amountCents: 2500, currency: 'USD' });
  });

  test('is none where the paid attempt has it', async () => {
    const id = await shop.customPayment();
    await shop.pay(id, await shop.captureCard(id));
    await misreport(attemptKey(id, 1), {});
    await untilRead(id);
    expect((await eventsOf(shop, id)).map(({ type }) => type)).toEqual(['payment.paid']);
    expect(await alertsOf(id)).toEqual([]);
  });
});

describe('a charge that cannot be read', () => {
  test.each([
    ['unknown_state', { status: 'captured_tomorrow' }],
    ['other_currency', { status: 'captured', currency: 'EUR' }],
    ['other_amount', { status: 'captured', amountCents: 2501 }],
    ['unknown_state', { status: 'captured', key: 'other:1' }],
  ])('decides nothing, is alerted as %s, and goes on when it can be read: %j', async (detail, order) => {
    const id = await shop.customPayment();
    await shop.pay(id, await shop.captureCard(id, '4000000000003220'));
    await misreport(attemptKey(id, 1), order);
    await eventually(async () => ((await alertsOf(id)).length > 0 ? true : undefined));
    expect(await alertsOf(id)).toEqual([{ sweep: 'unreadable charges', detail }]);
    expect((await shop.read(id))['status']).not.toBe('paid');
    const other = await shop.customPayment();
    expect(dataOf(await shop.pay(other, await shop.captureCard(other)))).toMatchObject({ status: 'paid' });
    await misreport(attemptKey(id, 1), {});
    await simulateCharge(attemptKey(id, 1), { outcome: 'captured' });
    await untilField(shop, `/v1/payments/${id}`, 'status', 'paid');
    await eventually(async () => ((await alertsOf(id)).length === 0 ? true : undefined));
  });
});

describe('late is when the money was taken', () => {
  const cancel = async (id: string): Promise<void> => {
    await temporal.workflow.getHandle(paymentWorkflowId(id)).cancel();
  };
  /** Creates a payment at the customer's step, which its merchant confirms. */
  const atTheStep = async (): Promise<string> => {
    const id = await own.customPayment();
    await own.pay(id, await own.captureCard(id, '4000000000003220'));
    expect(await own.read(id)).toMatchObject({ status: 'requiresAction' });
    return id;
  };
  const paidEvent = async (id: string) =>
    (await eventsOf(own, id)).find(({ type }) => type === 'payment.paid')?.data;

  test('taken before the operator closed the checkout, it is paid, not late and not given back', async () => {
    const id = await atTheStep();
    await simulateCharge(attemptKey(id, 1), { outcome: 'captured' });
    await cancel(id);
    await untilField(own, `/v1/payments/${id}`, 'status', 'paid');
    expect(await paidEvent(id)).not.toHaveProperty('late');
    const paid = (await entriesOf(own, id)).find(({ kind }) => kind === 'payment.paid');
    expect(paid?.detail).not.toHaveProperty('late');
    const { rows } = await world.database.query<{ late: boolean; refunds: number }>(
      `SELECT late, (SELECT count(*)::int FROM refunds WHERE payment_id = $1) AS refunds
       FROM attempts WHERE payment_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ late: false, refunds: 0 }]);
  });

  test('taken after that, it is late and given back', async () => {
    const id = await atTheStep();
    const { actionUrl } = (await own.checkout(id)) as { actionUrl: string };
    const page = await fetch(actionUrl, { redirect: 'manual' });
    await submitChallenge(page.headers.get('location') ?? '', 'approve');
    await cancel(id);
    await untilField(own, `/v1/payments/${id}`, 'status', 'refunded');
    expect(await paidEvent(id)).toMatchObject({ late: true });
  });

  test.each([
    ['in the future', '2999-01-01T00:00:00.000Z', ['unreadable charges']],
    ['before the attempt', '2001-01-01T00:00:00.000Z', []],
  ])('an instant %s is replaced by one that can be true', async (_case, capturedAt, alerted) => {
    const id = await atTheStep();
    await misreport(attemptKey(id, 1), { capturedAt, status: 'captured' });
    const { rows: before } = await world.database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    expect(dataOf(await own.confirm(id))).toMatchObject({ status: 'paid' });
    const { rows } = await world.database.query<{ isPlausible: boolean }>(
      `SELECT captured_at BETWEEN
           (SELECT created_at FROM payments p WHERE p.id = payment_id) AND clock_timestamp()
         AND (captured_at >= $2) = ($3::timestamptz > $2) AS "isPlausible"
       FROM attempts WHERE payment_id = $1`,
      [id, before[0]?.now, capturedAt],
    );
    expect(rows).toEqual([{ isPlausible: true }]);
    expect((await alertsOf(id)).map(({ sweep }) => sweep)).toEqual(alerted);
  });
});
