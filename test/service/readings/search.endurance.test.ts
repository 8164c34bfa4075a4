import { randomUUID } from 'node:crypto';
import { jsonBody } from '../../support/answers.ts';
import { Shop } from '../../support/shop.ts';
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

interface Found {
  data: { id: string; reference: string; createdAt: string }[];
  meta: { nextCursor: string | null };
}

async function search(query: string, caller = shop): Promise<Found> {
  const answer = await caller.call('GET', `/v1/search/payments${query}`);
  expect([query, answer.status, answer.text]).toEqual([query, 200, expect.any(String)]);
  return jsonBody(answer) as Found;
}
const ids = ({ data }: Found): string[] => data.map(({ id }) => id);
const created = async (fields: Record<string, unknown>): Promise<string> => shop.customPayment({ ...fields });

/** Returns every page of a search. */
async function walk(query: string, between: () => Promise<unknown> = async () => undefined) {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Found = await search(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    found.push(...ids(page));
    cursor = page.meta.nextCursor;
    if (cursor !== null) await between();
  }
  return found;
}

describe('a search for a part of a text', () => {
  it('finds it in the reference, the name and the e-mail address, in any case of letters', async () => {
    const mark = randomUUID().slice(0, 8);
    const reference = await created({ reference: `Order-${mark}-7` });
    const name = await created({ customer: { name: `Ada ${mark} Lovelace` } });
    const email = await created({ customer: { email: `ada.${mark}@example.org` } });
    await created({ reference: 'another' });
    expect(ids(await search(`?q=${mark.toUpperCase()}`))).toEqual([email, name, reference]);
    expect(await walk(`?q=${mark}&limit=1`)).toEqual([email, name, reference]);
    expect(ids(await search(`?q=${mark}-7`))).toEqual([reference]);
    expect(ids(await search(`?q=${mark}&status=paid`))).toEqual([]);
    expect(ids(await search(`?q=${mark}&checkoutStatus=open&reference=Order-${mark}-7`))).toEqual([
      reference,
    ]);
    expect(ids(await search(`?customerName=ADA%20${mark}%20lovelace`))).toEqual([name]);
    expect(ids(await search(`?customerName=ADA%20${mark}`))).toEqual([]);
    expect(ids(await search(`?customerName=ADA%20${mark}%20lovelace&q=another`))).toEqual([]);
    const other = await world.merchant();
    const stranger = new Shop(world.baseUrl, await world.key(other, 'sandbox'));
    expect(ids(await search(`?q=${mark}`, stranger))).toEqual([]);
  });

  it('takes signs of patterns as they are', async () => {
    const mark = randomUUID().slice(0, 8);
    const id = await created({ reference: `${mark} 100%_\\x` });
    expect(ids(await search(`?q=${encodeURIComponent('100%_\\x')}`))).toEqual([id]);
    expect(ids(await search(`?q=${encodeURIComponent(`${mark}%x`)}`))).toEqual([]);
  });

  it.each(['ab', 'x'.repeat(256), 'x'.repeat(10_000), '%00abc'])(
    'refuses %.10s with what to do',
    async (q) => {
      const answer = await shop.call('GET', `/v1/search/payments?q=${q}`);
      expect([answer.status, answer.body.error]).toMatchObject([
        422,
        { code: 'validation_failed', field: 'q', message: expect.stringContaining('3 to 255 characters') },
      ]);
    },
  );
});

describe('search', () => {
  it('finds by each filter, and by all of them together', async () => {
    const reference = `order ${randomUUID()}`;
    const email = `Ada+${randomUUID()}@Example.com`;
    const wanted = await created({ reference, amountCents: 4711, customer: { email } });
    await created({ amountCents: 4710 });
    // Declined first, with another card than the one that is shown.
    const card = await shop.captureCard(wanted, '4000000000009995');
    await shop.pay(wanted, card);
    const encoded = encodeURIComponent(email.toLowerCase());
    const of = (await shop.read(wanted)) as { createdAt: string };
    const day = of.createdAt.slice(0, 10);
    const all = [
      `reference=${encodeURIComponent(reference)}`,
      `email=${encoded}`,
      'last4=9995',
      'method=card',
      'status=pending',
      'amountFrom=4711',
      'amountTo=4711',
      `from=${day}`,
      `to=${of.createdAt}`,
    ];
    for (const one of [...all.slice(0, 3), `${all[5]}&${all[6]}`, all.join('&')]) {
      expect([one, ids(await search(`?${one}`))]).toEqual([one, [wanted]]);
    }
    for (const one of all) expect(ids(await search(`?${one}&limit=100`))).toContain(wanted);
    // Each of these conditions excludes the wanted payment.
    const others = [
      `reference=${encodeURIComponent(reference.toUpperCase())}`,
      'email=bob%40example.com',
      'last4=4242',
      'method=pix',
      'status=paid',
      'amountFrom=4712&amountTo=9000',
      'amountFrom=1&amountTo=4710',
      `from=${new Date(Date.parse(of.createdAt) + 1).toISOString()}`,
      `to=${new Date(Date.parse(of.createdAt) - 1).toISOString()}`,
    ];
    for (const other of others) expect(ids(await search(`?${other}`))).not.toContain(wanted);
    expect((await search(`?reference=${encodeURIComponent(reference)}`)).data[0]).toEqual(
      await shop.read(wanted),
    );
  });

  it('finds nothing for another merchant or environment, which cannot use the cursor either', async () => {
    const reference = randomUUID();
    await created({ reference });
    await created({ reference });
    const stranger = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
    const live = new Shop(world.baseUrl, await world.key(merchantId, 'live'));
    const mine = await search(`?reference=${reference}&limit=1`);
    expect(mine.data).toHaveLength(1);
    for (const other of [stranger, live]) {
      expect((await search(`?reference=${reference}`, other)).data).toEqual([]);
      const stolen = await other.call(
        'GET',
        `/v1/search/payments?reference=${reference}&cursor=${mine.meta.nextCursor}`,
      );
      expect([stolen.status, stolen.body.error?.field]).toEqual([400, 'cursor']);
    }
  });

  it('refuses unknown, malformed, reversed, too long and forged parameters', async () => {
    const { meta } = await search('?limit=1');
    expect(meta.nextCursor).not.toBeNull();
    const cursor = String(meta.nextCursor);
    const changed = `${cursor.slice(0, 40)}${cursor[40] === 'A' ? 'B' : 'A'}${cursor.slice(41)}`;
    const refused: [string, string][] = [
      [`reference=${'a'.repeat(10_000)}`, 'reference'],
      [`email=${'a'.repeat(10_000)}`, 'email'],
      [`cursor=${'a'.repeat(10_000)}`, 'cursor'],
      ['reference=%00', 'reference'],
      ['reference=', 'reference'],
      ['last4=42', 'last4'],
      ['last4=abcd', 'last4'],
      ['method=cash', 'method'],
      ['status=open', 'status'],
      ['amountFrom=-1', 'amountFrom'],
      ['amountFrom=1.5', 'amountFrom'],
      ['amountFrom=2&amountTo=1', 'amountFrom'],
      ['from=2026-02-30', 'from'],
      ['from=2026-03-02&to=2026-03-01', 'from'],
      ['from=2026-03-02T00:00:00Z&to=2026-03-01T23:59:59Z', 'from'],
      ['to=2026-03-01T00:00:00', 'to'],
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=1&limit=1', 'limit'],
      ['x=1', 'query'],
      ['cursor=%ff', 'query'],
      [`limit=1&cursor=${changed}`, 'cursor'],
      ['cursor=abc', 'cursor'],
      // A cursor of another search.
      [`status=paid&cursor=${cursor}`, 'cursor'],
    ];
    for (const [query, field] of refused) {
      const { status, body } = await shop.call('GET', `/v1/search/payments?${query}`);
      const label = query.slice(0, 60);
      expect([label, status, body.error?.code, body.error?.field]).toEqual([
        label,
        400,
        'invalid_query',
        field,
      ]);
      expect(body.error?.message.length).toBeLessThan(200);
    }
    expect((await shop.call('GET', `/v1/search/payments?limit=2&cursor=${cursor}`)).status).toBe(200);
  });

  it('pages contain each payment once beside creates and status changes', async () => {
    const before: string[] = [];
    for (let n = 0; n < 24; n += 1) before.push(await created({ amountCents: 3333 }));
    // Several payments have the same millisecond, so the id decides.
    await world.database.query('ALTER TABLE payments DISABLE TRIGGER payments_terms');
    await world.database.query(
      `UPDATE payments SET created_at = date_trunc('second', created_at) WHERE id = ANY ($1)`,
      [before.slice(0, 12)],
    );
    await world.database.query('ALTER TABLE payments ENABLE TRIGGER payments_terms');
    let turn = 0;
    const meanwhile = async () => {
      turn += 1;
      await created({ amountCents: 3333 });
      const [id = ''] = before.slice(-turn);
      await shop.pay(id, await shop.captureCard(id));
    };
    const walked = await walk('?amountFrom=3333&amountTo=3333&limit=5', meanwhile);
    expect(turn).toBeGreaterThan(3);
    expect(new Set(walked).size).toBe(walked.length);
    expect(walked.filter((id) => before.includes(id)).toSorted()).toEqual(before.toSorted());
    // Payments that are newer than the first page add nothing to later pages.
    expect(walked.filter((id) => !before.includes(id))).toEqual([]);
  });
});

/** Parses CSV by RFC 4180 without a library: doubled quotes, lines that end with CRLF. */
function parseCsv(text: string): string[][] {
  const lines: string[][] = [[]];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/gy;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) throw new Error('the text is no CSV');
    const [, value = '', end] = match;
    lines.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end === '\r\n') lines.push([]);
  }
  return lines.filter((line) => line.length > 0);
}

describe('CSV', () => {
  it('streams all matches over several reads, with the same filter', async () => {
    const owner = await world.merchant();
    const caller = new Shop(world.baseUrl, await world.key(owner, 'sandbox'));
    await world.database.query(
      `INSERT INTO payments (id, merchant_id, environment, checkout_mode, reference, amount_cents, currency, metadata,
         success_url, cancel_url, offered_methods, locale, checkout_url_sealed, checkout_token_hash, vault_id,
         created_at, expires_at, capture_expires_at)
       SELECT gen_random_uuid(), $1, 'sandbox', 'hosted', 'order-' || n, 500 + n % 2, 'USD', '{}', 'https://s.example',
         'https://s.example', '{card}', 'en', '\\x00', sha256(gen_random_uuid()::text::bytea),
         substr(md5(gen_random_uuid()::text), 1, 30), now(), now(), now()
       FROM generate_series(1, 2600) AS n`,
      [owner],
    );
    const csv = { accept: 'text/csv' };
    const answer = await caller.call('GET', '/v1/search/payments?amountFrom=501&limit=7', undefined, csv);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    const [header = [], ...lines] = parseCsv(answer.text);
    expect(header).toEqual(expect.arrayContaining(['id', 'reference', 'status', 'amountCents', 'createdAt']));
    expect(lines).toHaveLength(1300);
    const [id, amount] = [header.indexOf('id'), header.indexOf('amountCents')];
    expect(new Set(lines.map((line) => line[id])).size).toBe(1300);
    expect(new Set(lines.map((line) => line[amount]))).toEqual(new Set(['501']));
    const bad = await caller.call('GET', '/v1/search/payments?limit=0', undefined, csv);
    expect([bad.status, bad.body.error?.code]).toEqual([400, 'invalid_query']);
    const none = await caller.call('GET', '/v1/search/payments?reference=none', undefined, csv);
    expect(parseCsv(none.text)).toEqual([header]);
  });

  it('contains no formula, whatever a reference or a name begins with', async () => {
    const references = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\r\n=2', 'a "quoted", one', 'plain'];
    for (const [n, reference] of references.entries()) {
      await created({
        reference,
        amountCents: 6060,
        customer: { email: `-n${n}@x.example`, name: '=cmd()' },
      });
    }
    const { text } = await shop.call('GET', '/v1/search/payments?amountFrom=6060&amountTo=6060', undefined, {
      accept: 'text/csv',
    });
    const [header = [], ...lines] = parseCsv(text);
    expect(lines).toHaveLength(references.length);
    const of = (name: string) => lines.map((line) => line[header.indexOf(name)] ?? '');
    expect(of('reference').toReversed()).toEqual([
      "'=1+1",
      "'+1",
      "'-1",
      "'@SUM(A1)",
      "'\tx",
      "'\r\n=2",
      'a "quoted", one',
      'plain',
    ]);
    for (const line of lines) for (const cell of line) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  });
});
