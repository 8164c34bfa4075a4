import { randomUUID } from 'node:crypto';
import { jsonBody } from '../../support/answers.ts';
import { dataOf, idOf, keyed, paidPayment, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { proves } from '../../support/proves.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '0' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const settled = (id: string, status: string) => untilField(shop, `/v1/refunds/${id}`, 'status', status);

const eventTypes = async (paymentId: string): Promise<string[]> => {
  const { rows } = await world.database.query<{ type: string; sequence: number }>(
    'SELECT type, sequence FROM events WHERE payment_id = $1 ORDER BY sequence',
    [paymentId],
  );
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
  return rows.map(({ type }) => type);
};

describe('refunds', () => {
  test(
    proves(
      'one cent, a part twice and the rest add up to a full refund, with an event for each step',
      'REFUND-01',
      'REFUND-02',
      'PSTATE-06',
      'PSTATE-07',
      'AMB-47',
    ),
    async () => {
      const id = await paidPayment(shop);
      for (const [amountCents, refundedCents] of [
        [1, 1],
        [1000, 1001],
        [1000, 2001],
      ] as const) {
        const created = await refund(shop, id, { amountCents, reason: 'requestedByCustomer' });
        expect([created.status, dataOf(created)['status']]).toEqual([201, 'pending']);
        const done = await settled(idOf(created), 'succeeded');
        const payment = await shop.read(id);
        expect(payment).toMatchObject({
          status: 'partiallyRefunded',
          refundedCents,
          netCents: 2500 - refundedCents,
          refundedAt: done['succeededAt'],
        });
        expect(payment['paidAt']).not.toBeNull();
      }
      const rest = await refund(shop, id);
      expect(dataOf(rest)).toMatchObject({
        amountCents: 499,
        reason: null,
        currency: 'USD',
        environment: 'sandbox',
      });
      await settled(idOf(rest), 'succeeded');
      expect(await shop.read(id)).toMatchObject({ status: 'refunded', refundedCents: 2500, netCents: 0 });
      const { refunds } = await ledger(world.networkUrl, id);
      expect(refunds.map(({ status }) => status)).toEqual(Array(4).fill('succeeded'));
      expect((await refund(shop, id)).body.error?.code).toBe('payment_not_refundable');
      expect(await eventTypes(id)).toEqual([
        'payment.paid',
        ...Array(3).fill(['refund.created', 'refund.succeeded', 'payment.partiallyRefunded']).flat(),
        'refund.created',
        'refund.succeeded',
        'payment.refunded',
      ]);
    },
  );

  test('ten concurrent requests under one key are one refund with one answer', async () => {
    const id = await paidPayment(shop);
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refund(shop, id, { amountCents: 700 }, key)),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    for (const { status, body } of answers) {
      expect(status === 201 || body.error?.code === 'idempotency_in_progress').toBe(true);
    }
    const replay = await refund(shop, id, { amountCents: 700 }, key);
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(replay.text).toBe(created[0]?.text);
    await settled(idOf(replay), 'succeeded');
    expect((await ledger(world.networkUrl, id)).refunds).toHaveLength(1);
    expect((await refund(shop, id, { amountCents: 701 }, key)).body.error?.code).toBe(
      'idempotency_key_reused',
    );
    const other = await paidPayment(shop);
    expect((await refund(shop, other, { amountCents: 700 }, key)).body.error?.code).toBe(
      'idempotency_key_reused',
    );
  });

  test('pending refunds count against the remaining amount, in any order', async () => {
    const id = await paidPayment(shop, '4000000000007726');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => refund(shop, id, { amountCents: 1000 })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.error?.code, body.error?.field])).toEqual(
      Array(6).fill([422, 'validation_failed', 'amountCents']),
    );
    expect((await refund(shop, id, { amountCents: 500 })).status).toBe(201);
    expect((await refund(shop, id)).body.error?.code).toBe('payment_not_refundable');
    await untilField(shop, `/v1/payments/${id}`, 'status', 'refunded');
  });

  test('4000000000007726: its refund is pending and succeeds later', async () => {
    const id = await paidPayment(shop, '4000000000007726');
    const created = await refund(shop, id, { amountCents: 1000 });
    expect(await shop.read(id)).toMatchObject({ status: 'paid', refundedCents: 0, refundedAt: null });
    await settled(idOf(created), 'succeeded');
    expect(await shop.read(id)).toMatchObject({ status: 'partiallyRefunded', refundedCents: 1000 });
  });

  test('4000000000005126: its refund succeeds and fails later; the payment goes back to paid', async () => {
    const id = await paidPayment(shop, '4000000000005126');
    const created = await refund(shop, id);
    await untilField(shop, `/v1/payments/${id}`, 'status', 'refunded');
    const failed = await settled(idOf(created), 'failed');
    expect(failed).toMatchObject({ failureCode: 'refund_rejected', failureMessage: expect.any(String) });
    expect(failed['succeededAt']).not.toBeNull();
    expect(failed['failedAt']).not.toBeNull();
    expect(await shop.read(id)).toMatchObject({
      status: 'paid',
      refundedCents: 0,
      netCents: 2500,
      refundedAt: null,
    });
    expect(await eventTypes(id)).toEqual([
      'payment.paid',
      'refund.created',
      'refund.succeeded',
      'payment.refunded',
      'refund.failed',
      'payment.paid',
    ]);
    expect((await refund(shop, id, { amountCents: 1 })).status).toBe(201);
  });

  test('a refund that fails after the payment was disputed leaves it disputed', async () => {
    const id = await paidPayment(shop, '4000000000005126');
    const created = await refund(shop, id);
    await untilField(shop, `/v1/payments/${id}`, 'status', 'refunded');
    const opened = await keyed(shop, `/v1/sandbox/payments/${id}/disputes`, { reason: 'fraudulent' });
    expect(await shop.read(id)).toMatchObject({ status: 'refunded' });
    await settled(idOf(created), 'failed');
    expect(await shop.read(id)).toMatchObject({ status: 'disputed', refundedCents: 0 });
    expect((await eventTypes(id)).slice(-3)).toEqual([
      'dispute.created',
      'refund.failed',
      'payment.disputed',
    ]);
    await keyed(shop, `/v1/sandbox/disputes/${idOf(opened)}/resolve`, { outcome: 'won' });
    await untilField(shop, `/v1/payments/${id}`, 'status', 'disputeWon');
  });

  test('unknown, foreign and other-environment payments and refunds get the same 404', async () => {
    const id = await paidPayment(shop);
    const created = await refund(shop, id, { amountCents: 5 });
    const merchantId = await world.merchant();
    const strangers = [
      new Shop(world.baseUrl, await world.key(merchantId, 'sandbox')),
      new Shop(world.baseUrl, await world.key(merchantId, 'live')),
    ];
    const unknown = await shop.call('GET', `/v1/refunds/${randomUUID()}`);
    expect([unknown.status, unknown.body.error?.code]).toEqual([404, 'not_found']);
    for (const stranger of strangers) {
      for (const answer of [
        await stranger.call('GET', `/v1/refunds/${idOf(created)}`),
        await stranger.call('POST', `/v1/refunds/${idOf(created)}/cancel`),
        await stranger.call('GET', `/v1/payments/${id}/refunds`),
        await refund(stranger, id, { amountCents: 5 }),
      ]) {
        expect([answer.status, answer.text]).toEqual([404, unknown.text]);
      }
      expect((await stranger.call('GET', '/v1/refunds')).text).toContain('"total":0');
    }
  });

  test('refuses malformed, unpaid and too large refunds, and keeps no key for them', async () => {
    const id = await paidPayment(shop);
    const key = randomUUID();
    for (const [body, field] of [
      [{ amountCents: 0 }, 'amountCents'],
      [{ amountCents: 1.5 }, 'amountCents'],
      [{ amountCents: '5' }, 'amountCents'],
      [{ amountCents: 2501 }, 'amountCents'],
      [{ reason: 'because' }, 'reason'],
      [{ reference: '' }, 'reference'],
      [{ metadata: [] }, 'metadata'],
      [{ amount: 5 }, 'body'],
    ] as const) {
      const { status, body: answer } = await refund(shop, id, body, key);
      expect([status, answer.error?.code, answer.error?.field]).toEqual([422, 'validation_failed', field]);
    }
    const missing = await shop.call('POST', `/v1/payments/${id}/refunds`, {});
    expect([missing.status, missing.body.error?.code]).toEqual([400, 'invalid_request']);
    const unpaid = await shop.customPayment();
    expect((await refund(shop, unpaid, {}, key)).body.error?.code).toBe('payment_not_refundable');
    expect((await refund(shop, id, { amountCents: 2500 }, key)).status).toBe(201);
  });

  test('lists refunds newest first with their filters', async () => {
    const id = await paidPayment(shop);
    const first = await refund(shop, id, { amountCents: 3, reference: 'r-1', metadata: { a: [1] } });
    const second = await refund(shop, id, { amountCents: 4 });
    await settled(idOf(first), 'succeeded');
    await settled(idOf(second), 'succeeded');
    const read = async (query: string) =>
      jsonBody(await shop.call('GET', query)) as {
        data: { id: string; reference: string | null; metadata: unknown }[];
        meta: { total: number };
      };
    const all = await read(`/v1/refunds?paymentId=${id}`);
    expect(all.data.map((one) => one.id)).toEqual([idOf(second), idOf(first)]);
    expect(all.data[1]).toMatchObject({ reference: 'r-1', metadata: { a: [1] } });
    expect(await read(`/v1/payments/${id}/refunds`)).toEqual(all);
    const page = await read(`/v1/payments/${id}/refunds?status=succeeded&page=2&perPage=1`);
    expect(page.data.map((one) => one.id)).toEqual([idOf(first)]);
    expect(page.meta).toEqual({ page: 2, perPage: 1, total: 2 });
    expect((await read(`/v1/refunds?status=canceled&paymentId=${id}`)).meta.total).toBe(0);
    for (const query of ['status=paid', 'paymentId=7', 'what=1', 'page=0']) {
      expect((await shop.call('GET', `/v1/refunds?${query}`)).body.error?.code).toBe('invalid_query');
    }
  });
});
