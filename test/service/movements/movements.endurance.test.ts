import { randomUUID } from 'node:crypto';
import { jsonBody } from '../../support/answers.ts';
import {
  disputeOf,
  idOf,
  keyed,
  paidPayment,
  payUntilAnswered,
  refund,
  untilField,
} from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

interface Movement {
  id: string;
  type: string;
  amountCents: number;
  occurredAt: string;
  bookedAt: string;
  paymentId: string;
  refundId: string | null;
  disputeId: string | null;
  providerReference: string;
  followsFrom: string | null;
}
interface Page {
  data: Movement[];
  meta: { nextCursor: string | null };
}

let world: World;
let merchantId: string;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '0', SWEEP_SECONDS: '1' });
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
});
afterAll(() => world.close());

const pageOf = async (query: string, by = shop): Promise<Page> =>
  jsonBody(await by.call('GET', `/v1/movements?${query}`)) as Page;
/** Returns the movements of a query, which is empty or ends with an ampersand. */
const listed = async (query: string): Promise<Movement[]> => (await pageOf(`${query}limit=100`)).data;
/** Returns type and cents of a payment's movements, oldest first. */
const linesOf = async (paymentId: string) =>
  (await listed(`paymentId=${paymentId}&`)).map(({ type, amountCents }) => [type, amountCents]).toReversed();
const until = (path: string, status: string) => untilField(shop, path, 'status', status);

it('has what real payments took, refunded and lost, line by line as the test kept it', async () => {
  const kept: unknown[] = [];
  const plain = await paidPayment(shop);
  kept.push([plain, ['captured', 2500]]);

  const partly = await paidPayment(shop);
  const part = idOf(await refund(shop, partly, { amountCents: 1000 }));
  await until(`/v1/refunds/${part}`, 'succeeded');
  kept.push([partly, ['captured', 2500], ['refunded', -1000]]);

  const returned = await paidPayment(shop, '4000000000005126');
  const back = idOf(await refund(shop, returned));
  await until(`/v1/refunds/${back}`, 'failed');
  kept.push([returned, ['captured', 2500], ['refunded', -2500], ['refund_failed', 2500]]);

  const disputed = await paidPayment(shop, '4000000000000259');
  const { id: dispute } = await disputeOf(shop, disputed);
  await keyed(shop, `/v1/sandbox/disputes/${String(dispute)}/resolve`, { outcome: 'won' });
  await until(`/v1/disputes/${String(dispute)}`, 'won');
  kept.push([disputed, ['captured', 2500], ['disputed', -2500], ['dispute_won', 2500]]);

  const lost = await paidPayment(shop);
  const opened = idOf(
    await keyed(shop, `/v1/sandbox/payments/${lost}/disputes`, { reason: 'fraudulent', amountCents: 2000 }),
  );
  await keyed(shop, `/v1/disputes/${opened}/accept`);
  await until(`/v1/disputes/${opened}`, 'lost');
  kept.push([lost, ['captured', 2500], ['disputed', -2000], ['dispute_lost', 0]]);

  const taken = await shop.customPayment();
  await payUntilAnswered(shop, taken, await shop.captureCard(taken, '4000000000000002'));
  await keyed(shop, `/v1/sandbox/payments/${taken}/outcome`, { outcome: 'unexpectedCapture' });
  await eventually(async () => ((await linesOf(taken)).length > 0 ? true : undefined));
  kept.push([taken, ['late', 2500]]);

  const declined = await shop.customPayment();
  await payUntilAnswered(shop, declined, await shop.captureCard(declined, '4000000000000002'));
  kept.push([declined]);

  const found = [];
  for (const id of [plain, partly, returned, disputed, lost, taken, declined])
    found.push([id, ...(await linesOf(id))]);
  expect(found).toEqual(kept);
});

it('names what a movement is of, and the one that it follows from', async () => {
  const id = await paidPayment(shop);
  const part = idOf(await refund(shop, id, { amountCents: 700 }));
  await until(`/v1/refunds/${part}`, 'succeeded');
  const [refunded, captured] = await listed(`paymentId=${id}&`);
  expect(captured).toMatchObject({
    paymentId: id,
    refundId: null,
    method: 'card',
    currency: 'USD',
    environment: 'sandbox',
    providerReference: `${id}:1`,
    followsFrom: null,
  });
  expect(refunded).toMatchObject({ refundId: part, providerReference: part, followsFrom: captured?.id });
  // The network's time, which precedes that of the service's row.
  const { rows } = await world.database.query<{ at: Date; paid: Date }>(
    `SELECT a.captured_at AS at, p.paid_at AS paid FROM attempts a JOIN payments p ON p.id = a.payment_id WHERE p.id = $1`,
    [id],
  );
  expect(captured?.occurredAt).toBe(rows[0]?.at.toISOString());
  expect(captured?.bookedAt).toBe(captured?.occurredAt);
});

it('is read by cursor and by type, and each row once', async () => {
  const all = await listed('');
  const walked: Movement[] = [];
  let cursor = '';
  do {
    const page = await pageOf(`limit=2${cursor}`);
    walked.push(...page.data);
    cursor = page.meta.nextCursor === null ? '' : `&cursor=${page.meta.nextCursor}`;
  } while (cursor !== '');
  expect(walked).toEqual(all);
  for (const type of ['captured', 'refunded', 'fee'])
    expect(await listed(`type=${type}&`)).toEqual(all.filter((one) => one.type === type));
  const today = new Date().toISOString().slice(0, 10);
  expect(await listed(`from=${today}&`)).toEqual(all);
  expect(await listed('to=2026-01-01&')).toEqual([]);
});

it('is of the caller only, and needs the scope of payments', async () => {
  const other = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  expect((await pageOf('limit=5', other)).data).toEqual([]);
  const { rows } = await world.database.query<{ id: string }>(
    'SELECT payment_id AS id FROM movements LIMIT 1',
  );
  expect((await pageOf(`paymentId=${rows[0]?.id}`, other)).data).toEqual([]);
});

it.each([
  ['type=paid', 'type'],
  ['paymentId=x', 'paymentId'],
  ['from=2026-02-30', 'from'],
  ['from=2026-02-02&to=2026-02-01', 'from'],
  ['limit=101', 'limit'],
  ['page=1', 'query'],
  [`cursor=${randomUUID()}`, 'cursor'],
])('refuses %s', async (query, field) => {
  const { status, body } = await shop.call('GET', `/v1/movements?${query}`);
  expect([status, body.error?.code, body.error?.field]).toEqual([400, 'invalid_query', field]);
});
