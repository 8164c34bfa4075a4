import { parsePay } from '../../../../src/api/payments/pay-body.ts';

const valid = { cardToken: 't'.repeat(16), captureReference: 'r' };

describe('a pay body', () => {
  it.each([
    ['PAY-02: a token of 16 characters', { cardToken: 't'.repeat(16) }],
    ['PAY-02: a token of 4096 characters', { cardToken: 't'.repeat(4096) }],
    ['AMB-15: a token of 16 times U+1F600', { cardToken: '\u{1f600}'.repeat(16) }],
    ['PAY-03: a reference of 1 character', { captureReference: 'r' }],
    ['PAY-03: a reference of 31 characters', { captureReference: 'r'.repeat(31) }],
    ['AMB-15: a reference of 31 times U+1F600', { captureReference: '\u{1f600}'.repeat(31) }],
  ])('%s is accepted as it is', (_title, change) => {
    expect(parsePay({ ...valid, ...change })).toEqual({ ok: true, command: { ...valid, ...change } });
  });

  it.each<[string, unknown, string]>([
    ['PAY-02: a token of 15 characters', { ...valid, cardToken: 't'.repeat(15) }, 'cardToken'],
    ['PAY-02: a token of 4097 characters', { ...valid, cardToken: 't'.repeat(4097) }, 'cardToken'],
    ['AMB-15: a token of 8 times U+1F600', { ...valid, cardToken: '\u{1f600}'.repeat(8) }, 'cardToken'],
    ['PAY-02: no token', { captureReference: 'r' }, 'cardToken'],
    ['PAY-02: a token that is a number', { ...valid, cardToken: 1234567890123456 }, 'cardToken'],
    ['PAY-02: a token that is null', { ...valid, cardToken: null }, 'cardToken'],
    ['AMB-54: a token with U+0000', { ...valid, cardToken: `${'t'.repeat(16)}\0` }, 'cardToken'],
    [
      'AMB-54: a token with a lone surrogate',
      { ...valid, cardToken: `${'t'.repeat(16)}\ud800` },
      'cardToken',
    ],
    ['PAY-03: an empty reference', { ...valid, captureReference: '' }, 'captureReference'],
    [
      'PAY-03: a reference of 32 characters',
      { ...valid, captureReference: 'r'.repeat(32) },
      'captureReference',
    ],
    ['PAY-03: no reference', { cardToken: valid.cardToken }, 'captureReference'],
    ['PAY-03: a reference that is an array', { ...valid, captureReference: ['r'] }, 'captureReference'],
    ['MODE-06: a card number beside the token', { ...valid, card_number: '4242424242424242' }, 'body'],
    ['AMB-01: an unknown field', { ...valid, foo: 1 }, 'body'],
    [
      'AMB-26: __proto__',
      JSON.parse(`{"__proto__":1,"cardToken":"${valid.cardToken}","captureReference":"r"}`),
      'body',
    ],
    ['AMB-19: both wrong and an unknown field', { foo: 1, captureReference: '', cardToken: '' }, 'cardToken'],
    ['AMB-19: an unknown field last', { foo: 1, ...valid, captureReference: '' }, 'captureReference'],
    ['AMB-01: the empty object', {}, 'cardToken'],
    ['AMB-01: an array', [], 'body'],
    ['AMB-01: null', null, 'body'],
    ['AMB-01: a string', 'x', 'body'],
  ])('%s is refused with the field', (_title, body, field) => {
    expect(parsePay(body)).toEqual({ ok: false, field, message: expect.any(String) });
  });

  it('SECRET-10: no message quotes what was sent', () => {
    const bodies = [
      { cardToken: 'canary' },
      { ...valid, captureReference: 'canary'.repeat(6) },
      { ...valid, canary: 1 },
      'canary',
    ];
    for (const body of bodies) {
      expect(parsePay(body)).toMatchObject({ ok: false, message: expect.not.stringContaining('canary') });
    }
  });
});
