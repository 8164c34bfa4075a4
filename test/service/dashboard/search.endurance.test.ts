import { texts } from '../../../src/dashboard/texts/en.ts';
import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import { shortReference } from '../../../src/domain/short-reference.ts';
import { archiveAll, endLongAgo } from '../../support/harness/old-payments.ts';
import { idOf, paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let client: DashboardClient;
let shop: Shop;
let paymentId: string;
let otherPaymentId: string;
beforeAll(async () => {
  world = await createWorld();
  const merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const customer = { name: 'Mary Shelley', email: 'mary@example.org' };
  paymentId = idOf(await shop.create({ reference: 'order-50033', customer }));
  await client.post('/dashboard/sandbox/developers/keys', { name: 'Backend of the shop' });
  await client.post('/dashboard/sandbox/webhooks', { url: 'https://shop.example/hooks', events: '' });
  // A payment of another merchant, which no search may find.
  const other = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  const customerOfOther = { email: 'mary.other@example.org' };
  otherPaymentId = idOf(await other.create({ reference: 'order-50044', customer: customerOfOther }));
});
afterAll(() => world.close());

/** Returns the names that a search finds. */
const found = async (q: string): Promise<string[]> => {
  const { text } = await client.get(`/dashboard/sandbox/search?q=${encodeURIComponent(q)}`);
  const results = text.slice(text.indexOf('data-results'));
  return [...results.matchAll(/<li[^>]*>(?:<span[^>]*>)?<a href="[^"]*">([^<]+)<\/a>/g)].map(
    ([, name = '']) => name,
  );
};

it.each([
  ['5003', ['order-50033']],
  ['mary', ['order-50033', 'Mary Shelley']],
  ['shop', ['Backend of the shop', 'https://shop.example/hooks']],
  ['refu', ['Refunds']],
  ['payment l', ['Payment links']],
  ['brandi', ['Checkout branding']],
  ['reconc', ['Reconciliation']],
  ['your sign', ['Your sign-in']],
  ['nothing like it', []],
])('finds %j', async (q, expected) => {
  expect(await found(q)).toEqual(expected);
});

it('names the customer of a payment beside its reference', async () => {
  const { text } = await client.get('/dashboard/sandbox/search?q=5003');
  expect(text).toMatch(/>order-50033<\/a><small[^>]*>Mary Shelley<\/small>/);
});

it('finds a payment by its id, explains an empty page, and refuses what is too long', async () => {
  expect(await found(paymentId)).toEqual(['order-50033']);
  const page = (q: string) => client.get(`/dashboard/sandbox/search?q=${q}`);
  expect((await page('')).text).toContain('Type a part of a reference');
  expect((await page('zzzz')).text).toContain('Nothing matches your search.');
  const refused = await page('x'.repeat(256));
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('Search for at most 255 characters.');
  expect((await page('%3Cscript%3Ealert(1)')).text).not.toContain('<script>alert');
});

it('finds a payment by the reference of its receipt, also when it is archived', async () => {
  const reference = shortReference(paymentId);
  for (const typed of [reference, reference.toLowerCase().replace('-', '')]) {
    expect(await found(typed)).toEqual(['order-50033']);
    const { text } = await client.get(`/dashboard/sandbox/payments?q=${typed}`);
    expect(text).toContain(`/payments/${paymentId}"`);
    expect(text).toContain('>1-1 of 1<');
  }
  const page = (await client.get(`/dashboard/sandbox/payments/${paymentId}`)).text;
  expect(page).toContain(`<dt>Customer's reference</dt><dd><div class="copied"><span>${reference}<`);
  expect(await found(shortReference(otherPaymentId))).toEqual([]);

  const archived = await paidPayment(shop, undefined, { reference: 'order-50055' });
  await endLongAgo(world.database, [archived]);
  expect(await archiveAll(world.database)).toBe(1);
  for (const typed of [shortReference(archived), archived])
    expect(await found(typed)).toEqual(['order-50055']);
  expect(await found('order-50055')).toEqual([]);
});

it('names only pages that exist', async () => {
  for (const path of Object.keys(texts.search.extraPages)) {
    const [page = '', fragment] = path.split('#');
    const { status, text } = await client.get(`/dashboard/sandbox${page}`);
    expect([path, status]).toEqual([path, 200]);
    expect(text).toContain(fragment === undefined ? '<main' : `id="${fragment}"`);
  }
});

it('is reached from every page', async () => {
  for (const path of ['', '/payments', '/team']) {
    expect((await client.get(`/dashboard/sandbox${path}`)).text).toContain('data-testid="nav-search"');
  }
});
