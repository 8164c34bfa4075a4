import { randomUUID } from 'node:crypto';
import { reserveUse } from '../../../src/db/payment-links/payment-links.ts';
import { inTransaction } from '../../../src/db/server/database.ts';
import { PageClient } from '../../support/page-client.ts';
import { keyed } from '../../support/refunds-and-disputes.ts';
import { type Answer, Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;
let merchantId: string;

beforeAll(async () => {
  world = await createWorld();
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
});
afterAll(() => world.close());

const offer = {
  amountCents: 4200,
  currency: 'USD',
  reference: 'workshop-may',
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/workshops',
};
const create = (changes: object = {}, key: string = randomUUID()): Promise<Answer> =>
  keyed(shop, '/v1/payment-links', { ...offer, ...changes }, key);
const linkOf = ({ status, body }: Answer) => {
  expect([status, body.error]).toEqual([201, undefined]);
  const { id, url } = body.data ?? {};
  return { id: String(id), url: String(url), data: body.data };
};
const open = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', headers });
const titleIn = (page: string): string | undefined => /<h1>([^<]+)<\/h1>/.exec(page)?.[1];
const titleOf = async (page: Response): Promise<string | undefined> => titleIn(await page.text());
const change = (id: string, active: unknown): Promise<Answer> =>
  shop.call('PATCH', `/v1/payment-links/${id}`, { active });

describe('a payment link', () => {
  it('is created once per key, read and listed, newest first', async () => {
    const key = randomUUID();
    const sent = {
      description: 'Workshop, 9 May',
      lineItems: [{ name: 'Seat', quantity: 2, amountCents: 4200 }],
      methods: ['card', 'pix'],
      maxPayments: 20,
      expiresAt: '2199-05-09T08:00:00Z',
    };
    const { data: link, id } = linkOf(await create(sent, key));
    expect(link).toEqual({
      ...offer,
      ...sent,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      url: expect.stringMatching(/\/l\/[0-9A-Za-z]{22}$/) as string,
      active: true,
      expiresAt: '2199-05-09T08:00:00.000Z',
      paymentCount: 0,
      environment: 'sandbox',
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
    });
    const again = await create(sent, key);
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([
      201,
      'true',
      link,
    ]);
    expect((await create({ maxPayments: 21 }, key)).body.error?.code).toBe('idempotency_key_reused');
    const newer = linkOf(await create());
    expect((await shop.call('GET', `/v1/payment-links/${id}`)).body.data).toEqual(link);
    const page = await shop.call('GET', '/v1/payment-links?perPage=2');
    expect(page.body.data).toMatchObject([{ id: newer.id }, { id }]);
  });

  it('makes a hosted payment of what it offers for each customer who opens it', async () => {
    const link = linkOf(await create({ description: 'Workshop, 9 May', methods: ['pix'] }));
    const opened = await open(link.url, { 'accept-language': 'pt-BR' });
    expect(opened.status).toBe(303);
    const checkoutUrl = opened.headers.get('location') ?? '';
    expect(checkoutUrl).toMatch(/\/c\/[\w-]+$/);
    const page = await (await fetch(checkoutUrl, { headers: { 'accept-language': 'pt-BR' } })).text();
    expect(page).toContain('lang="pt"');
    expect(page).toContain('Workshop, 9 May');
    expect(page).not.toContain('value="card"');
    const listed = await shop.call('GET', '/v1/payments?perPage=1');
    const { amountCents, reference } = offer;
    expect(listed.body.data).toMatchObject([
      { amountCents, reference, description: 'Workshop, 9 May', locale: 'auto' },
    ]);
    const other = await open(link.url);
    expect(other.headers.get('location')).not.toBe(checkoutUrl);
  });

  it('leads the same browser to the payment that it began, while that can be paid', async () => {
    const link = linkOf(await create({ maxPayments: 1 }));
    const opened = await open(link.url);
    const checkoutUrl = opened.headers.get('location') ?? '';
    const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    expect(opened.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax/);
    const again = await open(link.url, { cookie });
    expect([again.status, again.headers.get('location')]).toEqual([303, checkoutUrl]);
    expect((await open(link.url)).status).toBe(410);

    expect((await new PageClient(checkoutUrl, world.vaultUrl).payByCard('4242424242424242')).status).toBe(
      200,
    );
    const over = await open(link.url, { cookie });
    const page = await over.text();
    expect([over.status, titleIn(page)]).toEqual([410, "This payment link can't be used"]);
    // The page names the shop, and offers the way to a new link.
    expect(page).toMatch(/<span class="shop-name" dir="auto">[^<]+<\/span>/);
    expect(page).toContain(`href="${offer.cancelUrl}"`);
    // The cookie of one link is not valid for another.
    const other = linkOf(await create());
    expect((await open(other.url, { cookie })).headers.get('location')).not.toBe(checkoutUrl);
  });

  it('begins no more payments than it allows, also with many customers at once, and one more when one ended unpaid', async () => {
    const link = linkOf(await create({ maxPayments: 3 }));
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await open(link.url)).status));
    expect(statuses.filter((status) => status === 303)).toHaveLength(3);
    expect(statuses.filter((status) => status !== 303)).toEqual([410, 410, 410, 410, 410]);
    const count = async () =>
      (await shop.call('GET', `/v1/payment-links/${link.id}`)).body.data?.['paymentCount'];
    expect(await count()).toBe(3);
    const { rows } = await world.database.query<{ id: string }>(
      `SELECT payment_id AS id FROM payment_link_uses WHERE link_id = $1 LIMIT 1`,
      [link.id],
    );
    const clock = await keyed(
      shop,
      `/v1/sandbox/payments/${rows[0]?.id}/advance-clock`,
      { bySeconds: 7200 },
      randomUUID(),
    );
    expect(clock.status).toBe(200);
    expect(await count()).toBe(2);
  });

  it('counts the places that another call is about to take', async () => {
    const { id: linkId } = linkOf(await create({ maxPayments: 1 }));
    let second: Promise<boolean> = Promise.resolve(true);
    await inTransaction(world.database, async (first) => {
      await first.query('SELECT FROM payment_links WHERE id = $1 FOR UPDATE', [linkId]);
      await first.query('INSERT INTO payment_link_uses VALUES ($1, $2, clock_timestamp())', [
        randomUUID(),
        linkId,
      ]);
      second = reserveUse(world.database, { linkId, paymentId: randomUUID() });
      await eventually(async () => {
        const { rowCount } = await first.query('SELECT FROM pg_locks WHERE NOT granted');
        return rowCount === 0 ? undefined : true;
      });
    });
    expect(await second).toBe(false);
  });

  it('that is closed, has expired, or is unknown is a page with a title, and begins nothing', async () => {
    const link = linkOf(await create());
    expect((await change(link.id, false)).body.data).toMatchObject({ id: link.id, active: false });
    expect((await open(link.url)).status).toBe(410);
    expect((await change(link.id, true)).body.data).toMatchObject({ active: true });
    expect((await open(link.url)).status).toBe(303);
    await world.database.query(`UPDATE payment_links SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      link.id,
    ]);
    expect((await open(link.url)).status).toBe(410);
    // PostgreSQL accepts no NUL in a text.
    for (const slug of ['0'.repeat(22), '%00', 'x'.repeat(2_000)]) {
      const unknown = await open(`${world.baseUrl}/l/${slug}`);
      expect([unknown.status, await titleOf(unknown)]).toEqual([404, "This link isn't valid"]);
    }
    const { rows } = await world.database.query(
      `SELECT action FROM audit_entries WHERE subject_id = $1 ORDER BY sequence`,
      [link.id],
    );
    expect(rows).toEqual(
      ['created', 'changed', 'changed'].map((verb) => ({ action: `paymentLink.${verb}` })),
    );
  });

  it('begins nothing for a browser that loads it in advance, nor for a merchant that was disabled', async () => {
    const link = linkOf(await create());
    expect((await open(link.url, { 'sec-purpose': 'prefetch;prerender' })).status).toBe(204);
    expect((await shop.call('GET', `/v1/payment-links/${link.id}`)).body.data).toMatchObject({
      paymentCount: 0,
    });
    await world.database.query(`UPDATE merchants SET status = 'disabled' WHERE id = $1`, [merchantId]);
    expect((await open(link.url)).status).toBe(404);
    await world.database.query(`UPDATE merchants SET status = 'active' WHERE id = $1`, [merchantId]);
    expect((await open(link.url)).status).toBe(303);
  });

  it('is of one merchant and environment', async () => {
    const link = linkOf(await create());
    const others = [await world.key(await world.merchant(), 'sandbox'), await world.key(merchantId, 'live')];
    for (const key of others) {
      const other = new Shop(world.baseUrl, key);
      expect((await other.call('GET', `/v1/payment-links/${link.id}`)).status).toBe(404);
      expect((await other.call('PATCH', `/v1/payment-links/${link.id}`, { active: false })).status).toBe(404);
      expect((await other.call('GET', '/v1/payment-links')).body.data).toEqual([]);
    }
  });
});

it.each([
  ['amountCents', { amountCents: 499 }],
  ['lineItems', { lineItems: [{ name: 'Seat', quantity: 1, amountCents: 4100 }] }],
  ['methods', { methods: [] }],
  ['methods', { methods: ['card', 'card'] }],
  ['methods.0', { methods: ['cash'] }],
  ['maxPayments', { maxPayments: 0 }],
  ['expiresAt', { expiresAt: 'tomorrow' }],
  ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['successUrl', { successUrl: 'ftp://shop.example' }],
  ['body', { price: 3 }],
])('a link with a wrong field is refused with its name: %s', async (field, changes) => {
  const { status, body } = await create(changes);
  expect([status, body.error?.code, body.error?.field]).toEqual([422, 'validation_failed', field]);
});

it('a change names active, and nothing else', async () => {
  const { id } = linkOf(await create());
  expect((await change(id, 'no')).body.error).toMatchObject({ code: 'validation_failed', field: 'active' });
  const { body } = await shop.call('PATCH', `/v1/payment-links/${id}`, { active: true, amountCents: 500 });
  expect(body.error).toMatchObject({ code: 'validation_failed', field: 'body' });
});
