import { randomUUID } from 'node:crypto';
import { validCreate } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Probe, fault, refusal } from './contract-checks.ts';
import { type Cast, openApi, openCast, total } from './support.ts';

/** For tests that are independent of each other: side by side, because they mostly wait. */
const test = it.concurrent;

let world: World;
let cast: Cast;

beforeAll(async () => {
  world = await createWorld({}, { worker: false });
  cast = await openCast(world);
});
afterAll(() => world.close());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const repeat = (text: string, times: number) => text.repeat(times);
const url = (length: number) =>
  `https://shop.example/${repeat('a', length - 'https://shop.example/'.length)}`;
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

describe('a valid create', () => {
  test('CREATE-01, CREATE-24, CRES-01 to -05, EP-07, ENV-01: answers 201 with the creation result, stored and pending', async () => {
    const before = Date.now();
    const answer = await cast.a.create();
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(Object.keys(data ?? {}).toSorted()).toEqual([
      'checkoutUrl',
      'environment',
      'expiresAt',
      'id',
      'status',
    ]);
    expect(data).toMatchObject({
      id: expect.stringMatching(uuid),
      status: 'pending',
      environment: 'sandbox',
    });
    const expires = Date.parse(String(data?.['expiresAt']));
    // CLOSE-01, LIMIT-13: 30 minutes after creation.
    expect(expires).toBeGreaterThanOrEqual(before + 1_800_000);
    expect(expires).toBeLessThanOrEqual(Date.now() + 1_800_000);
    expect(await cast.a.read(String(data?.['id']))).toMatchObject({
      status: 'pending',
      ...validCreateRead,
    });
  });

  const validCreateRead = { amountCents: 2500, currency: 'USD', reference: 'order-1' };

  test('CLOSE-01, LIMIT-13, AMB-50: the deadline is exactly 30 minutes after createdAt', async () => {
    const read = await cast.a.read(String((await cast.a.create()).body.data?.['id']));
    expect(Date.parse(String(read['expiresAt'])) - Date.parse(String(read['createdAt']))).toBe(1_800_000);
  });

  const accepted: [string, Record<string, unknown>][] = [
    ['GEN-04, CREATE-06: currency USD', { currency: 'USD' }],
    ['CREATE-05, LIMIT-01, PMT-06: 500 cents', { amountCents: 500 }],
    ['CREATE-05, LIMIT-01, PMT-06: 100000000 cents', { amountCents: 100_000_000 }],
    ['CREATE-07, LIMIT-02, PMT-03: a reference of 1 character', { reference: 'r' }],
    ['CREATE-07, LIMIT-02, PMT-03: a reference of 255 characters', { reference: repeat('r', 255) }],
    ['CREATE-07, PMT-03: a reference of 255 times U+00E9', { reference: repeat('é', 255) }],
    ['AMB-15: a reference of 255 emoji', { reference: repeat('😀', 255) }],
    ['AMB-54: a reference that is not trimmed', { reference: '  x  ' }],
    ['URL-03, LIMIT-03, CREATE-08: a successUrl of 2048 characters', { successUrl: url(2048) }],
    ['URL-03, LIMIT-03, CREATE-09: a cancelUrl of 2048 characters', { cancelUrl: url(2048) }],
    ['URL-06: https with port, path and query', { successUrl: 'https://shop.example:8443/a?b=c' }],
    ['URL-05: http on localhost', { successUrl: 'http://localhost:3000/ok' }],
    ['URL-05: http on 127.0.0.1', { successUrl: 'http://127.0.0.1/ok' }],
    ['URL-05: http on ::1', { successUrl: 'http://[::1]:8080/ok' }],
    ['URL-09: http on LOCALHOST', { successUrl: 'http://LOCALHOST/' }],
    ['URL-09: http on an escaped localhost', { successUrl: 'http://%6Cocalhost/' }],
    ['URL-09: http on 127.1', { successUrl: 'http://127.1/' }],
    ['URL-09: http on 0x7f000001', { successUrl: 'http://0x7f000001/' }],
    ['URL-09: http on 2130706433', { successUrl: 'http://2130706433/' }],
    ['URL-09: http on a long ::1', { successUrl: 'http://[0:0:0:0:0:0:0:1]/' }],
    ['CREATE-10: paymentMethod card', { paymentMethod: 'card' }],
    ['CREATE-10, CREATE-11: paymentMethod wallet where it is enabled', { paymentMethod: 'wallet' }],
    ['CREATE-13: checkoutMode hosted', { checkoutMode: 'hosted' }],
    ['CREATE-13, CREATE-14: checkoutMode custom where it is enabled', { checkoutMode: 'custom' }],
    ['MODE-04, CREATE-12: custom with card', { checkoutMode: 'custom', paymentMethod: 'card' }],
    ['CREATE-15: locale en', { locale: 'en' }],
    ['CREATE-15: locale es', { locale: 'es' }],
    ['CREATE-15: locale pt', { locale: 'pt' }],
    ['CREATE-16, AUTH-06: environment equal to the key’s', { environment: 'sandbox' }],
    ['CREATE-18: an empty customer', { customer: {} }],
    [
      'CREATE-19, LIMIT-05: an e-mail address of 320 characters',
      { customer: { email: `${repeat('l', 64)}@${repeat('d', 251)}.com` } },
    ],
    ['CREATE-20, LIMIT-06, PMT-10: a name of 1 character', { customer: { name: 'n' } }],
    ['CREATE-20, LIMIT-06, PMT-10: a name of 255 characters', { customer: { name: repeat('n', 255) } }],
    ['CREATE-21: a document number', { customer: { documentNumber: '12345678900' } }],
    ['CREATE-22: a phone', { customer: { phone: '+15550100' } }],
    ['META-01, LIMIT-04: 100 keys', { metadata: keys(100) }],
    ['META-01: 0 keys', { metadata: {} }],
    ['META-02, LIMIT-04: 16384 canonical bytes', { metadata: { k: repeat('x', 16_376) } }],
    ['META-03: 16384 bytes of two-byte characters', { metadata: { k: repeat('é', 8188) } }],
    [
      'META-07, PMT-12, CREATE-23: nested values of every kind',
      { metadata: { a: { b: [1, true, null, 'x', { c: 0.5 }] } } },
    ],
    ['EMBED-01: an approved origin', { embeddingOrigin: 'https://shop.example' }],
  ];
  test.each(accepted)('%s is accepted and comes back as given', async (_title, fields) => {
    const answer = await cast.a.create(fields);
    expect(refusal(answer)).toEqual([201, undefined]);
    const read = await cast.a.read(String(answer.body.data?.['id']));
    const { amountCents, currency, reference, metadata } = { metadata: {}, ...validCreate, ...fields };
    expect(read).toMatchObject({ amountCents, currency, reference });
    expect(read['metadata']).toEqual(metadata);
    const { email = null, name = null } = (fields['customer'] ?? {}) as { email?: string; name?: string };
    expect(read['customer']).toEqual({ email, name });
  });

  test('META-04: white space and escapes of the request do not count', async () => {
    const body = (metadata: string) =>
      JSON.stringify({ ...validCreate, metadata: 0 }).replace('"metadata":0', () => `"metadata":${metadata}`);
    const send = (text: string) =>
      cast.a.call('POST', '/v1/payments', text, { 'idempotency-key': randomUUID() });
    expect((await send(body(`{${repeat(' ', 20_000)}"a":1}`))).status).toBe(201);
    const escaped = await send(body(`{"k":"${repeat('\\u00e9', 8188)}"}`));
    expect(escaped.status).toBe(201);
    const read = await cast.a.read(String(escaped.body.data?.['id']));
    expect(read['metadata']).toEqual({ k: repeat('é', 8188) });
  });

  test('PMT-30, AUTH-06, AUTH-07, ENV-02: without environment it is the key’s, in both environments', async () => {
    expect((await cast.a.create()).body.data).toMatchObject({ environment: 'sandbox' });
    expect((await cast.aLive.create()).body.data).toMatchObject({ environment: 'live' });
    expect((await cast.aLive.create({ environment: 'live' })).status).toBe(201);
  });

  test('AMB-55: two payments may have the same reference', async () => {
    const [one, two] = await Promise.all([cast.a.create(), cast.a.create()]);
    expect(one.body.data?.['id']).not.toBe(two.body.data?.['id']);
  });

  test('PMT-10, PMT-11: an omitted customer reads as two nulls; document number and phone never come back', async () => {
    const omitted = await cast.a.read(String((await cast.a.create()).body.data?.['id']));
    expect(omitted['customer']).toEqual({ email: null, name: null });
    const answer = await cast.a.create({
      customer: {
        email: 'ada@example.com',
        name: 'Ada',
        documentNumber: '99887766550',
        phone: '+15559871234',
      },
    });
    const read = await cast.a.call('GET', `/v1/payments/${String(answer.body.data?.['id'])}`);
    expect(read.body.data?.['customer']).toEqual({ email: 'ada@example.com', name: 'Ada' });
    expect(read.text).not.toMatch(/99887766550|15559871234|documentNumber|phone/);
  });

  test('PMT-12, AMB-16: omitted metadata reads as an empty object', async () => {
    const read = await cast.a.read(String((await cast.a.create()).body.data?.['id']));
    expect(read['metadata']).toEqual({});
  });
});

describe('a create with one fault', () => {
  const without = (name: string) => ({ [name]: undefined });
  const refused: [string, Record<string, unknown>, string][] = [
    ['GEN-04, CREATE-06: currency usd', { currency: 'usd' }, 'currency'],
    ['GEN-04, CREATE-06: currency EUR', { currency: 'EUR' }, 'currency'],
    ['GEN-04, CREATE-06: an empty currency', { currency: '' }, 'currency'],
    ['GEN-04, CREATE-06: a null currency', { currency: null }, 'currency'],
    ['GEN-04, CREATE-06: no currency', without('currency'), 'currency'],
    ['CREATE-05, LIMIT-01: 499 cents', { amountCents: 499 }, 'amountCents'],
    ['CREATE-05, LIMIT-01: 100000001 cents', { amountCents: 100_000_001 }, 'amountCents'],
    ['CREATE-05: half a cent', { amountCents: 500.5 }, 'amountCents'],
    ['CREATE-05: an amount in a string', { amountCents: '2500' }, 'amountCents'],
    ['CREATE-05: a null amount', { amountCents: null }, 'amountCents'],
    ['CREATE-05: a true amount', { amountCents: true }, 'amountCents'],
    ['CREATE-05: a negative amount', { amountCents: -500 }, 'amountCents'],
    ['CREATE-05: 1e20', { amountCents: 1e20 }, 'amountCents'],
    ['CREATE-05: no amount', without('amountCents'), 'amountCents'],
    ['CREATE-07, LIMIT-02: an empty reference', { reference: '' }, 'reference'],
    ['CREATE-07, LIMIT-02: a reference of 256 characters', { reference: repeat('r', 256) }, 'reference'],
    ['CREATE-07: a reference of 256 times U+00E9', { reference: repeat('é', 256) }, 'reference'],
    ['CREATE-07: a number as reference', { reference: 5 }, 'reference'],
    ['CREATE-07: no reference', without('reference'), 'reference'],
    ['CREATE-08: no successUrl', without('successUrl'), 'successUrl'],
    ['CREATE-09: no cancelUrl', without('cancelUrl'), 'cancelUrl'],
    ['URL-03, LIMIT-03: a successUrl of 2049 characters', { successUrl: url(2049) }, 'successUrl'],
    ['URL-03, LIMIT-03: a cancelUrl of 2049 characters', { cancelUrl: url(2049) }, 'cancelUrl'],
    ['URL-03: an empty cancelUrl', { cancelUrl: '' }, 'cancelUrl'],
    ...(
      [
        ['URL-01', ['/ok', 'shop.example/ok', '//shop.example/ok', 'https:', '']],
        ['URL-02', ['https://exa mple.com/', 'https://[::1', 'https://a.example:99999/', 'https://%zz/']],
        [
          'URL-05',
          [
            'http://shop.example/',
            'http://localhost.shop.example/',
            'http://sub.localhost/',
            'http://127.0.0.2/',
            'http://0.0.0.0/',
            'http://[::2]/',
            'http://127.0.0.1.shop.example/',
          ],
        ],
        [
          'URL-06',
          ['ftp://shop.example/', 'ws://shop.example/', 'file:///etc', 'data:,x', 'javascript:alert(1)'],
        ],
        [
          'URL-07',
          [
            'https://u@shop.example/',
            'https://u:p@shop.example/',
            'https://:p@shop.example/',
            'http://localhost@shop.example/',
          ],
        ],
        ['URL-08', ['https://shop.example/ok#x', 'https://shop.example/#/route']],
        [
          'AMB-18',
          [
            ' https://shop.example/',
            'https://shop.example/ ',
            'https://shop.example/a\tb',
            'https://shop.example/#',
            'https://@shop.example/',
          ],
        ],
      ] as const
    ).flatMap(([id, urls]) =>
      urls.map((each): [string, Record<string, unknown>, string] => [
        `${id}: ${JSON.stringify(each)}`,
        { successUrl: each },
        'successUrl',
      ]),
    ),
    ['CREATE-10: paymentMethod pix', { paymentMethod: 'pix' }, 'paymentMethod'],
    ['CREATE-10: paymentMethod Card', { paymentMethod: 'Card' }, 'paymentMethod'],
    ['CREATE-10: an empty paymentMethod', { paymentMethod: '' }, 'paymentMethod'],
    [
      'MODE-04, CREATE-12, AMB-60: custom with wallet',
      { checkoutMode: 'custom', paymentMethod: 'wallet' },
      'paymentMethod',
    ],
    ['CREATE-13, GEN-05: checkoutMode Hosted', { checkoutMode: 'Hosted' }, 'checkoutMode'],
    ['CREATE-13, GEN-05: checkoutMode embedded', { checkoutMode: 'embedded' }, 'checkoutMode'],
    ['CREATE-13, GEN-05: an empty checkoutMode', { checkoutMode: '' }, 'checkoutMode'],
    ['CREATE-15: locale fr', { locale: 'fr' }, 'locale'],
    ['CREATE-15: locale pt-BR', { locale: 'pt-BR' }, 'locale'],
    ['CREATE-15: locale EN', { locale: 'EN' }, 'locale'],
    ['ENV-01: environment test', { environment: 'test' }, 'environment'],
    ['ENV-01: environment Sandbox', { environment: 'Sandbox' }, 'environment'],
    ['ENV-01: environment LIVE', { environment: 'LIVE' }, 'environment'],
    ['ENV-01: an empty environment', { environment: '' }, 'environment'],
    ['CREATE-17, AUTH-07, ERR-13: the other environment', { environment: 'live' }, 'environment'],
    ['CREATE-18: a customer that is text', { customer: 'x' }, 'customer'],
    ['CREATE-18: a customer that is a list', { customer: [] }, 'customer'],
    [
      'CREATE-19, LIMIT-05, AMB-19: an e-mail address of 321 characters',
      { customer: { email: `${repeat('l', 64)}@${repeat('d', 252)}.com` } },
      'customer.email',
    ],
    ['CREATE-19: an e-mail address without a sign', { customer: { email: 'x' } }, 'customer.email'],
    ['CREATE-19: an e-mail address without a domain', { customer: { email: 'a@' } }, 'customer.email'],
    ['CREATE-19: an empty e-mail address', { customer: { email: '' } }, 'customer.email'],
    ['CREATE-20, LIMIT-06: an empty name', { customer: { name: '' } }, 'customer.name'],
    [
      'CREATE-20, LIMIT-06: a name of 256 characters',
      { customer: { name: repeat('n', 256) } },
      'customer.name',
    ],
    [
      'CREATE-21: a document number that is a number',
      { customer: { documentNumber: 123 } },
      'customer.documentNumber',
    ],
    ['CREATE-22: a phone that is a number', { customer: { phone: 5 } }, 'customer.phone'],
    ['META-01, LIMIT-04: 101 keys', { metadata: keys(101) }, 'metadata'],
    ['META-02, LIMIT-04: 16385 canonical bytes', { metadata: { k: repeat('x', 16_377) } }, 'metadata'],
    ['META-03: 16385 bytes, 8189 characters', { metadata: { k: `${repeat('é', 8188)}a` } }, 'metadata'],
    ['META-07: metadata that is a list', { metadata: [] }, 'metadata'],
    ['META-07: metadata that is text', { metadata: 'x' }, 'metadata'],
    ['META-07: metadata that is a number', { metadata: 1 }, 'metadata'],
    ['META-07: metadata that is true', { metadata: true }, 'metadata'],
    ['AMB-16, AMB-46: metadata that is null', { metadata: null }, 'metadata'],
    ['AMB-46: a customer that is null', { customer: null }, 'customer'],
    ['AMB-46: a locale that is null', { locale: null }, 'locale'],
    ['AMB-54: U+0000 in the reference', { reference: 'a\u0000b' }, 'reference'],
    ['AMB-54: a lone surrogate in metadata', { metadata: { k: '\ud800' } }, 'metadata'],
    ['EMBED-01, LIMIT-07: an empty embeddingOrigin', { embeddingOrigin: '' }, 'embeddingOrigin'],
    [
      'EMBED-01, LIMIT-07: an embeddingOrigin of 256 characters',
      { embeddingOrigin: `https://${repeat('a', 240)}.example` },
      'embeddingOrigin',
    ],
    [
      'EMBED-02, AMB-51: an origin that is not approved',
      { embeddingOrigin: 'https://other.example' },
      'embeddingOrigin',
    ],
    [
      'EMBED-02, AMB-51: the approved origin with another scheme',
      { embeddingOrigin: 'http://shop.example' },
      'embeddingOrigin',
    ],
    [
      'EMBED-02, AMB-51: the approved origin with another port',
      { embeddingOrigin: 'https://shop.example:8443' },
      'embeddingOrigin',
    ],
    [
      'EMBED-02, AMB-51: a subdomain of the approved origin',
      { embeddingOrigin: 'https://www.shop.example' },
      'embeddingOrigin',
    ],
    ['CREATE-03, CREATE-27: an unknown field', { foo: 1 }, 'body'],
    ['CREATE-04: an unknown customer field', { customer: { foo: 1 } }, 'customer'],
    ['MODE-06, VAULT-08: a card number', { card_number: '4242424242424242' }, 'body'],
  ];

  let before = 0;
  beforeAll(async () => {
    before = await total(cast.b);
  });

  it.each(refused)('%s is 422 validation_failed naming the field', async (_title, fields, field) => {
    expect(fault(await cast.a.create(fields))).toEqual([422, 'validation_failed', field]);
  });

  it('CREATE-27, CREATE-28, META-05, ERR-17: no refused create created anything', async () => {
    for (const [, fields] of refused) await cast.b.create(fields);
    expect(await total(cast.b)).toBe(before);
  });

  it('META-05, AMB-12: the key of a refused create is free for the corrected body', async () => {
    const key = randomUUID();
    expect((await cast.a.create({ metadata: keys(101) }, key)).status).toBe(422);
    const corrected = await cast.a.create({ metadata: keys(100) }, key);
    expect(corrected.status).toBe(201);
    expect(corrected.headers.get('idempotent-replayed')).toBeNull();
  });

  it.each([
    ['{', 'CREATE-02: an unfinished object'],
    ["{'a':1}", 'CREATE-02: single quotes'],
    [JSON.stringify(validCreate).replace('}', ',}'), 'CREATE-02: a trailing comma'],
    ['', 'CREATE-02: an empty body'],
    [`/* c */${JSON.stringify(validCreate)}`, 'CREATE-02: a comment'],
    [`{"amountCents":2500,${JSON.stringify(validCreate).slice(1)}`, 'AMB-26: a duplicate member'],
    [`\ufeff${JSON.stringify(validCreate)}`, 'AMB-26: a byte order mark'],
    [' '.repeat(200_000), 'AMB-26: too many bytes'],
    [`${JSON.stringify(validCreate)} x`, 'CREATE-02: text after the document'],
    [
      JSON.stringify(validCreate).replace('2500', '2500.0000000000000001'),
      'AMB-26: a number that is not kept',
    ],
  ])('ERR-06: %j is 400 invalid_request (%s)', async (text) => {
    const answer = await cast.a.call('POST', '/v1/payments', text, {
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    });
    expect(refusal(answer)).toEqual([400, 'invalid_request']);
  });

  it('CREATE-02, AMB-26: bodies that are no strict JSON are 400 and create nothing', async () => {
    const count = await total(cast.b);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'x',
    ]) {
      const answer = await cast.b.call('POST', '/v1/payments', JSON.stringify(validCreate), {
        'content-type': type,
        'idempotency-key': randomUUID(),
      });
      expect([type, ...refusal(answer)]).toEqual([type, 400, 'invalid_request']);
    }
    expect(await total(cast.b)).toBe(count);
  });

  it('AMB-19: a body that is JSON but no object is 422 of body', async () => {
    for (const body of ['[]', '1', 'null', '"x"', 'true']) {
      const answer = await cast.a.call('POST', '/v1/payments', body, {
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      });
      expect(fault(answer)).toEqual([422, 'validation_failed', 'body']);
    }
  });

  it('AMB-26: __proto__ in metadata is data like any other and comes back', async () => {
    const text = JSON.stringify({ ...validCreate, metadata: 0 }).replace(
      '"metadata":0',
      '"metadata":{"__proto__":{"admin":true},"a":1}',
    );
    const created = await cast.a.call('POST', '/v1/payments', text, { 'idempotency-key': randomUUID() });
    expect(created.status).toBe(201);
    const read = await cast.a.call('GET', `/v1/payments/${String(created.body.data?.['id'])}`);
    expect(read.text).toContain('"metadata":{"__proto__":{"admin":true},"a":1}');
  });
});

describe('what the settings allow', () => {
  it('MODE-07, CREATE-14, ERR-13: custom where it is off is 422 of checkoutMode and creates nothing', async () => {
    const before = await total(cast.n);
    expect(fault(await cast.n.create({ checkoutMode: 'custom' }))).toEqual([
      422,
      'validation_failed',
      'checkoutMode',
    ]);
    expect(await total(cast.n)).toBe(before);
    expect((await cast.a.create({ checkoutMode: 'custom' })).status).toBe(201);
  });

  it('MODE-09, AUTH-13: custom is on in sandbox and off in live, each for itself', async () => {
    expect((await cast.s.create({ checkoutMode: 'custom' })).status).toBe(201);
    expect(fault(await cast.sLive.create({ checkoutMode: 'custom' }))).toEqual([
      422,
      'validation_failed',
      'checkoutMode',
    ]);
  });

  it('CREATE-11, ERR-13: a method that merchant or key do not have is 422 of paymentMethod', async () => {
    for (const shop of [cast.k, cast.aCard]) {
      expect(fault(await shop.create({ paymentMethod: 'wallet' }))).toEqual([
        422,
        'validation_failed',
        'paymentMethod',
      ]);
      expect((await shop.create({ paymentMethod: 'card' })).status).toBe(201);
    }
  });

  it('CREATE-17: the other environment creates in neither', async () => {
    const before = [await total(cast.a), await total(cast.aLive)];
    expect(fault(await cast.aLive.create({ environment: 'sandbox' }))).toEqual([
      422,
      'validation_failed',
      'environment',
    ]);
    expect(fault(await cast.a.create({ environment: 'live' }))).toEqual([
      422,
      'validation_failed',
      'environment',
    ]);
    expect([await total(cast.a), await total(cast.aLive)]).toEqual(before);
  });

  it('AMB-59, AMB-60: without any usable method the field says which', async () => {
    const merchant = await world.merchant({ sandbox: { methods: [] } });
    const none = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
    expect(fault(await none.create())).toEqual([422, 'validation_failed', 'paymentMethod']);
    expect(fault(await none.create({ checkoutMode: 'custom' }))).toEqual([
      422,
      'validation_failed',
      'checkoutMode',
    ]);
    expect(fault(await none.create({ checkoutMode: 'custom', paymentMethod: 'card' }))).toEqual([
      422,
      'validation_failed',
      'paymentMethod',
    ]);
  });

  it('LIMIT-08: with 20 or 21 approved sites a create without embeddingOrigin succeeds, and records who may frame it', async () => {
    const sites = (count: number) => Array.from({ length: count }, (_, at) => `https://s${at}.example`);
    for (const [count, framed] of [
      [20, 20],
      [21, 0],
    ] as const) {
      const merchant = await world.merchant({ sandbox: { embeddingOrigins: sites(count) } });
      const shop = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
      const id = String((await shop.create()).body.data?.['id']);
      const named = String((await shop.create({ embeddingOrigin: 'https://s7.example' })).body.data?.['id']);
      const { rows } = await world.database.query<{ id: string; origins: string[] }>(
        'SELECT id, frame_origins AS origins FROM payments WHERE id = ANY($1)',
        [[id, named]],
      );
      expect(rows.find((row) => row.id === id)?.origins).toHaveLength(framed);
      expect(rows.find((row) => row.id === named)?.origins).toEqual(['https://s7.example']);
    }
  });

  it('URL-04, AMB-17: a production deployment refuses loopback HTTP, also in its sandbox, and takes https', async () => {
    const production = await openApi(world, { DEPLOYMENT: 'production' });
    try {
      const shop = new Probe(production.baseUrl, cast.a.key);
      for (const successUrl of ['http://shop.example/', 'http://localhost/', 'http://127.0.0.1/']) {
        expect(fault(await shop.create({ successUrl }))).toEqual([422, 'validation_failed', 'successUrl']);
      }
      expect((await shop.create()).status).toBe(201);
    } finally {
      await production.stop();
    }
  });
});
