import * as fc from 'fast-check';
import { bodyHash } from '../../../src/operations/idempotency.ts';
import { parseStrictJson } from '../../../src/api/http/strict-json.ts';
import { proves } from '../../support/proves.ts';

const hashOf = (text: string): string => bodyHash(parseStrictJson(Buffer.from(text))).toString('hex');

describe('the hash of a body', () => {
  it(proves('is the SHA-256 of the RFC 8785 form', 'AMB-11'), () => {
    // printf '{"a":1,"b":"\xc3\xa9"}' | sha256sum
    expect(hashOf('{ "b": "\\u00e9", "a": 1.0 }')).toBe(
      '09ad9fd2fb648cb2f62141215828ea00a62c299db05d20aa9ade2f527a301cc6',
    );
  });

  it.each([
    ['key order', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['white space', '{"a":1}', ' {\n"a" : 1 } '],
    ['escapes', '{"a":"\u00e9/"}', '{"\\u0061":"\\u00E9\\/"}'],
    ['spelling of numbers', '{"a":500}', '{"a":5.00e2}'],
    ['nested key order', '{"m":{"a":[{"x":1,"y":2}]}}', '{"m":{"a":[{"y":2,"x":1}]}}'],
  ])('C2: %s does not matter', (_what, one, other) => {
    expect(hashOf(one)).toBe(hashOf(other));
  });

  it.each([
    ['a value', '{"a":1}', '{"a":2}'],
    ['a type', '{"a":1}', '{"a":"1"}'],
    [proves('one metadata value', 'META-06'), '{"metadata":{"a":1}}', '{"metadata":{"a":2}}'],
    ['a field left out and its default', '{"a":1}', '{"a":1,"locale":"en"}'],
    ['the order of an array', '[1,2]', '[2,1]'],
    ['normalization', '{"a":"\u00e9"}', '{"a":"e\u0301"}'],
    ['case', '{"a":"x"}', '{"a":"X"}'],
    ['null and absent', '{}', '{"a":null}'],
    ['__proto__', '{}', '{"__proto__":1}'],
    ['white space in a value', '{"a":"x"}', '{"a":"x "}'],
  ])(proves('%s matters', 'AMB-11'), (_what, one, other) => {
    expect(hashOf(one)).not.toBe(hashOf(other));
  });

  it('C2: any value has one hash however its keys are ordered, and another value has another', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, inner]) => [key, shuffled(inner)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(bodyHash(shuffled(value))).toEqual(bodyHash(value));
        expect(bodyHash([value])).not.toEqual(bodyHash(value));
      }),
      { numRuns: 500 },
    );
  });
});
