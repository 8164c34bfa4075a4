import { randomUUID } from 'node:crypto';
import { PageClient } from '../../support/page-client.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const waitFor = (id: string, query = 'waitSeconds=25', by = shop) =>
  by.call('GET', `/v1/payments/${id}?${query}`);

/** Creates a hosted payment and its customer's page. */
async function hosted(): Promise<{ id: string; page: PageClient }> {
  const { data = {} } = (await shop.create()).body as { data?: Record<string, unknown> };
  return { id: String(data['id']), page: new PageClient(String(data['checkoutUrl']), world.vaultUrl) };
}

/** Resolves once a call waits, so that the next change happens during the call. */
const isAwaited = (id: string) =>
  eventually(async () => {
    const { rows } = await world.database.query(
      `SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT id, version FROM payments%'
         AND query_start > now() - interval '1 second'`,
    );
    return rows.length > 0 && id !== '' ? true : undefined;
  });

describe('a read of a payment that waits', () => {
  it('is answered when a hosted payment is paid, refunded, or can no longer be paid', async () => {
    const { id, page } = await hosted();
    const paid = waitFor(id);
    await isAwaited(id);
    await page.payByCard('4242424242424242');
    expect((await paid).body.data).toMatchObject({ id, status: 'paid', checkoutUrl: null });

    const refunded = waitFor(id);
    await isAwaited(id);
    const key = { 'idempotency-key': randomUUID() };
    const refund = await shop.call('POST', `/v1/payments/${id}/refunds`, { amountCents: 500 }, key);
    expect(refund.status).toBe(201);
    expect((await refunded).body.data).toMatchObject({ status: 'partiallyRefunded', refundedCents: 500 });

    const { id: late } = await hosted();
    const closed = waitFor(late);
    await isAwaited(late);
    const clock = { 'idempotency-key': randomUUID() };
    await shop.call('POST', `/v1/sandbox/payments/${late}/advance-clock`, { bySeconds: 3_600 }, clock);
    expect((await closed).body.data).toMatchObject({ status: 'pending', checkoutUrl: null });
  });

  it('is answered unchanged after the wait, for a custom payment too', async () => {
    const id = await shop.customPayment();
    const answer = await waitFor(id, 'waitSeconds=1');
    expect([answer.status, answer.body.data?.['status']]).toEqual([200, 'pending']);
  });

  it.each(['0', '26', '1.5', '', 'x', '1&waitSeconds=2'])(
    'is refused for waitSeconds=%s',
    async (seconds) => {
      const id = await shop.customPayment();
      const answer = await waitFor(id, `waitSeconds=${seconds}`);
      expect([answer.status, answer.body.error]).toEqual([
        400,
        expect.objectContaining({ code: 'invalid_request', field: 'waitSeconds' }),
      ]);
    },
  );

  it('is 404 at once for a payment of another merchant', async () => {
    const { id } = await hosted();
    const other = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
    expect((await waitFor(id, 'waitSeconds=25', other)).status).toBe(404);
  });
});
