import { keyed } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const charges = async (id: string) => (await ledger(world.networkUrl, id)).charges;
const until = (id: string, status: string) =>
  eventually(async () => ((await shop.status(id))['status'] === status ? true : undefined), 60_000);

test('a second pay is payment_in_progress while the network is slow, and one charge is made', async () => {
  const id = await shop.customPayment();
  const card = await shop.captureCard(id, '4000000000007304');
  const first = shop.pay(id, card);
  await eventually(async () => ((await charges(id)).length > 0 ? true : undefined));
  expect((await shop.pay(id, card)).body.error?.code).toBe('payment_in_progress');
  expect((await first).body.data).toMatchObject({ status: 'paid' });
  expect(await charges(id)).toHaveLength(1);
});

test('a payment without an answer until after the deadline is result_pending, then expired, then paid, and never failed', async () => {
  const id = await shop.customPayment();
  const card = await shop.captureCard(id, '4000000000007205');
  const answer = await shop.pay(id, card);
  expect([answer.status, answer.body.error?.code]).toEqual([503, 'service_unavailable']);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect((await shop.pay(id, card)).body.error?.code).toBe('result_pending');
  expect((await shop.capture(id)).body.error?.code).toBe('result_pending');
  expect(await shop.status(id)).toMatchObject({ status: 'processing' });
  // The wait for the network takes seconds already, so the clock skips the rest of the half hour.
  const leftMs = Date.parse(String((await shop.read(id))['expiresAt'])) - Date.now();
  const bySeconds = Math.floor(leftMs / 1000) - 1;
  const moved = await keyed(shop, `/v1/sandbox/payments/${id}/advance-clock`, { bySeconds });
  expect([moved.status, moved.text]).toEqual([200, expect.any(String)]);
  await until(id, 'expired');
  await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined), 60_000);
  expect(await shop.status(id)).toMatchObject({ status: 'expired', terminalReason: 'checkout_expired' });
  const { rows } = await world.database.query<{ type: string }>(
    'SELECT type FROM events WHERE payment_id = $1',
    [id],
  );
  expect(rows.map(({ type }) => type)).toEqual(['payment.paid']);
  expect(await charges(id)).toHaveLength(1);
});

it('only specified answers are given while vault and network are unavailable, and reads work', async () => {
  const captured = await shop.customPayment();
  const card = await shop.captureCard(captured);
  const fresh = await shop.customPayment();
  await world.network.close();
  const refused = await shop.pay(captured, card);
  expect([refused.status, refused.body.error?.code]).toEqual([503, 'service_unavailable']);
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  await world.vault.close();
  const unprepared = await shop.capture(fresh);
  expect([unprepared.status, unprepared.body.error?.code]).toEqual([503, 'service_unavailable']);
  expect(await shop.read(captured)).toMatchObject({ status: 'pending' });
  expect((await shop.call('GET', '/v1/payments')).status).toBe(200);
  expect((await shop.create()).status).toBe(201);
});
