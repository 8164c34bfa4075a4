import { idOf, keyed, paidPayment, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const cancel = (id: string) => shop.call('POST', `/v1/refunds/${id}/cancel`);

describe('canceling a refund', () => {
  test('frees its amount before it is submitted, without a call to the network', async () => {
    const id = await paidPayment(shop);
    const first = idOf(await refund(shop, id));
    expect((await refund(shop, id)).body.error?.code).toBe('payment_not_refundable');
    const canceled = await cancel(first);
    expect([canceled.status, canceled.body.data?.['status']]).toEqual([200, 'canceled']);
    expect((await cancel(first)).text).toBe(canceled.text);
    expect(await shop.read(id)).toMatchObject({ status: 'paid', refundedCents: 0 });
    expect((await refund(shop, id, { amountCents: 2500 })).status).toBe(201);
    expect((await ledger(world.networkUrl, id)).refunds).toEqual([]);
    const { rows } = await world.database.query<{ type: string }>(
      'SELECT type FROM events WHERE payment_id = $1 ORDER BY sequence',
      [id],
    );
    expect(rows.map(({ type }) => type)).toEqual([
      'payment.paid',
      'refund.created',
      'refund.canceled',
      'refund.created',
    ]);
  });

  test('is refused once the refund is submitted, and the refund is made', async () => {
    const id = await paidPayment(shop, '4000000000007726');
    const refundId = idOf(await refund(shop, id));
    const ordered = await keyed(shop, `/v1/sandbox/refunds/${refundId}/outcome`, { outcome: 'succeeded' });
    expect(ordered.body.data).toMatchObject({ id: refundId, status: 'succeeded' });
    const late = await cancel(refundId);
    expect([late.status, late.body.error?.code]).toEqual([409, 'refund_not_cancelable']);
    await untilField(shop, `/v1/payments/${id}`, 'status', 'refunded');
  });

  test('at the same moment as the submission has exactly one of both effects', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const id = await paidPayment(shop);
        const refundId = idOf(await refund(shop, id));
        const [, canceled] = await Promise.all([
          keyed(shop, `/v1/sandbox/refunds/${refundId}/outcome`, { outcome: 'succeeded' }),
          cancel(refundId),
        ]);
        const status = canceled.status === 200 ? 'canceled' : 'succeeded';
        await untilField(shop, `/v1/refunds/${refundId}`, 'status', status);
        const sent = (await ledger(world.networkUrl, id)).refunds.length;
        return { status, sent };
      }),
    );
    for (const { status, sent } of outcomes) expect(sent).toBe(status === 'canceled' ? 0 : 1);
  });
});
