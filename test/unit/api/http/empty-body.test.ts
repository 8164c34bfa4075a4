import { parseEmptyBody } from '../../../../src/api/http/input.ts';
import { jsonCases } from '../../../support/corpus.ts';
import { proves } from '../../../support/proves.ts';

describe('the body of an operation that has none', () => {
  it(proves('no body is accepted', 'CAPTURE-02'), () => {
    expect(parseEmptyBody(undefined)).toEqual({ ok: true });
    expect(parseEmptyBody(new Uint8Array())).toEqual({ ok: true });
  });

  it.each(['{}', ' { } ', '{\n}'])(proves('%j is tolerated', 'AMB-26'), (text) => {
    expect(parseEmptyBody(Buffer.from(text))).toEqual({ ok: true });
  });

  it.each([
    ' ',
    '\n',
    'null',
    '[]',
    '""',
    '0',
    'false',
    '{"a":1}',
    '{"__proto__":{}}',
    '{',
    '{}{}',
    '\0',
    '\ufeff{}',
    'a=1',
  ])(proves('%j is refused as body', 'AMB-26'), (text) => {
    expect(parseEmptyBody(Buffer.from(text))).toEqual({
      ok: false,
      field: 'body',
      message: expect.any(String),
    });
  });

  it(proves('any body that is not strict JSON is refused, never thrown', 'CREATE-02'), () => {
    for (const [, bytes] of jsonCases('json-reject.json').filter(([, document]) => document.length > 0)) {
      expect(parseEmptyBody(bytes)).toMatchObject({ ok: false, field: 'body' });
    }
  });
});
