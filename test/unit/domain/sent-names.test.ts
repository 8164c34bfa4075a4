import { isQuotable, nearestName, quotablePath, unknownName } from '../../../src/domain/sent-names.ts';

const known = ['amountCents', 'currency', 'reference', 'successUrl', 'cancelUrl', 'checkoutMode', 'metadata'];

describe('a name that a caller sent', () => {
  it.each(['amount', 'checkoutmode', 'success_url', 'perPage', 'created.gte', 'x-y', '_private', 'a'])(
    'is repeated when it is a short identifier: %s',
    (name) => {
      expect(isQuotable(name)).toBe(true);
    },
  );

  it.each([
    '',
    '4242424242424242',
    'card4242424242424242',
    'c4242x4242',
    `cps_sandbox_${'a'.repeat(20)}`,
    'tok_abcdefghijkl',
    'whsec_abcdef',
    'a'.repeat(41),
    'a b',
    'a\nb',
    'a\u0000b',
    '<script>',
    'naïve',
    '𝟜𝟚𝟜𝟚',
    '"quoted"',
  ])('is not repeated when it may be a secret or could forge the message: %j', (name) => {
    expect(isQuotable(name)).toBe(false);
    expect(unknownName({ kind: 'field', name, known })).toBe('Unknown field.');
  });

  it.each([
    ['checkoutmode', 'checkoutMode'],
    ['checkout_mode', 'checkoutMode'],
    ['amount', 'amountCents'],
    ['refrence', 'reference'],
    ['sucessUrl', 'successUrl'],
    ['curency', 'currency'],
    ['metadatas', 'metadata'],
  ])('%s is nearest to %s', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
    expect(unknownName({ kind: 'field', name, known })).toBe(
      `Unknown field "${name}". Did you mean "${nearest}"?`,
    );
  });

  it.each(['foo', 'limit', 'description', 'a'])('%s is near none', (name) => {
    expect(nearestName(name, known)).toBeNull();
    expect(unknownName({ kind: 'field', name, known })).toBe(`Unknown field "${name}".`);
  });

  it('prefers the known name that differs least', () => {
    expect(nearestName('cancelurl', known)).toBe('cancelUrl');
    expect(nearestName('from', ['fromDate', 'from', 'form'])).toBe('from');
  });

  it('is followed by the given advice when no known name is near', () => {
    expect(
      unknownName({ kind: 'query parameter', name: 'limit', known: ['page'], otherwise: 'Use page.' }),
    ).toBe('Unknown query parameter "limit". Use page.');
  });
});

describe('a path in a message', () => {
  it.each([
    ['/v1/payment', '/v1/payment'],
    [
      '/v1/payments/01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90/payy?a=secret',
      '/v1/payments/01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90/payy',
    ],
    ['/v1/payments/4242424242424242', '/v1/payments/…'],
    ['/v1/payments/tok_5f0c2b7e9a41d83c/pay', '/v1/payments/…/pay'],
    ['/v1/%0d%0aX', '/v1/…'],
    ['/v1//payments', '/v1//payments'],
    [`/v1/${'a/'.repeat(50)}`, '/v1/a/a/a/a/a/…'],
    [`/v1/${'a'.repeat(5_000)}`, '/v1/…'],
  ])('%s is shown as %s', (url, shown) => {
    expect(quotablePath(url)).toBe(shown);
  });
});
