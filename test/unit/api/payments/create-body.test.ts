import { parseCreatePayment } from '../../../../src/api/payments/create.ts';
import { parseStrictJson } from '../../../../src/api/http/strict-json.ts';
import { storableStrings, unstorableStrings } from '../../../support/corpus.ts';
import { proves } from '../../../support/proves.ts';

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

/** Returns the field for which a changed valid body is refused; `undefined` when it is accepted. */
const fieldOf = (change: Record<string, unknown>): string | undefined => {
  const parsed = parse(change);
  return parsed.ok ? undefined : parsed.field;
};

const without = (name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(valid).filter(([field]) => field !== name));

describe('a valid create', () => {
  it(proves('becomes a complete command with the documented defaults', 'CREATE-01'), () => {
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
        description: null,
        lineItems: null,
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
      description: 'Spring delivery',
      lineItems: [
        { name: 'Beans', quantity: 2, amountCents: 2000 },
        { name: 'Gift', quantity: 1, amountCents: 0 },
        { name: 'Shipping', quantity: 1, amountCents: 500 },
      ],
    };
    expect(parse(change)).toEqual({ ok: true, command: { ...valid, ...change } });
  });

  it(proves('URLs are kept byte for byte, also where a parser would change them', 'AMB-53'), () => {
    const successUrl = 'HTTPS://Shop.Example:443/a/../\u00e9?q=\u{1f600}';
    expect(parse({ successUrl })).toMatchObject({ ok: true, command: { successUrl } });
  });

  it(proves('the embedding origin is answered in canonical form', 'AMB-51'), () => {
    expect(parse({ embeddingOrigin: 'HTTPS://SHOP.example:443' })).toMatchObject({
      ok: true,
      command: { embeddingOrigin: 'https://shop.example' },
    });
  });

  it(proves('loopback HTTP is accepted in development only', 'URL-04', 'URL-05'), () => {
    const body = { ...valid, cancelUrl: 'http://localhost:3000/no' };
    expect(parseCreatePayment(body, development).ok).toBe(true);
    expect(parseCreatePayment(body, production)).toMatchObject({ ok: false, field: 'cancelUrl' });
  });
});

describe('accepted', () => {
  const rows: [string, Record<string, unknown>][] = [
    [proves('500 cents', 'CREATE-05'), { amountCents: 500 }],
    [proves('100000000 cents', 'CREATE-05'), { amountCents: 100_000_000 }],
    [proves('a reference of 1 character', 'CREATE-07'), { reference: 'r' }],
    [proves('a reference of 255 characters', 'CREATE-07'), { reference: 'r'.repeat(255) }],
    [proves('a reference of 255 times U+00E9', 'CREATE-07'), { reference: '\u00e9'.repeat(255) }],
    ['C9: a reference of 255 times U+1F600', { reference: '\u{1f600}'.repeat(255) }],
    [proves('a reference of white space', 'AMB-54'), { reference: ' ' }],
    [proves('paymentMethod card', 'CREATE-10'), { paymentMethod: 'card' }],
    [proves('paymentMethod wallet', 'CREATE-10'), { paymentMethod: 'wallet' }],
    [proves('checkoutMode hosted', 'CREATE-13'), { checkoutMode: 'hosted' }],
    [proves('checkoutMode custom', 'CREATE-13'), { checkoutMode: 'custom' }],
    [
      proves('custom with wallet is left to the settings', 'AMB-60'),
      { checkoutMode: 'custom', paymentMethod: 'wallet' },
    ],
    [proves('an origin', 'EMBED-01'), { embeddingOrigin: 'https://shop.example:8443' }],
    [proves('locale en', 'CREATE-15'), { locale: 'en' }],
    [proves('locale es', 'CREATE-15'), { locale: 'es' }],
    [proves('locale pt', 'CREATE-15'), { locale: 'pt' }],
    [proves('environment sandbox', 'CREATE-16'), { environment: 'sandbox' }],
    [proves('environment live', 'CREATE-16'), { environment: 'live' }],
    [proves('an empty customer', 'CREATE-18'), { customer: {} }],
    [
      proves('an address of 320 characters', 'CREATE-19'),
      { customer: { email: `${'l'.repeat(64)}@${'d'.repeat(255)}` } },
    ],
    [proves('a name of 1 character', 'CREATE-20'), { customer: { name: 'A' } }],
    [proves('a name of 255 characters', 'CREATE-20'), { customer: { name: 'A'.repeat(255) } }],
    ['C9: a name of 255 times U+1F600', { customer: { name: '\u{1f600}'.repeat(255) } }],
    [proves('an empty documentNumber and phone', 'AMB-54'), { customer: { documentNumber: '', phone: '' } }],
    [proves('a long documentNumber', 'AMB-54'), { customer: { documentNumber: '1'.repeat(5000) } }],
    [proves('0 keys', 'META-01'), { metadata: {} }],
    [
      proves('100 keys', 'META-01'),
      { metadata: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, at])) },
    ],
    [
      proves('more than 100 keys below the top', 'AMB-16'),
      { metadata: { a: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, at])) } },
    ],
    [
      proves('nested values of every kind', 'META-07'),
      { metadata: { a: { b: [1, 1.5, true, null, 'x', {}, []] } } },
    ],
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
      proves(`amountCents ${JSON.stringify(amountCents)}`, 'CREATE-05'),
      { amountCents },
      'amountCents',
    ]),
    ...['usd', 'EUR', '', ' USD', 'USDT', null, 840, ['USD']].map(
      (currency): [string, Record<string, unknown>, string] => [
        proves(`currency ${JSON.stringify(currency)}`, 'GEN-04'),
        { currency },
        'currency',
      ],
    ),
    [proves('an empty reference', 'CREATE-07'), { reference: '' }, 'reference'],
    [proves('a reference of 256 characters', 'CREATE-07'), { reference: 'r'.repeat(256) }, 'reference'],
    [
      proves('a reference of 256 times U+00E9', 'CREATE-07'),
      { reference: '\u00e9'.repeat(256) },
      'reference',
    ],
    ['C9: a reference of 256 times U+1F600', { reference: '\u{1f600}'.repeat(256) }, 'reference'],
    [proves('a reference that is a number', 'CREATE-07'), { reference: 5 }, 'reference'],
    [proves('U+0000 in the reference', 'AMB-54'), { reference: 'a\0' }, 'reference'],
    [proves('a lone surrogate in the reference', 'AMB-54'), { reference: 'a\ud800' }, 'reference'],
    [proves('a relative successUrl', 'CREATE-08'), { successUrl: '/ok' }, 'successUrl'],
    [proves('an empty successUrl', 'CREATE-08'), { successUrl: '' }, 'successUrl'],
    [proves('a successUrl that is null', 'CREATE-08'), { successUrl: null }, 'successUrl'],
    [proves('a relative cancelUrl', 'CREATE-09'), { cancelUrl: '/no' }, 'cancelUrl'],
    [proves('a cancelUrl that is a number', 'CREATE-09'), { cancelUrl: 1 }, 'cancelUrl'],
    ['C6: a script as cancelUrl', { cancelUrl: 'javascript:alert(1)' }, 'cancelUrl'],
    [
      proves('a lone surrogate in successUrl', 'AMB-54'),
      { successUrl: 'https://shop.example/\ud800' },
      'successUrl',
    ],
    ...['pix', 'Card', '', null, ['card'], 'card '].map(
      (paymentMethod): [string, Record<string, unknown>, string] => [
        proves(`paymentMethod ${JSON.stringify(paymentMethod)}`, 'CREATE-10'),
        { paymentMethod },
        'paymentMethod',
      ],
    ),
    ...['Hosted', 'embedded', '', null, true].map(
      (checkoutMode): [string, Record<string, unknown>, string] => [
        proves(`checkoutMode ${JSON.stringify(checkoutMode)}`, 'CREATE-13'),
        { checkoutMode },
        'checkoutMode',
      ],
    ),
    ...['', 'null', '*', 'https://shop.example/', 'http://shop.example', 'x'.repeat(256), null, {}].map(
      (embeddingOrigin): [string, Record<string, unknown>, string] => [
        proves(`embeddingOrigin ${JSON.stringify(embeddingOrigin).slice(0, 30)}`, 'EMBED-01'),
        { embeddingOrigin },
        'embeddingOrigin',
      ],
    ),
    ...['fr', 'pt-BR', 'EN', '', null].map((locale): [string, Record<string, unknown>, string] => [
      proves(`locale ${JSON.stringify(locale)}`, 'CREATE-15'),
      { locale },
      'locale',
    ]),
    ...['test', 'Sandbox', 'LIVE', '', null].map((environment): [string, Record<string, unknown>, string] => [
      proves(`environment ${JSON.stringify(environment)}`, 'ENV-01'),
      { environment },
      'environment',
    ]),
    ...['x', [], null, 1, true].map((customer): [string, Record<string, unknown>, string] => [
      proves(`customer ${JSON.stringify(customer)}`, 'CREATE-18'),
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
      proves(`email ${JSON.stringify(email).slice(0, 20)}`, 'CREATE-19'),
      { customer: { email } },
      'customer.email',
    ]),
    ...['', 'A'.repeat(256), '\u{1f600}'.repeat(256), null, 7, 'A\0', 'A\udc00'].map(
      (name): [string, Record<string, unknown>, string] => [
        proves(`name ${JSON.stringify(name).slice(0, 20)}`, 'CREATE-20'),
        { customer: { name } },
        'customer.name',
      ],
    ),
    ...[123, null, '1\0', '\ud800', ['1'], '1'.repeat(5001)].map(
      (documentNumber): [string, Record<string, unknown>, string] => [
        proves(`documentNumber ${JSON.stringify(documentNumber).slice(0, 20)}`, 'CREATE-21'),
        { customer: { documentNumber } },
        'customer.documentNumber',
      ],
    ),
    ...[5, null, '1\0', '\ud800', {}, '5'.repeat(5001)].map(
      (phone): [string, Record<string, unknown>, string] => [
        proves(`phone ${JSON.stringify(phone).slice(0, 20)}`, 'CREATE-22'),
        { customer: { phone } },
        'customer.phone',
      ],
    ),
    [proves('an unknown customer field', 'CREATE-04'), { customer: { foo: 1 } }, 'customer'],
    [
      proves('__proto__ in customer', 'CREATE-04'),
      { customer: JSON.parse('{"__proto__":{"email":"a@b"}}') },
      'customer',
    ],
    ...[[], 'x', 1, true, null].map((metadata): [string, Record<string, unknown>, string] => [
      proves(`metadata ${JSON.stringify(metadata)}`, 'META-07'),
      { metadata },
      'metadata',
    ]),
    [
      proves('101 keys', 'META-01'),
      { metadata: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, at])) },
      'metadata',
    ],
    [proves('U+0000 in a metadata value', 'AMB-54'), { metadata: { a: ['x\0'] } }, 'metadata'],
    [proves('U+0000 in a metadata key', 'AMB-54'), { metadata: { 'a\0': 1 } }, 'metadata'],
    [
      proves('a lone surrogate in a metadata value', 'AMB-54'),
      { metadata: { a: { b: '\ud800' } } },
      'metadata',
    ],
    [
      proves('a lone surrogate in a nested metadata key', 'AMB-54'),
      { metadata: { a: [{ '\udc00': 1 }] } },
      'metadata',
    ],
    [proves('an unknown field', 'CREATE-03'), { foo: 1 }, 'body'],
    [proves('a known field in other case', 'CREATE-03'), { Reference: 'x' }, 'body'],
    ['X11: an unknown field that is null', { foo: null }, 'body'],
  ];

  it.each(rows)('%s', (_title, change, field) => {
    expect(fieldOf(change)).toBe(field);
  });

  it.each(Object.keys(valid))(proves('%s missing', 'CREATE-05 to -09'), (name) => {
    expect(parseCreatePayment(without(name), production)).toMatchObject({ ok: false, field: name });
  });

  it.each([null, [], [valid], 'x', 1, true])(
    proves('a body that is %j is a fault of body', 'AMB-19'),
    (body) => {
      expect(parseCreatePayment(body, production)).toMatchObject({ ok: false, field: 'body' });
    },
  );

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

  it(proves('__proto__ at the top is an unknown field, not a way around a missing one', 'AMB-26'), () => {
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
    // 8 bytes of structure, 5458 times 3, and 2 to reach the limit.
    expect(fieldOf({ metadata: { k: `${'\u20ac'.repeat(5458)}aa` } })).toBeUndefined();
    expect(fieldOf({ metadata: { k: `${'\u20ac'.repeat(5458)}aaa` } })).toBe('metadata');
  });

  it(proves('keys and structural bytes count', 'META-02'), () => {
    const filled = { ['k'.repeat(16_380)]: 1 };
    expect(JSON.stringify(filled)).toHaveLength(16_385 + 1);
    expect(fieldOf({ metadata: filled })).toBe('metadata');
    expect(fieldOf({ metadata: { ['k'.repeat(16_378)]: 1 } })).toBeUndefined();
    expect(fieldOf({ metadata: { ['k'.repeat(16_379)]: 1 } })).toBe('metadata');
  });

  it(proves('does not count white space and escapes of the request', 'META-04'), () => {
    const spaced = `{"a":${' '.repeat(20_000)}1}`;
    const escaped = `{"k":"${'\\u00e9'.repeat(8188)}"}`;
    for (const metadata of [spaced, escaped]) {
      expect(fieldOf({ metadata: parseStrictJson(Buffer.from(metadata)) })).toBeUndefined();
    }
  });

  it(proves('numbers count in their canonical form', 'META-04'), () => {
    const numbers = (token: string) =>
      parseStrictJson(Buffer.from(`{"n":[${Array(4000).fill(token).join(',')}]}`));
    expect(fieldOf({ metadata: numbers('5.000') })).toBeUndefined();
    expect(fieldOf({ metadata: numbers('50000') })).toBe('metadata');
  });

  it(proves('__proto__ is ordinary data: it is kept, measured, and pollutes nothing', 'AMB-26'), () => {
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

  it('C8: nesting that would exhaust the stack is refused', () => {
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
    proves('%s is named before everything behind it in the table', 'AMB-19'),
    (field, at) => {
      const later = faults
        .slice(at)
        .reduce<Record<string, unknown>>((all, [, change]) => ({ ...all, ...change }), {});
      // Written in the opposite order, because the order of the table decides, not that of the body.
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
  ])(proves('within customer %s comes first', 'AMB-19'), (field, customer) => {
    expect(fieldOf({ customer })).toBe(field);
  });

  it(
    proves(
      'unknown fields come last: after metadata, the one in customer before the one at the top',
      'AMB-19',
    ),
    () => {
      expect(fieldOf({ customer: { foo: 1 }, metadata: 1 })).toBe('metadata');
      expect(fieldOf({ customer: { foo: 1 }, foo: 1 })).toBe('customer');
    },
  );
});

describe('strings', () => {
  const fits = (text: string): boolean => text !== '' && Array.from(text).length <= 255;

  it(proves('every storable string of the corpus is kept as sent', 'AMB-54'), () => {
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

  it(proves('every other string of the corpus is refused in every field', 'AMB-54'), () => {
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

  it.each([
    [{ checkoutmode: 'custom' }, 'body', 'Unknown field "checkoutmode". Did you mean "checkoutMode"?'],
    [{ amount: 2500 }, 'body', 'Unknown field "amount". Did you mean "amountCents"?'],
    [{ color: 'x' }, 'body', 'Unknown field "color".'],
    [
      { lineItems: [{ name: 'x', quantity: 1, amountCents: 2500, nam: 'x' }] },
      'lineItems.0',
      'Unknown field "nam" in lineItems.0. Did you mean "name"?',
    ],
    [{ tok_abc: 'x' }, 'body', 'Unknown field.'],
    [
      { customer: { documentnumber: 'x' } },
      'customer',
      'Unknown field "documentnumber" in customer. Did you mean "documentNumber"?',
    ],
  ])('%j is refused, naming the field and the nearest known one', (change, field, message) => {
    expect(parse(change)).toEqual({ ok: false, field, message });
  });

  it(proves('no message quotes a value, nor a name that may be a secret', 'SECRET-10'), () => {
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
      { customer: { foo: canary } },
      { foo: canary },
      { [`tok_${canary}`]: 1 },
      { [`${canary}4242424242424242`]: 1 },
      { customer: { [`cps_live_${canary}`]: 1 } },
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
