import { openApiDocument } from '../../../src/api/docs/document.ts';
import type { Json } from '../../../src/api/docs/json.ts';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import { endpointOfMany, manyDeliveries, manyDisputes, manyPayments } from '../../support/many-rows.ts';
import { idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let client: DashboardClient;
let merchantId: string;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600' }, { webhooks: true });
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  client = await DashboardClient.by(world, await ownerLink(world, merchantId));
});
afterAll(() => world.close());

const home = '/dashboard/sandbox';

/** Returns the names of the API's fields that are not words, such as `amountCents`. */
function fieldNames(): Set<string> {
  const names = new Set<string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (value !== null && typeof value === 'object') {
      const { properties } = value;
      if (typeof properties === 'object' && properties !== null && !Array.isArray(properties)) {
        for (const property of Object.keys(properties)) names.add(property);
      }
      Object.values(value).forEach(visit);
    }
  };
  visit(openApiDocument('https://pay.example'));
  return new Set([...names].filter((name) => /[a-z][A-Z]|_/.test(name)));
}

/** Returns the text of a page that people read, without text shown as code. */
const textOf = (html: string): string =>
  (/<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? '')
    .replaceAll(/<(code|pre|option|textarea)[^>]*>.*?<\/\1>/gs, ' ')
    .replaceAll(/<[^>]+>/g, ' ');

describe('the text of every page', () => {
  it('has no field name of the API and no raw code, and the zone at the head of instants', async () => {
    const paid = await paidPayment(shop, undefined, { customer: { email: 'ada@example.org', name: 'Ada' } });
    const declined = await shop.customPayment();
    await shop.pay(declined, await shop.captureCard(declined, '4000000000009995'));
    const failed = await shop.customPayment();
    await shop.pay(failed, await shop.captureCard(failed, '4000000000009987'));
    await refund(shop, paid, { amountCents: 100, reason: 'requestedByCustomer' });
    const second = await paidPayment(shop);
    const dispute = await keyed(shop, `/v1/sandbox/payments/${second}/disputes`, { reason: 'fraudulent' });
    const endpoint = await endpointOfMany(world.database, merchantId);
    await manyDeliveries(world.database, endpoint, { count: 10, overSeconds: 60 });
    await world.database.query(
      `UPDATE events SET data = json_build_object('id', $2::text) WHERE merchant_id = $1 AND payment_id IS NULL`,
      [merchantId, paid],
    );
    await world.database.query(
      `WITH run AS (
         INSERT INTO reconciliation_runs (id, merchant_id, environment, span_from, span_to, status, finished_at)
         VALUES (gen_random_uuid(), $1, 'sandbox', now() - interval '1 day', now(), 'complete', now()) RETURNING id)
       INSERT INTO reconciliation_differences (run_id, merchant_id, environment, subject, kind, payment_id, theirs,
         created_at, action, number)
       SELECT id, $1, 'sandbox', 'charge ch_1', 'captured_but_not_paid', $2,
         '{"amountCents":1234,"currency":"USD","status":"captured"}', now(), 'needs_attention', 1 FROM run`,
      [merchantId, paid],
    );
    const names = fieldNames();
    expect(names.size).toBeGreaterThan(60);
    const wrong: [path: string, word: string][] = [];
    const instants = new Set<string>();
    for (const path of [
      '',
      '/payments',
      '/payments?q=nothing-like-it',
      `/payments/${paid}`,
      `/payments/${paid}?ask=refund`,
      `/payments/${declined}`,
      `/payments/${failed}`,
      '/refunds',
      '/disputes',
      `/disputes/${idOf(dispute)}`,
      '/reports',
      '/reports?by=method',
      '/reports/reconciliation',
      '/webhooks',
      `/webhooks/${endpoint}`,
      '/developers',
      '/developers/requests',
      '/settings',
      '/team',
      '/team/password',
      '/confirm',
    ]) {
      const { status, text } = await client.get(home + path);
      expect([path, status]).toEqual([path, 200]);
      for (const word of textOf(text).match(/[A-Za-z_]\w*/g) ?? []) {
        if (names.has(word) || /^[a-z]+(_[a-z]+)+$/.test(word)) wrong.push([path, word]);
      }
      // A column whose cells start with a time.
      for (const [, head = ''] of text.matchAll(/<td data-head="([^"]*)"[^>]*><div><time/g)) {
        instants.add(head);
        if (!text.includes(`${head} (UTC)`)) wrong.push([path, `${head} without its zone`]);
      }
    }
    expect(wrong).toEqual([]);
    expect(instants.size).toBeGreaterThan(5);
  });

  it('says what to do in the words of the page after a refused form', async () => {
    const paid = await paidPayment(shop);
    for (const [path, fields] of [
      [`/payments/${paid}/refunds`, { amount: '99999.00' }],
      [`/payments/${paid}/refunds`, { amount: 'all' }],
      ['/webhooks', { url: 'not an address', events: '' }],
      ['/webhooks', { url: 'https://shop.example', events: 'nothing.like.it' }],
      ['/settings/time-zone', { timeZone: 'Mars/Olympus' }],
    ] as const) {
      const { status, text } = await client.post(home + path, fields);
      expect([path, status]).toEqual([path, 422]);
      const alert = /role="alert">([^<]+)</.exec(text)?.[1] ?? '';
      expect(alert).toMatch(/^[A-Z].*\.$/);
      expect(alert.match(/[a-z][A-Z]|[a-z]_[a-z]/)).toBeNull();
    }
  });
});

describe('a list', () => {
  const linkOf = (html: string, label: string): string =>
    new RegExp(`href="([^"]+)"[^>]*>(?:<span[^>]*>)?${label}`).exec(html)?.[1]?.replaceAll('&amp;', '&') ??
    '';

  it('names the rows that it shows, leads to older and newer ones, and sorts by time and amount', async () => {
    const many = await world.merchant();
    const by = await DashboardClient.by(world, await ownerLink(world, many));
    await manyPayments(world.database, many, { count: 119, ageSeconds: 300, final: true });
    const [big] = await manyPayments(world.database, many, { count: 1, ageSeconds: 900, final: true });
    await world.database.query(
      `ALTER TABLE payments DISABLE TRIGGER USER; UPDATE payments SET amount_cents = 990000 WHERE id = '${big}';
       ALTER TABLE payments ENABLE TRIGGER USER`,
    );
    const shown = (html: string): string => /data-testid="shown">([^<]*)</.exec(html)?.[1] ?? '';
    const rows = (html: string): number => html.split('data-testid="payment-row"').length - 1;
    const first = (html: string): string =>
      /payment-row"[^]*?payments\/([0-9a-f-]{36})"/.exec(html)?.[1] ?? '';
    const one = (await by.get(`${home}/payments`)).text;
    expect([shown(one), rows(one), linkOf(one, texts.common.newer)]).toEqual(['1-50 of 120', 50, '']);
    const two = (await by.get(linkOf(one, texts.common.older))).text;
    expect(shown(two)).toBe('51-100 of 120');
    const three = (await by.get(linkOf(two, texts.common.older))).text;
    expect([shown(three), rows(three), linkOf(three, texts.common.older)]).toEqual([
      '101-120 of 120',
      20,
      '',
    ]);
    expect(linkOf(two, texts.common.newer)).toBe(`${home}/payments`);
    expect(linkOf(three, texts.common.newer)).toBe(`${home}/payments?page=2`);
    expect(first(one)).not.toBe(big);
    const byAmount = (await by.get(linkOf(one, 'Amount'))).text;
    expect(first(byAmount)).toBe(big);
    expect(byAmount).toContain('aria-sort="descending"');
    const byTime = (await by.get(linkOf(one, 'Created'))).text;
    expect(first(byTime)).toBe(big);
    expect(byTime).toContain('aria-sort="ascending"');
    expect(one).toContain(
      'Paid<span class="badge text-muted-foreground" data-variant="secondary">120</span>',
    );
    expect(one).toContain('<dd>$12,875.00</dd>');
    const found = (await by.get(`${home}/payments?q=rde&status=paid`)).text;
    expect(shown(found)).toBe('1-50 of 120');
    expect(shown((await by.get(`${home}/payments?status=disputes`)).text)).toBe('');
  });

  it('of refunds and disputes has the same, and a CSV of what is filtered', async () => {
    const many = await world.merchant();
    const by = await DashboardClient.by(world, await ownerLink(world, many));
    const [paymentId = ''] = await manyPayments(world.database, many, {
      count: 1,
      ageSeconds: 60,
      final: true,
    });
    await manyDisputes(world.database, many, { paymentId, count: 60, overSeconds: 60 });
    const { text } = await by.get(`${home}/disputes`);
    expect(text).toContain('>1-50 of 60<');
    const csv = (await by.get(`${home}/disputes.csv`)).text.trimEnd().split('\r\n');
    expect([csv.length, csv[0]]).toEqual([61, expect.stringMatching(/^id,paymentId,status,/)]);
    const refunds = await by.get(`${home}/refunds.csv?status=pending`);
    expect([refunds.headers.get('content-type'), refunds.text.trimEnd()]).toEqual([
      expect.stringContaining('text/csv'),
      expect.stringMatching(/^id,paymentId,status,/),
    ]);
    expect((await by.get(`${home}/refunds.csv?status=x`)).location).toBe(`${home}/refunds?status=x`);
  });

  it('writes times in the zone of the settings, and its days begin there', async () => {
    const by = await DashboardClient.by(world, await ownerLink(world, await world.merchant()));
    expect((await by.get(`${home}/settings`)).text).toContain('Time zone');
    const saved = await by.post(`${home}/settings/time-zone`, { timeZone: 'America/Sao_Paulo' });
    expect(saved.location).toBe(`${home}/settings?done=settingsSaved`);
    const key = await world.database.query<{ id: string }>(
      'SELECT merchant_id AS id FROM merchant_settings WHERE time_zone = $1',
      ['America/Sao_Paulo'],
    );
    const id = key.rows[0]?.id ?? '';
    const [payment = ''] = await manyPayments(world.database, id, { count: 1, ageSeconds: 60, final: true });
    await world.database.query(
      `ALTER TABLE payments DISABLE TRIGGER USER;
       UPDATE payments SET created_at = '2026-03-10T02:30:00Z' WHERE id = '${payment}';
       ALTER TABLE payments ENABLE TRIGGER USER`,
    );
    const listed = (await by.get(`${home}/payments?from=2026-03-09&to=2026-03-09`)).text;
    expect(listed).toContain('title="America/Sao_Paulo">Created (GMT-3)<');
    expect(listed).toContain('9 Mar 2026, 23:30');
    expect((await by.get(`${home}/payments?from=2026-03-10`)).text).not.toContain(payment);
  });
});

describe('a report', () => {
  it('counts each movement where it is booked: what is noticed later changes no past month', async () => {
    const many = await world.merchant();
    const by = await DashboardClient.by(world, await ownerLink(world, many));
    const payments = await manyPayments(world.database, many, { count: 3, ageSeconds: 60, final: true });
    const change = (sql: string) =>
      world.database.query(
        `ALTER TABLE payments DISABLE TRIGGER USER; ${sql}; ALTER TABLE payments ENABLE TRIGGER USER`,
      );
    await change(
      `UPDATE payments SET created_at = '2026-03-31T22:00:00Z', paid_at = '2026-03-31T23:30:00Z', method = 'card'
       WHERE id = '${payments[0]}';
       UPDATE payments SET created_at = '2026-04-01T02:00:00Z', paid_at = '2026-04-01T02:30:00Z', method = 'pix'
       WHERE id IN ('${payments[1]}', '${payments[2]}')`,
    );
    await world.database.query(
      `SELECT book_movement('capture ' || id || ':1', 'captured', paid_at, amount_cents, currency, merchant_id,
         environment, id, NULL, NULL, method, NULL, NULL, true) FROM payments WHERE merchant_id = $1`,
      [many],
    );
    const lines = async (query: string): Promise<string[]> =>
      (await by.get(`${home}/reports.csv?${query}`)).text.trimEnd().split('\r\n').slice(1);
    const march = 'from=2026-03-01&to=2026-04-30&by=month';
    expect(await lines(march)).toEqual(['2026-03,2500,0,0,2500,1,0', '2026-04,5000,0,0,5000,2,0']);
    expect(await lines('from=2026-03-01&to=2026-04-30&by=method')).toEqual([
      'card,2500,0,0,2500,1,0',
      'pix,5000,0,0,5000,2,0',
    ]);
    expect(await lines('from=2026-03-31T23:00:00Z&to=2026-04-01T02:00:00Z')).toEqual([
      '2026-03-31,2500,0,0,2500,1,0',
    ]);
    await world.database.query(
      `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, status, metadata, created_at,
         submit_after, submitted_at, succeeded_at)
       SELECT gen_random_uuid(), merchant_id, environment, id, 700, 'succeeded', '{}', t, t, t, t
       FROM payments, (VALUES ('2026-05-02T00:00:00Z'::timestamptz)) AS v (t) WHERE id = $1`,
      [payments[0]],
    );
    expect(await lines(march)).toEqual(['2026-03,2500,0,0,2500,1,0', '2026-04,5000,0,0,5000,2,0']);
    // The refund belongs to a closed month, and was noticed now.
    expect(await lines('from=2026-05-01&to=2026-05-31&by=month')).toEqual([]);
    expect(await lines('by=method')).toEqual(['card,0,700,0,-700,0,0']);
    const movements = (await by.get(`${home}/movements.csv?from=2026-03-01&to=2026-04-30`)).text.split(
      '\r\n',
    );
    expect([movements.length, movements[0]]).toEqual([
      5,
      expect.stringMatching(/^id,type,amountCents,currency,occurredAt,bookedAt,bookedOn,paymentId,/),
    ]);
    expect(movements[3]).toContain(`,captured,2500,USD,2026-03-31T23:30:00.000Z,`);
    expect((await by.get(`${home}/movements.csv?from=x`)).location).toBe(`${home}/reports?from=x`);
    const { text } = await by.get(`${home}/reports?${march}`);
    expect(text).toContain('$75.00');
    const total = /<tr data-testid="report-row-total">(.*?)<\/tr>/s.exec(text)?.[1] ?? '';
    expect(
      total
        .replaceAll(/<[^>]+>/g, ' ')
        .split(/\s+/)
        .filter(Boolean),
    ).toEqual([...['Total', '$75.00', '$0.00', '$0.00', '$75.00', '3', '100%']]);
    expect(text).toContain(`href="${home}/refunds.csv?from=2026-03-01&amp;to=2026-04-30"`);
    expect(
      (await by.get(`${home}/refunds.csv?from=2026-03-01&to=2026-04-30`)).text.split('\r\n'),
    ).toHaveLength(2);
    expect((await by.get(`${home}/payments.csv?from=2026-03-31&to=2026-03-31`)).text).toContain(payments[0]);

    await by.post(`${home}/settings/time-zone`, { timeZone: 'America/Sao_Paulo' });
    expect(await lines(march)).toEqual(['2026-03,2500,0,0,2500,1,0', '2026-04,5000,0,0,5000,2,0']);
  });

  it.each([
    ['from=0001-01-01&to=9999-12-31&by=month', 200, ''],
    ['from=0001-01-01&to=9999-12-31', 200, 'at most 400 days'],
    ['from=nonsense', 200, 'A date is invalid'],
    ['from=2026-04-01&to=2026-03-01', 200, 'later than'],
    ['by=week', 200, 'doesn'],
  ])('of %s is a page', async (query, status, notice) => {
    const answer = await client.get(`${home}/reports?${query}`);
    expect(answer.status).toBe(status);
    const alert = /class="alert notice bad" role="alert">([^<]+)/.exec(answer.text)?.[1] ?? '';
    expect([alert !== '', alert]).toEqual([notice !== '', expect.stringContaining(notice)]);
  });
});
