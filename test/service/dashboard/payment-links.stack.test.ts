import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { keyed } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const home = '/dashboard/sandbox';
const typed = {
  amount: '42.00',
  reference: 'workshop-may',
  description: 'Workshop, 9 May',
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/workshops',
};

it('a link made in the dashboard is listed with its address, opens a payment, is closed and opened again', async () => {
  const merchantId = await world.merchant();
  const client = await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
  expect((await client.get(`${home}/payments`)).text).toContain(`href="${home}/payment-links"`);
  expect((await client.get(`${home}/payment-links`)).text).toContain('No payment links yet');

  const answer = await client.post(`${home}/payment-links`, { ...typed, maxPayments: '3', methods: 'card' });
  expect([answer.status, answer.location]).toEqual([303, `${home}/payment-links?done=linkCreated`]);
  const page = await client.follow(answer);
  expect(page.text).toContain('0 of 3');
  const url = /data-copy="([^"]+\/l\/\w{22})"/.exec(page.text)?.[1] ?? '';
  const opened = await fetch(url, { redirect: 'manual' });
  expect(opened.status).toBe(303);
  expect((await client.get(`${home}/payment-links`)).text).toContain('1 of 3');

  const id = /payment-links\/([0-9a-f-]{36})"/.exec(page.text)?.[1] ?? '';
  const closed = await client.post(`${home}/payment-links/${id}`, { active: 'false' });
  expect(closed.location).toBe(`${home}/payment-links?done=linkClosed`);
  expect((await fetch(url, { redirect: 'manual' })).status).toBe(410);
  await client.post(`${home}/payment-links/${id}`, { active: 'true' });
  expect((await fetch(url, { redirect: 'manual' })).status).toBe(303);

  // The API shows the same values.
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  expect((await shop.call('GET', `/v1/payment-links/${id}`)).body.data).toMatchObject({
    amountCents: 4200,
    description: 'Workshop, 9 May',
    methods: ['card'],
    url,
  });
});

it('a form that is sent twice makes one link, and a refused one keeps what was typed', async () => {
  const merchantId = await world.merchant();
  const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const form = await client.get(`${home}/payment-links`);
  const key = /name="key" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
  await client.post(`${home}/payment-links`, { ...typed, key });
  await client.post(`${home}/payment-links`, { ...typed, key });
  const { rows } = await world.database.query('SELECT FROM payment_links WHERE merchant_id = $1', [
    merchantId,
  ]);
  expect(rows).toHaveLength(1);

  const refused = await client.post(`${home}/payment-links`, {
    ...typed,
    ...{ itemName1: '<script>Seat', itemQuantity1: '2', itemAmount1: '41.00' },
  });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('The items add up to $41.00, but the amount of the link is $42.00');
  expect(refused.text).toContain('value="workshop-may"');
  expect(refused.text).toContain('value="&lt;script>Seat"');
});

it('a restricted key made in the dashboard does what was ticked', async () => {
  const merchantId = await world.merchant();
  const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const made = await client.post(`${home}/developers/keys`, {
    name: 'Reports',
    scopes: 'payments:read',
    refundCap: '500.00',
  });
  const page = await client.follow(made);
  expect(page.text).toContain('Read payments');
  expect(page.text).toContain('at most $500.00 of refunds a day');
  const key = /data-testid="api-key">([^<]+)</.exec(page.text)?.[1] ?? '';
  const shop = new Shop(world.baseUrl, key);
  expect((await shop.call('GET', '/v1/payments')).status).toBe(200);
  expect((await shop.call('GET', '/v1/refunds')).body.error).toMatchObject({ code: 'insufficient_scope' });

  const refused = await client.post(`${home}/developers/keys`, { name: 'Support', refundCap: 'much' });
  expect([refused.status, refused.text.includes('Enter an amount such as 500.00')]).toEqual([422, true]);
});

it('the form is folded once there are links, the list has pages, and an address is shortened', async () => {
  const merchantId = await world.merchant();
  const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const page = async (query = '') => (await client.get(`${home}/payment-links${query}`)).text;
  expect(await page()).not.toContain('data-testid="link-new"');
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  for (let made = 0; made < 52; made += 1) {
    const link = { amountCents: 4200, currency: 'USD', reference: `seat-${made}` };
    const { successUrl, cancelUrl } = typed;
    await keyed(shop, '/v1/payment-links', { ...link, successUrl, cancelUrl });
  }
  const first = await page();
  expect(first).toMatch(/<details><summary class="btn" data-testid="link-new">/);
  expect(first).toContain('1-50 of 52');
  expect(first.split('data-testid="link-row"')).toHaveLength(51);
  expect(first).toMatch(/title="http[^"]+\/l\/\w{22}">[^<]+\/l\/\w{4}…</);
  const older = /href="([^"]+)" rel="next"/.exec(first)?.[1] ?? '';
  expect((await client.get(older)).text.split('data-testid="link-row"')).toHaveLength(3);
  const refused = await client.post(`${home}/payment-links`, { ...typed, amount: 'x' });
  expect(refused.text).toMatch(/<details open[^>]*><summary class="btn" data-testid="link-new">/);
});
