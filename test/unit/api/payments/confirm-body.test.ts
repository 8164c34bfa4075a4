import { parseConfirm } from '../../../../src/api/payments/confirm.ts';
import { proves } from '../../../support/proves.ts';

describe('a confirm body', () => {
  it(proves('{} is accepted', 'CONFIRM-04'), () => {
    expect(parseConfirm({})).toEqual({ ok: true });
  });

  it.each([
    ...[
      null,
      undefined,
      true,
      false,
      0,
      1,
      '',
      '{}',
      'x',
      [],
      [{}],
      { a: 1 },
      { a: null },
      { '': 1 },
      { toString: 1 },
    ],
    ...[
      JSON.parse('{"__proto__":{}}') as unknown,
      { cardToken: 'x' },
      { a: 1, b: 2 },
      [[]],
      { constructor: {} },
    ],
  ])('CONFIRM-04, F3: %j is refused as body', (body) => {
    expect(parseConfirm(body)).toEqual({ ok: false, field: 'body', message: expect.any(String) });
  });
});
