import { randomUUID } from 'node:crypto';
import { jsonBody } from '../../support/answers.ts';
import { Shop, validCreate } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const bought = {
  description: 'Café & <script>alert(1)</script>',
  lineItems: [
    { name: '<script>', quantity: 2, amountCents: 2_000 },
    { name: 'Shipping', quantity: 1, amountCents: 500 },
  ],
  locale: 'auto',
};
const nothing = { description: undefined, lineItems: undefined, locale: undefined };

const shownOf = ({ description, lineItems, locale }: Record<string, unknown>) => ({
  description,
  lineItems,
  locale,
});
const list = async (path: string) => (jsonBody(await shop.call('GET', path)) as { data: never[] }).data;

describe('the language of the page', () => {
  const pageOf = async (fields: Record<string, unknown>, languages: string, query = '') => {
    const created = await shop.create(fields);
    const url = `${String(created.body.data?.['checkoutUrl'])}${query}`;
    const html = await (await fetch(url, { headers: { 'accept-language': languages } })).text();
    return {
      language: /<html lang="(\w+)"/.exec(html)?.[1],
      offered: /<p class="offered" lang="(\w+)"/.exec(html)?.[1],
    };
  };

  it.each([
    ['pt-BR,pt;q=0.9,en;q=0.8', 'pt'],
    ['en;q=0.1, es-419;q=0.7', 'es'],
    ['de, pt;q=0, fr', 'en'],
    ['*', 'en'],
    ['', 'en'],
    ['q=;;,,;=,xx-q', 'en'],
  ])('follows a browser that asks for "%s"', async (languages, language) => {
    expect(await pageOf({ locale: 'auto' }, languages)).toEqual({ language, offered: undefined });
  });

  it('offers the language of the browser where the merchant chose another, until one is chosen', async () => {
    expect(await pageOf({ locale: 'es' }, 'pt-BR,en')).toEqual({ language: 'es', offered: 'pt' });
    expect(await pageOf({ locale: 'es' }, 'es-MX,en')).toEqual({ language: 'es', offered: undefined });
    expect(await pageOf({ locale: 'es' }, 'de')).toEqual({ language: 'es', offered: undefined });
    const chosen = { language: 'en', offered: undefined };
    expect(await pageOf({ locale: 'es' }, 'pt-BR', '?lang=en')).toEqual(chosen);
    expect(await pageOf({ locale: 'auto' }, 'pt-BR', '?lang=en')).toEqual(chosen);
  });
});

describe('what is bought', () => {
  it('is shown on the page as text', async () => {
    const created = await shop.create(bought);
    const html = await (await fetch(String(created.body.data?.['checkoutUrl']))).text();
    const detail = /<details class="bought".*?<\/details>/s.exec(html)?.[0] ?? '';
    expect(detail).toContain('Café &amp; &lt;script>alert(1)&lt;/script>');
    expect(detail).toMatch(/&lt;script> <span class="line-count">× 2<\/span><\/span><span[^>]*>\$20.00</);
    expect(detail).not.toContain('<script');
    const plain = await shop.create();
    const without = await (await fetch(String(plain.body.data?.['checkoutUrl']))).text();
    expect(without).not.toContain('<details');
  });

  it('is returned by every read of the payment, by its event and in CSV', async () => {
    const reference = randomUUID();
    const id = await shop.customPayment({ reference, ...bought });
    const plain = await shop.customPayment({ reference: `${reference}-plain` });

    expect(shownOf(await shop.read(id))).toEqual(bought);
    expect(shownOf(await shop.read(plain))).toEqual(nothing);
    expect(Object.keys(await shop.read(plain))).toHaveLength(22);
    const [listed] = (await list('/v1/payments?perPage=2')).slice(1);
    expect(shownOf(listed ?? {})).toEqual(bought);
    const [found] = await list(`/v1/search/payments?reference=${reference}`);
    expect(shownOf(found ?? {})).toEqual(bought);
    const timeline = await shop.call('GET', `/v1/payments/${id}/timeline`);
    expect(shownOf((timeline.body.data?.['payment'] ?? {}) as Record<string, unknown>)).toEqual(bought);

    const csv = await shop.call('GET', `/v1/search/payments?reference=${reference}`, undefined, {
      accept: 'text/csv',
    });
    const [head, line] = csv.text.split('\r\n');
    expect(head?.endsWith(',environment,description,lineItems,locale')).toBe(true);
    const quoted = JSON.stringify(bought.lineItems).replaceAll('"', '""');
    expect(line?.endsWith(`,${bought.description},"${quoted}",auto`)).toBe(true);

    expect((await shop.pay(id, await shop.captureCard(id))).status).toBe(200);
    const [event] = await list(`/v1/events?paymentId=${id}`);
    expect(shownOf((event ?? { data: {} }).data)).toEqual(bought);
  });

  it('is part of an idempotent creation', async () => {
    const key = randomUUID();
    const first = await shop.create(bought, key);
    expect(first.status).toBe(201);
    const again = await shop.create(bought, key);
    expect([again.status, again.headers.get('idempotent-replayed'), again.text]).toEqual([
      201,
      'true',
      first.text,
    ]);
    for (const change of [{ description: 'Other' }, { lineItems: undefined }, { locale: 'en' }]) {
      const other = await shop.create({ ...bought, ...change }, key);
      expect([other.status, other.body.error?.code]).toEqual([409, 'idempotency_key_reused']);
    }
  });

  it('is refused when its lines do not add up, with both sums', async () => {
    const answer = await shop.create({ ...bought, amountCents: 4_200 });
    expect([answer.status, answer.body.error?.field]).toEqual([422, 'lineItems']);
    expect(answer.body.error?.message).toContain('2500');
    expect(answer.body.error?.message).toContain('4200');
  });

  const item = { name: 'Beans', quantity: 1, amountCents: 2_500 };
  it.each<[string, Record<string, unknown>, string, string]>([
    ['an empty description', { description: '' }, 'description', '1 to 500'],
    ['a long description', { description: 'x'.repeat(501) }, 'description', '1 to 500'],
    ['a card number', { description: '4242 4242 4242 4242' }, 'description', 'card number'],
    ['no list', { lineItems: item }, 'lineItems', 'a list'],
    ['no lines', { lineItems: [] }, 'lineItems', '1 to 100'],
    [
      '500 lines',
      { lineItems: Array.from({ length: 500 }, () => ({ ...item, amountCents: 5 })) },
      'lineItems',
      '1 to 100',
    ],
    ['an empty name', { lineItems: [{ ...item, name: '' }] }, 'lineItems.0.name', '1 to 120'],
    ['a long name', { lineItems: [{ ...item, name: 'x'.repeat(121) }] }, 'lineItems.0.name', '1 to 120'],
    ['a negative quantity', { lineItems: [{ ...item, quantity: -1 }] }, 'lineItems.0.quantity', '1 to 9999'],
    ['no quantity', { lineItems: [{ ...item, quantity: 0 }] }, 'lineItems.0.quantity', '1 to 9999'],
    ['half a piece', { lineItems: [{ ...item, quantity: 0.5 }] }, 'lineItems.0.quantity', '1 to 9999'],
    ['a negative amount', { lineItems: [{ ...item, amountCents: -1 }] }, 'lineItems.0.amountCents', 'from 0'],
    [
      'an unknown field',
      { lineItems: [{ ...item, amount: 1 }] },
      'lineItems.0',
      'Did you mean "amountCents"?',
    ],
    ['null', { lineItems: null }, 'lineItems', 'a list'],
    ['another locale', { locale: 'AUTO' }, 'locale', 'auto'],
  ])('is refused with %s', async (_title, change, field, says) => {
    const answer = await shop.create(change);
    expect([answer.status, answer.body.error?.field]).toEqual([422, field]);
    expect(answer.body.error?.message).toContain(says);
  });

  it('takes a hundred lines of the longest names, all escaped', async () => {
    const lineItems = Array.from({ length: 100 }, () => ({
      name: '\u{1f600}'.repeat(120),
      quantity: 9_999,
      amountCents: 25,
    }));
    const description = '\u{1f600}'.repeat(500);
    const body = JSON.stringify({ ...validCreate, lineItems, description }).replaceAll(
      '\u{1f600}',
      '\\ud83d\\ude00',
    );
    const answer = await shop.call('POST', '/v1/payments', body, { 'idempotency-key': randomUUID() });
    expect([answer.status, answer.text.slice(0, 100)]).toEqual([201, expect.any(String)]);
    const read = await shop.read(String(answer.body.data?.['id']));
    expect(read['lineItems']).toEqual(lineItems);
  });

  it('never changes: the database refuses it', async () => {
    const id = await shop.customPayment(bought);
    for (const change of [
      "description = 'other'",
      `line_items = '[{"name":"x","quantity":1,"amountCents":2500}]'`,
      'locale_auto = false',
    ]) {
      await expect(world.database.query(`UPDATE payments SET ${change} WHERE id = $1`, [id])).rejects.toThrow(
        'the terms of a payment may not change',
      );
    }
  });
});
