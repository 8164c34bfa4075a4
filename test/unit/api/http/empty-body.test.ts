import { parseEmptyBody } from '../../../../src/api/http/empty-body.ts';
import { jsonCases } from '../../../support/corpus.ts';

describe('the body of an operation that has none', () => {
  it('CAPTURE-02: no body is accepted', () => {
    expect(parseEmptyBody(undefined)).toEqual({ ok: true });
    expect(parseEmptyBody(new Uint8Array())).toEqual({ ok: true });
  });

  it.each(['{}', ' { } ', '{\n}'])('AMB-26: %j is tolerated', (text) => {
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
  ])('AMB-26: %j is refused as body', (text) => {
    expect(parseEmptyBody(Buffer.from(text))).toEqual({
      ok: false,
      field: 'body',
      message: expect.any(String),
    });
  });

  it('CREATE-02: whatever is no strict JSON is refused, never thrown', () => {
    for (const [, bytes] of jsonCases('json-reject.json').filter(([, document]) => document.length > 0)) {
      expect(parseEmptyBody(bytes)).toMatchObject({ ok: false, field: 'body' });
    }
  });
});
