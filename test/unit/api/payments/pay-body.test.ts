import { parsePay } from '../../../../src/api/payments/pay.ts';
import { proves } from '../../../support/proves.ts';

const valid = { cardToken: 't'.repeat(16), captureReference: 'r' };

describe('a pay body', () => {
  it.each([
    [proves('a token of 16 characters', 'PAY-02'), { cardToken: 't'.repeat(16) }],
    [proves('a token of 4096 characters', 'PAY-02'), { cardToken: 't'.repeat(4096) }],
    [proves('a token of 16 times U+1F600', 'AMB-15'), { cardToken: '\u{1f600}'.repeat(16) }],
    [proves('a reference of 1 character', 'PAY-03'), { captureReference: 'r' }],
    [proves('a reference of 31 characters', 'PAY-03'), { captureReference: 'r'.repeat(31) }],
    [proves('a reference of 31 times U+1F600', 'AMB-15'), { captureReference: '\u{1f600}'.repeat(31) }],
  ])('%s is accepted as it is', (_title, change) => {
    expect(parsePay({ ...valid, ...change })).toEqual({ ok: true, command: { ...valid, ...change } });
  });

  it.each<[string, unknown, string]>([
    [proves('a token of 15 characters', 'PAY-02'), { ...valid, cardToken: 't'.repeat(15) }, 'cardToken'],
    [proves('a token of 4097 characters', 'PAY-02'), { ...valid, cardToken: 't'.repeat(4097) }, 'cardToken'],
    [
      proves('a token of 8 times U+1F600', 'AMB-15'),
      { ...valid, cardToken: '\u{1f600}'.repeat(8) },
      'cardToken',
    ],
    [proves('no token', 'PAY-02'), { captureReference: 'r' }, 'cardToken'],
    [proves('a token that is a number', 'PAY-02'), { ...valid, cardToken: 1234567890123456 }, 'cardToken'],
    [proves('a token that is null', 'PAY-02'), { ...valid, cardToken: null }, 'cardToken'],
    [proves('a token with U+0000', 'AMB-54'), { ...valid, cardToken: `${'t'.repeat(16)}\0` }, 'cardToken'],
    [
      proves('a token with a lone surrogate', 'AMB-54'),
      { ...valid, cardToken: `${'t'.repeat(16)}\ud800` },
      'cardToken',
    ],
    [proves('an empty reference', 'PAY-03'), { ...valid, captureReference: '' }, 'captureReference'],
    [
      proves('a reference of 32 characters', 'PAY-03'),
      { ...valid, captureReference: 'r'.repeat(32) },
      'captureReference',
    ],
    [proves('no reference', 'PAY-03'), { cardToken: valid.cardToken }, 'captureReference'],
    [
      proves('a reference that is an array', 'PAY-03'),
      { ...valid, captureReference: ['r'] },
      'captureReference',
    ],
    [
      proves('a card number beside the token', 'MODE-06'),
      { ...valid, card_number: '4242424242424242' },
      'body',
    ],
    [proves('an unknown field', 'AMB-01'), { ...valid, foo: 1 }, 'body'],
    [
      proves('__proto__', 'AMB-26'),
      JSON.parse(`{"__proto__":1,"cardToken":"${valid.cardToken}","captureReference":"r"}`),
      'body',
    ],
    [
      proves('both wrong and an unknown field', 'AMB-19'),
      { foo: 1, captureReference: '', cardToken: '' },
      'cardToken',
    ],
    [
      proves('an unknown field last', 'AMB-19'),
      { foo: 1, ...valid, captureReference: '' },
      'captureReference',
    ],
    [proves('the empty object', 'AMB-01'), {}, 'cardToken'],
    [proves('an array', 'AMB-01'), [], 'body'],
    [proves('null', 'AMB-01'), null, 'body'],
    [proves('a string', 'AMB-01'), 'x', 'body'],
  ])('%s is refused with the field', (_title, body, field) => {
    expect(parsePay(body)).toEqual({ ok: false, field, message: expect.any(String) });
  });

  it('an unknown field is named with the nearest known one', () => {
    const { cardToken, captureReference } = valid;
    expect(parsePay({ cardToken, captureReference, captureRef: 'x' })).toEqual({
      ok: false,
      field: 'body',
      message: 'Unknown field "captureRef". Did you mean "captureReference"?',
    });
  });

  it(proves('no message quotes a value, nor a name that may be a secret', 'SECRET-10'), () => {
    const bodies = [
      { cardToken: 'canary' },
      { ...valid, captureReference: 'canary'.repeat(6) },
      { ...valid, foo: 'canary' },
      { ...valid, tok_canary: 1 },
      'canary',
    ];
    for (const body of bodies) {
      expect(parsePay(body)).toMatchObject({ ok: false, message: expect.not.stringContaining('canary') });
    }
  });
});
