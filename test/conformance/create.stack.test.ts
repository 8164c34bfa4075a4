import { randomUUID } from 'node:crypto';
import { validCreate } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Probe, fault, refusal } from './contract-checks.ts';
import { type Merchants, openApi, openCast, total } from './support.ts';
import { proves } from '../support/proves.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let cast: Merchants;

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
  test(
    proves(
      'answers 201 with the creation result, stored and pending',
      'CREATE-01',
      'CREATE-24',
      'CRES-01 to -05',
      'EP-07',
      'ENV-01',
    ),
    async () => {
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
    },
  );

  const validCreateRead = { amountCents: 2500, currency: 'USD', reference: 'order-1' };

  test(
    proves('sets the deadline exactly 30 minutes after createdAt', 'CLOSE-01', 'LIMIT-13', 'AMB-50'),
    async () => {
      const read = await cast.a.read(String((await cast.a.create()).body.data?.['id']));
      expect(Date.parse(String(read['expiresAt'])) - Date.parse(String(read['createdAt']))).toBe(1_800_000);
    },
  );

  const accepted: [string, Record<string, unknown>][] = [
    [proves('currency USD', 'GEN-04', 'CREATE-06'), { currency: 'USD' }],
    [proves('500 cents', 'CREATE-05', 'LIMIT-01', 'PMT-06'), { amountCents: 500 }],
    [proves('100000000 cents', 'CREATE-05', 'LIMIT-01', 'PMT-06'), { amountCents: 100_000_000 }],
    [proves('a reference of 1 character', 'CREATE-07', 'LIMIT-02', 'PMT-03'), { reference: 'r' }],
    [
      proves('a reference of 255 characters', 'CREATE-07', 'LIMIT-02', 'PMT-03'),
      { reference: repeat('r', 255) },
    ],
    [proves('a reference of 255 times U+00E9', 'CREATE-07', 'PMT-03'), { reference: repeat('é', 255) }],
    [proves('a reference of 255 emoji', 'AMB-15'), { reference: repeat('😀', 255) }],
    [proves('a reference that is not trimmed', 'AMB-54'), { reference: '  x  ' }],
    [proves('a successUrl of 2048 characters', 'URL-03', 'LIMIT-03', 'CREATE-08'), { successUrl: url(2048) }],
    [proves('a cancelUrl of 2048 characters', 'URL-03', 'LIMIT-03', 'CREATE-09'), { cancelUrl: url(2048) }],
    [proves('https with port, path and query', 'URL-06'), { successUrl: 'https://shop.example:8443/a?b=c' }],
    [proves('http on localhost', 'URL-05'), { successUrl: 'http://localhost:3000/ok' }],
    [proves('http on 127.0.0.1', 'URL-05'), { successUrl: 'http://127.0.0.1/ok' }],
    [proves('http on ::1', 'URL-05'), { successUrl: 'http://[::1]:8080/ok' }],
    [proves('http on LOCALHOST', 'URL-09'), { successUrl: 'http://LOCALHOST/' }],
    [proves('http on an escaped localhost', 'URL-09'), { successUrl: 'http://%6Cocalhost/' }],
    [proves('http on 127.1', 'URL-09'), { successUrl: 'http://127.1/' }],
    [proves('http on 0x7f000001', 'URL-09'), { successUrl: 'http://0x7f000001/' }],
    [proves('http on 2130706433', 'URL-09'), { successUrl: 'http://2130706433/' }],
    [proves('http on a long ::1', 'URL-09'), { successUrl: 'http://[0:0:0:0:0:0:0:1]/' }],
    [proves('paymentMethod card', 'CREATE-10'), { paymentMethod: 'card' }],
    [
      proves('paymentMethod wallet where it is enabled', 'CREATE-10', 'CREATE-11'),
      { paymentMethod: 'wallet' },
    ],
    [proves('checkoutMode hosted', 'CREATE-13'), { checkoutMode: 'hosted' }],
    [proves('checkoutMode custom where it is enabled', 'CREATE-13', 'CREATE-14'), { checkoutMode: 'custom' }],
    [proves('custom with card', 'MODE-04', 'CREATE-12'), { checkoutMode: 'custom', paymentMethod: 'card' }],
    [proves('locale en', 'CREATE-15'), { locale: 'en' }],
    [proves('locale es', 'CREATE-15'), { locale: 'es' }],
    [proves('locale pt', 'CREATE-15'), { locale: 'pt' }],
    [proves('environment equal to the key’s', 'CREATE-16', 'AUTH-06'), { environment: 'sandbox' }],
    [proves('an empty customer', 'CREATE-18'), { customer: {} }],
    [
      proves('an e-mail address of 320 characters', 'CREATE-19', 'LIMIT-05'),
      { customer: { email: `${repeat('l', 64)}@${repeat('d', 251)}.com` } },
    ],
    [proves('a name of 1 character', 'CREATE-20', 'LIMIT-06', 'PMT-10'), { customer: { name: 'n' } }],
    [
      proves('a name of 255 characters', 'CREATE-20', 'LIMIT-06', 'PMT-10'),
      { customer: { name: repeat('n', 255) } },
    ],
    [proves('a document number', 'CREATE-21'), { customer: { documentNumber: '12345678900' } }],
    [proves('a phone', 'CREATE-22'), { customer: { phone: '+15550100' } }],
    [proves('100 keys', 'META-01', 'LIMIT-04'), { metadata: keys(100) }],
    [proves('0 keys', 'META-01'), { metadata: {} }],
    [proves('16384 canonical bytes', 'META-02', 'LIMIT-04'), { metadata: { k: repeat('x', 16_376) } }],
    [proves('16384 bytes of two-byte characters', 'META-03'), { metadata: { k: repeat('é', 8188) } }],
    [
      proves('nested values of every kind', 'META-07', 'PMT-12', 'CREATE-23'),
      { metadata: { a: { b: [1, true, null, 'x', { c: 0.5 }] } } },
    ],
    [proves('an approved origin', 'EMBED-01'), { embeddingOrigin: 'https://shop.example' }],
  ];
  test.each(accepted)('accepts %s and returns it as given', async (_title, fields) => {
    const answer = await cast.a.create(fields);
    expect(refusal(answer)).toEqual([201, undefined]);
    const read = await cast.a.read(String(answer.body.data?.['id']));
    const { amountCents, currency, reference, metadata } = { metadata: {}, ...validCreate, ...fields };
    expect(read).toMatchObject({ amountCents, currency, reference });
    expect(read['metadata']).toEqual(metadata);
    const { email = null, name = null } = (fields['customer'] ?? {}) as { email?: string; name?: string };
    expect(read['customer']).toEqual({ email, name });
  });

  test(proves('does not count white space and escapes of the request', 'META-04'), async () => {
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

  test(
    proves(
      'defaults to the environment of the key, in both environments',
      'PMT-30',
      'AUTH-06',
      'AUTH-07',
      'ENV-02',
    ),
    async () => {
      expect((await cast.a.create()).body.data).toMatchObject({ environment: 'sandbox' });
      expect((await cast.aLive.create()).body.data).toMatchObject({ environment: 'live' });
      expect((await cast.aLive.create({ environment: 'live' })).status).toBe(201);
    },
  );

  test(proves('accepts the same reference for two payments', 'AMB-55'), async () => {
    const [one, two] = await Promise.all([cast.a.create(), cast.a.create()]);
    expect(one.body.data?.['id']).not.toBe(two.body.data?.['id']);
  });

  test(
    proves(
      'returns an omitted customer as two nulls, and never document number and phone',
      'PMT-10',
      'PMT-11',
    ),
    async () => {
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
    },
  );

  test(proves('returns omitted metadata as an empty object', 'PMT-12', 'AMB-16'), async () => {
    const read = await cast.a.read(String((await cast.a.create()).body.data?.['id']));
    expect(read['metadata']).toEqual({});
  });
});

describe('a create with one fault', () => {
  const without = (name: string) => ({ [name]: undefined });
  const refused: [string, Record<string, unknown>, string][] = [
    [proves('currency usd', 'GEN-04', 'CREATE-06'), { currency: 'usd' }, 'currency'],
    [proves('currency EUR', 'GEN-04', 'CREATE-06'), { currency: 'EUR' }, 'currency'],
    [proves('an empty currency', 'GEN-04', 'CREATE-06'), { currency: '' }, 'currency'],
    [proves('a null currency', 'GEN-04', 'CREATE-06'), { currency: null }, 'currency'],
    [proves('no currency', 'GEN-04', 'CREATE-06'), without('currency'), 'currency'],
    [proves('499 cents', 'CREATE-05', 'LIMIT-01'), { amountCents: 499 }, 'amountCents'],
    [proves('100000001 cents', 'CREATE-05', 'LIMIT-01'), { amountCents: 100_000_001 }, 'amountCents'],
    [proves('half a cent', 'CREATE-05'), { amountCents: 500.5 }, 'amountCents'],
    [proves('an amount in a string', 'CREATE-05'), { amountCents: '2500' }, 'amountCents'],
    [proves('a null amount', 'CREATE-05'), { amountCents: null }, 'amountCents'],
    [proves('a true amount', 'CREATE-05'), { amountCents: true }, 'amountCents'],
    [proves('a negative amount', 'CREATE-05'), { amountCents: -500 }, 'amountCents'],
    [proves('1e20', 'CREATE-05'), { amountCents: 1e20 }, 'amountCents'],
    [proves('no amount', 'CREATE-05'), without('amountCents'), 'amountCents'],
    [proves('an empty reference', 'CREATE-07', 'LIMIT-02'), { reference: '' }, 'reference'],
    [
      proves('a reference of 256 characters', 'CREATE-07', 'LIMIT-02'),
      { reference: repeat('r', 256) },
      'reference',
    ],
    [proves('a reference of 256 times U+00E9', 'CREATE-07'), { reference: repeat('é', 256) }, 'reference'],
    [proves('a number as reference', 'CREATE-07'), { reference: 5 }, 'reference'],
    [proves('no reference', 'CREATE-07'), without('reference'), 'reference'],
    [proves('no successUrl', 'CREATE-08'), without('successUrl'), 'successUrl'],
    [proves('no cancelUrl', 'CREATE-09'), without('cancelUrl'), 'cancelUrl'],
    [
      proves('a successUrl of 2049 characters', 'URL-03', 'LIMIT-03'),
      { successUrl: url(2049) },
      'successUrl',
    ],
    [proves('a cancelUrl of 2049 characters', 'URL-03', 'LIMIT-03'), { cancelUrl: url(2049) }, 'cancelUrl'],
    [proves('an empty cancelUrl', 'URL-03'), { cancelUrl: '' }, 'cancelUrl'],
    ...(
      [
        [proves('not absolute', 'URL-01'), ['/ok', 'shop.example/ok', '//shop.example/ok', 'https:', '']],
        [
          proves('refused by the parser', 'URL-02'),
          ['https://exa mple.com/', 'https://[::1', 'https://a.example:99999/', 'https://%zz/'],
        ],
        [
          proves('plain HTTP beyond loopback', 'URL-05'),
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
          proves('another scheme', 'URL-06'),
          ['ftp://shop.example/', 'ws://shop.example/', 'file:///etc', 'data:,x', 'javascript:alert(1)'],
        ],
        [
          proves('credentials', 'URL-07'),
          [
            'https://u@shop.example/',
            'https://u:p@shop.example/',
            'https://:p@shop.example/',
            'http://localhost@shop.example/',
          ],
        ],
        [proves('a fragment', 'URL-08'), ['https://shop.example/ok#x', 'https://shop.example/#/route']],
        [
          proves('white space or control characters', 'AMB-18'),
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
    [proves('paymentMethod pix', 'CREATE-10'), { paymentMethod: 'pix' }, 'paymentMethod'],
    [proves('paymentMethod Card', 'CREATE-10'), { paymentMethod: 'Card' }, 'paymentMethod'],
    [proves('an empty paymentMethod', 'CREATE-10'), { paymentMethod: '' }, 'paymentMethod'],
    [
      proves('custom with wallet', 'MODE-04', 'CREATE-12', 'AMB-60'),
      { checkoutMode: 'custom', paymentMethod: 'wallet' },
      'paymentMethod',
    ],
    [proves('checkoutMode Hosted', 'CREATE-13', 'GEN-05'), { checkoutMode: 'Hosted' }, 'checkoutMode'],
    [proves('checkoutMode embedded', 'CREATE-13', 'GEN-05'), { checkoutMode: 'embedded' }, 'checkoutMode'],
    [proves('an empty checkoutMode', 'CREATE-13', 'GEN-05'), { checkoutMode: '' }, 'checkoutMode'],
    [proves('locale fr', 'CREATE-15'), { locale: 'fr' }, 'locale'],
    [proves('locale pt-BR', 'CREATE-15'), { locale: 'pt-BR' }, 'locale'],
    [proves('locale EN', 'CREATE-15'), { locale: 'EN' }, 'locale'],
    [proves('environment test', 'ENV-01'), { environment: 'test' }, 'environment'],
    [proves('environment Sandbox', 'ENV-01'), { environment: 'Sandbox' }, 'environment'],
    [proves('environment LIVE', 'ENV-01'), { environment: 'LIVE' }, 'environment'],
    [proves('an empty environment', 'ENV-01'), { environment: '' }, 'environment'],
    [
      proves('the other environment', 'CREATE-17', 'AUTH-07', 'ERR-13'),
      { environment: 'live' },
      'environment',
    ],
    [proves('a customer that is text', 'CREATE-18'), { customer: 'x' }, 'customer'],
    [proves('a customer that is a list', 'CREATE-18'), { customer: [] }, 'customer'],
    [
      proves('an e-mail address of 321 characters', 'CREATE-19', 'LIMIT-05', 'AMB-19'),
      { customer: { email: `${repeat('l', 64)}@${repeat('d', 252)}.com` } },
      'customer.email',
    ],
    [proves('an e-mail address without a sign', 'CREATE-19'), { customer: { email: 'x' } }, 'customer.email'],
    [
      proves('an e-mail address without a domain', 'CREATE-19'),
      { customer: { email: 'a@' } },
      'customer.email',
    ],
    [proves('an empty e-mail address', 'CREATE-19'), { customer: { email: '' } }, 'customer.email'],
    [proves('an empty name', 'CREATE-20', 'LIMIT-06'), { customer: { name: '' } }, 'customer.name'],
    [
      proves('a name of 256 characters', 'CREATE-20', 'LIMIT-06'),
      { customer: { name: repeat('n', 256) } },
      'customer.name',
    ],
    [
      proves('a document number that is a number', 'CREATE-21'),
      { customer: { documentNumber: 123 } },
      'customer.documentNumber',
    ],
    [proves('a phone that is a number', 'CREATE-22'), { customer: { phone: 5 } }, 'customer.phone'],
    [proves('101 keys', 'META-01', 'LIMIT-04'), { metadata: keys(101) }, 'metadata'],
    [
      proves('16385 canonical bytes', 'META-02', 'LIMIT-04'),
      { metadata: { k: repeat('x', 16_377) } },
      'metadata',
    ],
    [
      proves('16385 bytes, 8189 characters', 'META-03'),
      { metadata: { k: `${repeat('é', 8188)}a` } },
      'metadata',
    ],
    [proves('metadata that is a list', 'META-07'), { metadata: [] }, 'metadata'],
    [proves('metadata that is text', 'META-07'), { metadata: 'x' }, 'metadata'],
    [proves('metadata that is a number', 'META-07'), { metadata: 1 }, 'metadata'],
    [proves('metadata that is true', 'META-07'), { metadata: true }, 'metadata'],
    [proves('metadata that is null', 'AMB-16', 'AMB-46'), { metadata: null }, 'metadata'],
    [proves('a customer that is null', 'AMB-46'), { customer: null }, 'customer'],
    [proves('a locale that is null', 'AMB-46'), { locale: null }, 'locale'],
    [proves('U+0000 in the reference', 'AMB-54'), { reference: 'a\u0000b' }, 'reference'],
    [proves('a lone surrogate in metadata', 'AMB-54'), { metadata: { k: '\ud800' } }, 'metadata'],
    [proves('an empty embeddingOrigin', 'EMBED-01', 'LIMIT-07'), { embeddingOrigin: '' }, 'embeddingOrigin'],
    [
      proves('an embeddingOrigin of 256 characters', 'EMBED-01', 'LIMIT-07'),
      { embeddingOrigin: `https://${repeat('a', 240)}.example` },
      'embeddingOrigin',
    ],
    [
      proves('an origin that is not approved', 'EMBED-02', 'AMB-51'),
      { embeddingOrigin: 'https://other.example' },
      'embeddingOrigin',
    ],
    [
      proves('the approved origin with another scheme', 'EMBED-02', 'AMB-51'),
      { embeddingOrigin: 'http://shop.example' },
      'embeddingOrigin',
    ],
    [
      proves('the approved origin with another port', 'EMBED-02', 'AMB-51'),
      { embeddingOrigin: 'https://shop.example:8443' },
      'embeddingOrigin',
    ],
    [
      proves('a subdomain of the approved origin', 'EMBED-02', 'AMB-51'),
      { embeddingOrigin: 'https://www.shop.example' },
      'embeddingOrigin',
    ],
    [proves('an unknown field', 'CREATE-03', 'CREATE-27'), { foo: 1 }, 'body'],
    [proves('an unknown customer field', 'CREATE-04'), { customer: { foo: 1 } }, 'customer'],
    [proves('a card number', 'MODE-06', 'VAULT-08'), { card_number: '4242424242424242' }, 'body'],
  ];

  let before = 0;
  beforeAll(async () => {
    before = await total(cast.b);
  });

  it.each(refused)('%s is 422 validation_failed naming the field', async (_title, fields, field) => {
    expect(fault(await cast.a.create(fields))).toEqual([422, 'validation_failed', field]);
  });

  it(
    proves('creates nothing when it is refused', 'CREATE-27', 'CREATE-28', 'META-05', 'ERR-17'),
    async () => {
      for (const [, fields] of refused) await cast.b.create(fields);
      expect(await total(cast.b)).toBe(before);
    },
  );

  it(proves('leaves its key free for the corrected body', 'META-05', 'AMB-12'), async () => {
    const key = randomUUID();
    expect((await cast.a.create({ metadata: keys(101) }, key)).status).toBe(422);
    const corrected = await cast.a.create({ metadata: keys(100) }, key);
    expect(corrected.status).toBe(201);
    expect(corrected.headers.get('idempotent-replayed')).toBeNull();
  });

  it.each([
    ['{', proves('an unfinished object', 'CREATE-02')],
    ["{'a':1}", proves('single quotes', 'CREATE-02')],
    [JSON.stringify(validCreate).replace('}', ',}'), proves('a trailing comma', 'CREATE-02')],
    ['', proves('an empty body', 'CREATE-02')],
    [`/* c */${JSON.stringify(validCreate)}`, proves('a comment', 'CREATE-02')],
    [`{"amountCents":2500,${JSON.stringify(validCreate).slice(1)}`, proves('a duplicate member', 'AMB-26')],
    [`\ufeff${JSON.stringify(validCreate)}`, proves('a byte order mark', 'AMB-26')],
    [' '.repeat(200_000), proves('too many bytes', 'AMB-26')],
    [`${JSON.stringify(validCreate)} x`, proves('text after the document', 'CREATE-02')],
    [
      JSON.stringify(validCreate).replace('2500', '2500.0000000000000001'),
      proves('a number that is not kept', 'AMB-26'),
    ],
  ])(proves('%j is 400 invalid_request (%s)', 'ERR-06'), async (text) => {
    const answer = await cast.a.call('POST', '/v1/payments', text, {
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    });
    expect(refusal(answer)).toEqual([400, 'invalid_request']);
  });

  it(
    proves('is 400 and creates nothing when the body is not strict JSON', 'CREATE-02', 'AMB-26'),
    async () => {
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
    },
  );

  it(proves('is 422 of body when the body is JSON but no object', 'AMB-19'), async () => {
    for (const body of ['[]', '1', 'null', '"x"', 'true']) {
      const answer = await cast.a.call('POST', '/v1/payments', body, {
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      });
      expect(fault(answer)).toEqual([422, 'validation_failed', 'body']);
    }
  });

  it(proves('stores __proto__ in metadata like any other member and returns it', 'AMB-26'), async () => {
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

describe("a create and the merchant's settings", () => {
  it(
    proves(
      'checkoutMode custom is 422 while custom mode is off, and creates nothing',
      'MODE-07',
      'CREATE-14',
      'ERR-13',
    ),
    async () => {
      const before = await total(cast.n);
      expect(fault(await cast.n.create({ checkoutMode: 'custom' }))).toEqual([
        422,
        'validation_failed',
        'checkoutMode',
      ]);
      expect(await total(cast.n)).toBe(before);
      expect((await cast.a.create({ checkoutMode: 'custom' })).status).toBe(201);
    },
  );

  it(proves('custom mode can be on in sandbox and off in live', 'MODE-09', 'AUTH-13'), async () => {
    expect((await cast.s.create({ checkoutMode: 'custom' })).status).toBe(201);
    expect(fault(await cast.sLive.create({ checkoutMode: 'custom' }))).toEqual([
      422,
      'validation_failed',
      'checkoutMode',
    ]);
  });

  it(
    proves('a method that merchant or key do not allow is 422 of paymentMethod', 'CREATE-11', 'ERR-13'),
    async () => {
      for (const shop of [cast.k, cast.aCard]) {
        expect(fault(await shop.create({ paymentMethod: 'wallet' }))).toEqual([
          422,
          'validation_failed',
          'paymentMethod',
        ]);
        expect((await shop.create({ paymentMethod: 'card' })).status).toBe(201);
      }
    },
  );

  it(proves("an environment other than the key's creates nothing in either", 'CREATE-17'), async () => {
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

  it(proves('a create without any usable method is 422 of paymentMethod', 'AMB-59', 'AMB-60'), async () => {
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

  it(
    proves(
      'a create without embeddingOrigin succeeds with 20 or 21 approved sites, and records which may frame the page',
      'LIMIT-08',
    ),
    async () => {
      const sites = (count: number) => Array.from({ length: count }, (_, at) => `https://s${at}.example`);
      for (const [count, framed] of [
        [20, 20],
        [21, 0],
      ] as const) {
        const merchant = await world.merchant({ sandbox: { embeddingOrigins: sites(count) } });
        const shop = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
        const id = String((await shop.create()).body.data?.['id']);
        const named = String(
          (await shop.create({ embeddingOrigin: 'https://s7.example' })).body.data?.['id'],
        );
        const { rows } = await world.database.query<{ id: string; origins: string[] }>(
          'SELECT id, frame_origins AS origins FROM payments WHERE id = ANY($1)',
          [[id, named]],
        );
        expect(rows.find((row) => row.id === id)?.origins).toHaveLength(framed);
        expect(rows.find((row) => row.id === named)?.origins).toEqual(['https://s7.example']);
      }
    },
  );

  it(
    proves(
      'a production deployment refuses loopback HTTP, also in its sandbox, and accepts https',
      'URL-04',
      'AMB-17',
    ),
    async () => {
      // A credential for Temporal, which production requires. No call here waits for Temporal.
      process.env['TEMPORAL_API_KEY'] = 'unknown';
      const production = await openApi(world, { DEPLOYMENT: 'production' }).finally(
        () => delete process.env['TEMPORAL_API_KEY'],
      );
      try {
        const shop = new Probe(production.baseUrl, cast.a.key);
        for (const successUrl of ['http://shop.example/', 'http://localhost/', 'http://127.0.0.1/']) {
          expect(fault(await shop.create({ successUrl }))).toEqual([422, 'validation_failed', 'successUrl']);
        }
        expect((await shop.create()).status).toBe(201);
      } finally {
        await production.stop();
      }
    },
  );
});
