import { parseCreatePayment } from '../../../../src/api/payments/create-body.ts';
import { parseStrictJson } from '../../../../src/api/http/strict-json.ts';
import { storableStrings, unstorableStrings } from '../../../support/corpus.ts';

const development = { allowHttpLoopback: true };
const production = { allowHttpLoopback: false };

const valid = {
  amountCents: 2500,
  currency: 'USD',
  reference: 'order-1',
  successUrl: 'https://shop.example/ok',
  cancelUrl: 'https://shop.example/no',
};

const parse = (change: Record<string, unknown> = {}) =>
  parseCreatePayment({ ...valid, ...change }, production);

/** The field a changed valid body is refused for; `undefined` when it is accepted. */
const fieldOf = (change: Record<string, unknown>): string | undefined => {
  const parsed = parse(change);
  return parsed.ok ? undefined : parsed.field;
};

const without = (name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(valid).filter(([field]) => field !== name));

describe('a valid create', () => {
  it('CREATE-01: becomes a complete command with the documented defaults', () => {
    expect(parse()).toEqual({
      ok: true,
      command: {
        ...valid,
        paymentMethod: null,
        checkoutMode: 'hosted',
        embeddingOrigin: null,
        locale: 'en',
        environment: null,
        customer: { email: null, name: null, documentNumber: null, phone: null },
        metadata: {},
      },
    });
  });

  it('keeps every field that was sent', () => {
    const change = {
      paymentMethod: 'card',
      checkoutMode: 'custom',
      embeddingOrigin: 'https://shop.example',
      locale: 'pt',
      environment: 'live',
      customer: { email: 'ada@example.com', name: 'Ada', documentNumber: '12345678900', phone: '+15550100' },
      metadata: { a: [1, { b: null }] },
    };
    expect(parse(change)).toEqual({ ok: true, command: { ...valid, ...change } });
  });

  it('AMB-53: URLs are kept byte for byte, also where a parser would change them', () => {
    const successUrl = 'HTTPS://Shop.Example:443/a/../\u00e9?q=\u{1f600}';
    expect(parse({ successUrl })).toMatchObject({ ok: true, command: { successUrl } });
  });

  it('AMB-51: the embedding origin is answered in canonical form', () => {
    expect(parse({ embeddingOrigin: 'HTTPS://SHOP.example:443' })).toMatchObject({
      ok: true,
      command: { embeddingOrigin: 'https://shop.example' },
    });
  });

  it('URL-04, URL-05: loopback HTTP is accepted in development only', () => {
    const body = { ...valid, cancelUrl: 'http://localhost:3000/no' };
    expect(parseCreatePayment(body, development).ok).toBe(true);
    expect(parseCreatePayment(body, production)).toMatchObject({ ok: false, field: 'cancelUrl' });
  });
});

describe('accepted', () => {
  const rows: [string, Record<string, unknown>][] = [
    ['CREATE-05: 500 cents', { amountCents: 500 }],
    ['CREATE-05: 100000000 cents', { amountCents: 100_000_000 }],
    ['CREATE-07: a reference of 1 character', { reference: 'r' }],
    ['CREATE-07: a reference of 255 characters', { reference: 'r'.repeat(255) }],
    ['CREATE-07: a reference of 255 times U+00E9', { reference: '\u00e9'.repeat(255) }],
    ['C9: a reference of 255 times U+1F600', { reference: '\u{1f600}'.repeat(255) }],
    ['AMB-54: a reference of white space', { reference: ' ' }],
    ['CREATE-10: paymentMethod card', { paymentMethod: 'card' }],
    ['CREATE-10: paymentMethod wallet', { paymentMethod: 'wallet' }],
    ['CREATE-13: checkoutMode hosted', { checkoutMode: 'hosted' }],
    ['CREATE-13: checkoutMode custom', { checkoutMode: 'custom' }],
    [
      'AMB-60: custom with wallet is left to the settings',
      { checkoutMode: 'custom', paymentMethod: 'wallet' },
    ],
    ['EMBED-01: an origin', { embeddingOrigin: 'https://shop.example:8443' }],
    ['CREATE-15: locale en', { locale: 'en' }],
    ['CREATE-15: locale es', { locale: 'es' }],
    ['CREATE-15: locale pt', { locale: 'pt' }],
    ['CREATE-16: environment sandbox', { environment: 'sandbox' }],
    ['CREATE-16: environment live', { environment: 'live' }],
    ['CREATE-18: an empty customer', { customer: {} }],
    [
      'CREATE-19: an address of 320 characters',
      { customer: { email: `${'l'.repeat(64)}@${'d'.repeat(255)}` } },
    ],
    ['CREATE-20: a name of 1 character', { customer: { name: 'A' } }],
    ['CREATE-20: a name of 255 characters', { customer: { name: 'A'.repeat(255) } }],
    ['C9: a name of 255 times U+1F600', { customer: { name: '\u{1f600}'.repeat(255) } }],
    ['AMB-54: an empty documentNumber and phone', { customer: { documentNumber: '', phone: '' } }],
    ['AMB-54: a long documentNumber', { customer: { documentNumber: '1'.repeat(5000) } }],
    ['META-01: 0 keys', { metadata: {} }],
    [
      'META-01: 100 keys',
      { metadata: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, at])) },
    ],
    [
      'AMB-16: more than 100 keys below the top',
      { metadata: { a: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, at])) } },
    ],
    ['META-07: nested values of every kind', { metadata: { a: { b: [1, 1.5, true, null, 'x', {}, []] } } }],
  ];

  it.each(rows)('%s', (_title, change) => {
    expect(parse(change)).toEqual(expect.objectContaining({ ok: true }));
  });
});

describe('refused with the field', () => {
  const rows: [string, Record<string, unknown>, string][] = [
    ...[
      499,
      0,
      -500,
      100_000_001,
      500.5,
      '2500',
      '',
      null,
      true,
      [2500],
      { value: 2500 },
      1e20,
      -0,
      2 ** 53,
    ].map((amountCents): [string, Record<string, unknown>, string] => [
      `CREATE-05: amountCents ${JSON.stringify(amountCents)}`,
      { amountCents },
      'amountCents',
    ]),
    ...['usd', 'EUR', '', ' USD', 'USDT', null, 840, ['USD']].map(
      (currency): [string, Record<string, unknown>, string] => [
        `GEN-04: currency ${JSON.stringify(currency)}`,
        { currency },
        'currency',
      ],
    ),
    ['CREATE-07: an empty reference', { reference: '' }, 'reference'],
    ['CREATE-07: a reference of 256 characters', { reference: 'r'.repeat(256) }, 'reference'],
    ['CREATE-07: a reference of 256 times U+00E9', { reference: '\u00e9'.repeat(256) }, 'reference'],
    ['C9: a reference of 256 times U+1F600', { reference: '\u{1f600}'.repeat(256) }, 'reference'],
    ['CREATE-07: a reference that is a number', { reference: 5 }, 'reference'],
    ['AMB-54: U+0000 in the reference', { reference: 'a\0' }, 'reference'],
    ['AMB-54: a lone surrogate in the reference', { reference: 'a\ud800' }, 'reference'],
    ['CREATE-08: a relative successUrl', { successUrl: '/ok' }, 'successUrl'],
    ['CREATE-08: an empty successUrl', { successUrl: '' }, 'successUrl'],
    ['CREATE-08: a successUrl that is null', { successUrl: null }, 'successUrl'],
    ['CREATE-09: a relative cancelUrl', { cancelUrl: '/no' }, 'cancelUrl'],
    ['CREATE-09: a cancelUrl that is a number', { cancelUrl: 1 }, 'cancelUrl'],
    ['C6: a script as cancelUrl', { cancelUrl: 'javascript:alert(1)' }, 'cancelUrl'],
    ['AMB-54: a lone surrogate in successUrl', { successUrl: 'https://shop.example/\ud800' }, 'successUrl'],
    ...['pix', 'Card', '', null, ['card'], 'card '].map(
      (paymentMethod): [string, Record<string, unknown>, string] => [
        `CREATE-10: paymentMethod ${JSON.stringify(paymentMethod)}`,
        { paymentMethod },
        'paymentMethod',
      ],
    ),
    ...['Hosted', 'embedded', '', null, true].map(
      (checkoutMode): [string, Record<string, unknown>, string] => [
        `CREATE-13: checkoutMode ${JSON.stringify(checkoutMode)}`,
        { checkoutMode },
        'checkoutMode',
      ],
    ),
    ...['', 'null', '*', 'https://shop.example/', 'http://shop.example', 'x'.repeat(256), null, {}].map(
      (embeddingOrigin): [string, Record<string, unknown>, string] => [
        `EMBED-01: embeddingOrigin ${JSON.stringify(embeddingOrigin).slice(0, 30)}`,
        { embeddingOrigin },
        'embeddingOrigin',
      ],
    ),
    ...['fr', 'pt-BR', 'EN', '', null].map((locale): [string, Record<string, unknown>, string] => [
      `CREATE-15: locale ${JSON.stringify(locale)}`,
      { locale },
      'locale',
    ]),
    ...['test', 'Sandbox', 'LIVE', '', null].map((environment): [string, Record<string, unknown>, string] => [
      `ENV-01: environment ${JSON.stringify(environment)}`,
      { environment },
      'environment',
    ]),
    ...['x', [], null, 1, true].map((customer): [string, Record<string, unknown>, string] => [
      `CREATE-18: customer ${JSON.stringify(customer)}`,
      { customer },
      'customer',
    ]),
    ...[
      'x',
      'a@',
      '',
      '@b',
      'a@b@c',
      'a b@c',
      `${'l'.repeat(65)}@${'d'.repeat(255)}`,
      null,
      5,
      'a\ud800@b',
      'a\0@b',
    ].map((email): [string, Record<string, unknown>, string] => [
      `CREATE-19: email ${JSON.stringify(email).slice(0, 20)}`,
      { customer: { email } },
      'customer.email',
    ]),
    ...['', 'A'.repeat(256), '\u{1f600}'.repeat(256), null, 7, 'A\0', 'A\udc00'].map(
      (name): [string, Record<string, unknown>, string] => [
        `CREATE-20: name ${JSON.stringify(name).slice(0, 20)}`,
        { customer: { name } },
        'customer.name',
      ],
    ),
    ...[123, null, '1\0', '\ud800', ['1']].map(
      (documentNumber): [string, Record<string, unknown>, string] => [
        `CREATE-21: documentNumber ${JSON.stringify(documentNumber)}`,
        { customer: { documentNumber } },
        'customer.documentNumber',
      ],
    ),
    ...[5, null, '1\0', '\ud800', {}].map((phone): [string, Record<string, unknown>, string] => [
      `CREATE-22: phone ${JSON.stringify(phone)}`,
      { customer: { phone } },
      'customer.phone',
    ]),
    ['CREATE-04: an unknown customer field', { customer: { foo: 1 } }, 'customer'],
    [
      'CREATE-04: __proto__ in customer',
      { customer: JSON.parse('{"__proto__":{"email":"a@b"}}') },
      'customer',
    ],
    ...[[], 'x', 1, true, null].map((metadata): [string, Record<string, unknown>, string] => [
      `META-07: metadata ${JSON.stringify(metadata)}`,
      { metadata },
      'metadata',
    ]),
    [
      'META-01: 101 keys',
      { metadata: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, at])) },
      'metadata',
    ],
    ['AMB-54: U+0000 in a metadata value', { metadata: { a: ['x\0'] } }, 'metadata'],
    ['AMB-54: U+0000 in a metadata key', { metadata: { 'a\0': 1 } }, 'metadata'],
    ['AMB-54: a lone surrogate in a metadata value', { metadata: { a: { b: '\ud800' } } }, 'metadata'],
    ['AMB-54: a lone surrogate in a nested metadata key', { metadata: { a: [{ '\udc00': 1 }] } }, 'metadata'],
    ['CREATE-03: an unknown field', { foo: 1 }, 'body'],
    ['CREATE-03: a known field in other case', { Reference: 'x' }, 'body'],
    ['X11: an unknown field that is null', { foo: null }, 'body'],
  ];

  it.each(rows)('%s', (_title, change, field) => {
    expect(fieldOf(change)).toBe(field);
  });

  it.each(Object.keys(valid))('CREATE-05 to -09: %s missing', (name) => {
    expect(parseCreatePayment(without(name), production)).toMatchObject({ ok: false, field: name });
  });

  it.each([null, [], [valid], 'x', 1, true])('AMB-19: a body that is %j is a fault of body', (body) => {
    expect(parseCreatePayment(body, production)).toMatchObject({ ok: false, field: 'body' });
  });

  it.each([
    ...[
      'id',
      'status',
      'method',
      'refundedCents',
      'netCents',
      'checkoutUrl',
      'expiresAt',
      'cardBin',
      'cardIssuer',
    ],
    ...[
      'cardBrand',
      'cardLast4',
      'failureCode',
      'failureMessage',
      'createdAt',
      'paidAt',
      'refundedAt',
      'merchantId',
    ],
    ...['card_number', 'card_cvv', 'cardToken', 'attemptsLeft', 'toString', 'constructor', ''],
  ])('X11: the field "%s" cannot be sent', (name) => {
    expect(fieldOf({ [name]: 'x' })).toBe('body');
  });

  it('AMB-26: __proto__ at the top is an unknown field, not a way around a missing one', () => {
    const body = parseStrictJson(Buffer.from(`{"__proto__":${JSON.stringify(valid)}}`));
    expect(parseCreatePayment(body, production)).toMatchObject({ ok: false, field: 'amountCents' });
    const both = parseStrictJson(
      Buffer.from(JSON.stringify(valid).replace('{', '{"__proto__":{"locale":"es"},')),
    );
    expect(parseCreatePayment(both, production)).toMatchObject({ ok: false, field: 'body' });
  });
});

describe('metadata', () => {
  const sizes: [string, string, number][] = [
    ['1-byte characters', 'x', 16_376],
    ['2-byte characters', '\u00e9', 8188],
    ['4-byte characters', '\u{1f600}', 4094],
  ];

  it.each(sizes)(
    'META-02, META-03, C8: 16384 bytes of %s are accepted, one more is not',
    (_title, unit, times) => {
      expect(fieldOf({ metadata: { k: unit.repeat(times) } })).toBeUndefined();
      expect(fieldOf({ metadata: { k: `${unit.repeat(times)}a` } })).toBe('metadata');
    },
  );

  it('META-02, C8: 16384 bytes of 3-byte characters are accepted, one more is not', () => {
    // 8 bytes of structure, 5458 times 3, and 2 to fill up.
    expect(fieldOf({ metadata: { k: `${'\u20ac'.repeat(5458)}aa` } })).toBeUndefined();
    expect(fieldOf({ metadata: { k: `${'\u20ac'.repeat(5458)}aaa` } })).toBe('metadata');
  });

  it('META-02: keys and structural bytes count', () => {
    const filled = { ['k'.repeat(16_380)]: 1 };
    expect(JSON.stringify(filled)).toHaveLength(16_385 + 1);
    expect(fieldOf({ metadata: filled })).toBe('metadata');
    expect(fieldOf({ metadata: { ['k'.repeat(16_378)]: 1 } })).toBeUndefined();
    expect(fieldOf({ metadata: { ['k'.repeat(16_379)]: 1 } })).toBe('metadata');
  });

  it('META-04: white space and escapes of the request do not count', () => {
    const spaced = `{"a":${' '.repeat(20_000)}1}`;
    const escaped = `{"k":"${'\\u00e9'.repeat(8188)}"}`;
    for (const metadata of [spaced, escaped]) {
      expect(fieldOf({ metadata: parseStrictJson(Buffer.from(metadata)) })).toBeUndefined();
    }
  });

  it('META-04: numbers count in their canonical form', () => {
    const numbers = (token: string) =>
      parseStrictJson(Buffer.from(`{"n":[${Array(4000).fill(token).join(',')}]}`));
    expect(fieldOf({ metadata: numbers('5.000') })).toBeUndefined();
    expect(fieldOf({ metadata: numbers('50000') })).toBe('metadata');
  });

  it('AMB-26: __proto__ is data: it is kept, measured, and pollutes nothing', () => {
    const metadata = parseStrictJson(
      Buffer.from('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'),
    );
    const parsed = parse({ metadata });
    expect(JSON.stringify(parsed.ok && parsed.command.metadata)).toBe(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}',
    );
    expect('polluted' in {}).toBe(false);
    const large = parseStrictJson(Buffer.from(`{"__proto__":"${'x'.repeat(16_400)}"}`));
    expect(fieldOf({ metadata: large })).toBe('metadata');
  });

  it('C8: depth that would exhaust the stack is refused', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(fieldOf({ metadata: { deep } })).toBe('metadata');
  });
});

describe('one fault is reported', () => {
  const faults: [string, Record<string, unknown>][] = [
    ['amountCents', { amountCents: 1 }],
    ['currency', { currency: 'EUR' }],
    ['reference', { reference: '' }],
    ['successUrl', { successUrl: 'x' }],
    ['cancelUrl', { cancelUrl: 'x' }],
    ['paymentMethod', { paymentMethod: 'pix' }],
    ['checkoutMode', { checkoutMode: 'x' }],
    ['embeddingOrigin', { embeddingOrigin: 'x' }],
    ['locale', { locale: 'x' }],
    ['environment', { environment: 'x' }],
    ['customer.email', { customer: { email: 'x', name: '', documentNumber: 1, phone: 1, foo: 1 } }],
    ['metadata', { metadata: 1 }],
    ['body', { foo: 1 }],
  ];

  it.each(faults.map(([field], at): [string, number] => [field, at]))(
    'AMB-19: %s is named before everything behind it in the table',
    (field, at) => {
      const later = faults
        .slice(at)
        .reduce<Record<string, unknown>>((all, [, change]) => ({ ...all, ...change }), {});
      // Written in the opposite order: the order of the table counts, not that of the body.
      const reversed = Object.fromEntries(Object.entries({ ...valid, ...later }).toReversed());
      expect(parseCreatePayment(reversed, production)).toMatchObject({ ok: false, field });
    },
  );

  it.each([
    ['customer.email', { email: 'x', name: '', documentNumber: 1, phone: 1, foo: 1 }],
    ['customer.name', { name: '', documentNumber: 1, phone: 1, foo: 1 }],
    ['customer.documentNumber', { documentNumber: 1, phone: 1, foo: 1 }],
    ['customer.phone', { phone: 1, foo: 1 }],
    ['customer', { foo: 1 }],
  ])('AMB-19: within customer %s comes first', (field, customer) => {
    expect(fieldOf({ customer })).toBe(field);
  });

  it('AMB-19: unknown fields come last: after metadata, the one in customer before the one at the top', () => {
    expect(fieldOf({ customer: { foo: 1 }, metadata: 1 })).toBe('metadata');
    expect(fieldOf({ customer: { foo: 1 }, foo: 1 })).toBe('customer');
  });
});

describe('strings', () => {
  const fits = (text: string): boolean => text !== '' && Array.from(text).length <= 255;

  it('AMB-54: every storable string of the corpus is kept as sent', () => {
    for (const text of storableStrings) {
      const metadata = { [text]: [text] };
      const short = fits(text) ? text : 'x';
      const change = {
        reference: short,
        customer: { name: short, documentNumber: text, phone: text },
        metadata,
      };
      const body = parseStrictJson(Buffer.from(JSON.stringify({ ...valid, ...change })));
      const parsed = parseCreatePayment(body, production);
      expect(parsed).toMatchObject({ ok: true, command: change });
    }
  });

  it('AMB-54: every other string of the corpus is refused in every field', () => {
    for (const text of unstorableStrings) {
      expect(fieldOf({ reference: text })).toBe('reference');
      expect(fieldOf({ successUrl: `https://shop.example/${text}` })).toBe('successUrl');
      expect(fieldOf({ embeddingOrigin: `https://${text}` })).toBe('embeddingOrigin');
      expect(fieldOf({ customer: { email: `${text}@b` } })).toBe('customer.email');
      expect(fieldOf({ customer: { name: text } })).toBe('customer.name');
      expect(fieldOf({ customer: { documentNumber: text } })).toBe('customer.documentNumber');
      expect(fieldOf({ customer: { phone: text } })).toBe('customer.phone');
      expect(fieldOf({ metadata: { a: text } })).toBe('metadata');
      expect(fieldOf({ metadata: { [text]: 1 } })).toBe('metadata');
    }
  });

  it('SECRET-10: no message quotes what was sent', () => {
    const canary = 'canary';
    const fields = [
      'amountCents',
      'currency',
      'successUrl',
      'paymentMethod',
      'checkoutMode',
      'embeddingOrigin',
      'locale',
    ];
    const changes: Record<string, unknown>[] = [
      ...fields.map((field) => ({ [field]: canary })),
      { environment: canary, customer: canary },
      { customer: { email: canary } },
      { customer: { canary: 1 } },
      { canary },
      { metadata: canary },
    ];
    for (const change of changes) {
      expect(parse(change)).toEqual({
        ok: false,
        field: expect.any(String),
        message: expect.not.stringContaining(canary),
      });
    }
  });
});
