import * as fc from 'fast-check';
import * as z from 'zod';
import {
  isLossless,
  maxJsonValues,
  parseStrictJson,
  StrictJsonError,
  TooManyValuesError,
} from '../../../../src/api/http/strict-json.ts';
import { maxJsonDepth } from '../../../../src/domain/text.ts';
import { outcomeOf } from '../../../support/outcome.ts';
import { jsonCases } from '../../../support/corpus.ts';
import { proves } from '../../../support/proves.ts';

const parse = (text: string, options?: { maxDepth?: number; maxValues?: number }) =>
  parseStrictJson(Buffer.from(text, 'utf8'), options);

/** Returns the value of JSON.parse, with -0 replaced by 0. */
const builtIn = (text: string): unknown =>
  JSON.parse(text, (_name, value: unknown) => (value === 0 ? 0 : value));

describe('the corpora', () => {
  const accepted = jsonCases('json-accept.json');
  const rejected = jsonCases('json-reject.json');

  it('have the documented sizes', () => {
    expect(accepted.length).toBeGreaterThan(80);
    expect(rejected.length).toBeGreaterThan(150);
  });

  it.each(accepted)(proves('accepted: %s', 'CREATE-02'), (_name, bytes) => {
    const value = parseStrictJson(bytes);
    // A reviver would lose `__proto__`, so zeros are compared by their text.
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(bytes.toString('utf8'))));
    expect(value).toEqual(value === 0 ? 0 : parseStrictJson(Buffer.from(JSON.stringify(value))));
  });

  it.each(rejected)(proves('refused: %s', 'CREATE-02'), (_name, bytes) => {
    expect(() => parseStrictJson(bytes)).toThrow(StrictJsonError);
  });
});

describe('strict JSON', () => {
  it.each([
    ['500', 500],
    ['500.0', 500],
    ['5e2', 500],
    ['-0', 0],
    ['-0.0e5', 0],
    ['0.1', 0.1],
    ['1e23', 1e23],
  ])('C7: the number %s is %d', (token, value) => {
    expect(Object.is(parse(token), value)).toBe(true);
  });

  it.each([
    '500.00000000000000001',
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    'NaN',
  ])('C7: the number %s is refused rather than changed', (token) => {
    expect(() => parse(`{"amountCents":${token}}`)).toThrow(StrictJsonError);
  });

  it(proves('__proto__ is an own member like any other and pollutes nothing', 'AMB-26'), () => {
    const value = parse('{"metadata":{"__proto__":{"polluted":true},"a":1}}');
    expect(value).toEqual(JSON.parse('{"metadata":{"__proto__":{"polluted":true},"a":1}}'));
    expect(JSON.stringify(value)).toBe('{"metadata":{"__proto__":{"polluted":true},"a":1}}');
    expect('polluted' in {}).toBe(false);
    const inner = z.strictObject({ metadata: z.custom<object>() }).parse(value).metadata;
    expect(Object.getPrototypeOf(inner)).toBe(Object.prototype);
    expect(Object.hasOwn(inner, '__proto__')).toBe(true);
  });

  it('X10: members are compared by their unescaped names', () => {
    expect(() => parse('{"amountCents":500,"\\u0061mountCents":9900}')).toThrow('two members of one name');
  });

  it('DEC4: 64 levels are accepted, 65 are not, and another limit can be set', () => {
    expect(parse('['.repeat(maxJsonDepth) + ']'.repeat(maxJsonDepth))).toBeInstanceOf(Array);
    expect(() => parse('['.repeat(65) + ']'.repeat(65))).toThrow('64 nested');
    expect(parse('[[]]', { maxDepth: 2 })).toEqual([[]]);
    expect(() => parse('[[[]]]', { maxDepth: 2 })).toThrow('2 nested');
    // The depth of neighboring arrays is not added up.
    expect(parse(`[${Array.from({ length: 200 }, () => '[[]]').join(',')}]`)).toHaveLength(200);
  });

  it('a document with too many values is not read beyond the limit', () => {
    expect(parse('{"a":[1,2],"b":"x"}', { maxValues: 5 })).toEqual({ a: [1, 2], b: 'x' });
    // The text after the sixth value is not JSON, and is not read.
    expect(() => parse('{"a":[1,2],"b":"x","c":1 }{not json', { maxValues: 5 })).toThrow(TooManyValuesError);
    const elements = (count: number) => `[${Array.from({ length: count }, () => '0').join(',')}]`;
    expect(parse(elements(maxJsonValues - 1))).toHaveLength(maxJsonValues - 1);
    expect(() => parse(elements(maxJsonValues))).toThrow('more than 20000 values');
  });

  it(
    proves('U+0000 and lone surrogates in escapes are kept for the schema to refuse by field', 'AMB-54'),
    () => {
      expect(parse('["\\u0000","\\ud800","\\uDC00"]')).toEqual(['\0', '\ud800', '\udc00']);
    },
  );

  it(proves('a refusal never quotes the document', 'SECRET-10'), () => {
    for (const text of [
      '{"canary":canary}',
      '{"canary":1,"canary":2}',
      '"canary',
      '["canary" canary]',
      '"\\canary"',
    ]) {
      expect(() => parse(text)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('canary') }),
      );
    }
  });

  it('reads a view into a larger buffer, not the buffer', () => {
    expect(parseStrictJson(new TextEncoder().encode('xx[1]xx').subarray(2, 5))).toEqual([1]);
  });

  it('X18: bodies built to take long are decided quickly', () => {
    const size = 160 * 1024;
    expect(parse(`[${'0'.padEnd(size, ' ')}]`)).toEqual([0]);
    expect(parse(`0.${'0'.repeat(size)}e${size}`)).toBe(0);
    expect(parse(`1${'0'.repeat(300)}.${'0'.repeat(size)}`)).toBe(1e300);
    expect(() => parse(`0.${'0'.repeat(size)}1`)).toThrow(StrictJsonError);
    expect(() => parse(`"${'\\'.repeat(size + 1)}`)).toThrow(StrictJsonError);
    const members = Array.from({ length: 12_000 }, (_, at) => `"k${at}":0`);
    expect(JSON.stringify(parse(`{${members.join(',')}}`))).toBe(`{${members.join(',')}}`);
  });
});

describe('properties', () => {
  it('every JSON text that JSON.stringify writes is accepted with the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(parse(JSON.stringify(value))).toEqual(builtIn(JSON.stringify(value)));
      }),
      { numRuns: 1000 },
    );
  });

  it('agrees with JSON.parse on everything it accepts, and accepts nothing that JSON.parse refuses', () => {
    const fragment = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '"a"', '"b"', '\\', '\\u0061', '\\n', ' ', '\n', '\u00a0', '\0'],
      ...[
        '0',
        '1',
        '-',
        '+',
        '.',
        'e',
        'E',
        '00',
        '1.5',
        '1e400',
        'true',
        'null',
        'nul',
        '__proto__',
        '\ud83d\ude00',
      ],
    );
    const text = fc.oneof(
      fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.tuple(fc.json(), fc.nat(), fragment).map(([json, at, part]) => {
        const cut = at % (json.length + 1);
        return json.slice(0, cut) + part + json.slice(cut);
      }),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        const outcome = outcomeOf(() => JSON.stringify(parse(candidate)));
        expect([outcomeOf(() => JSON.stringify(JSON.parse(candidate))), 'StrictJsonError']).toContain(
          outcome,
        );
      }),
      { numRuns: 3000 },
    );
  });

  it('any bytes are parsed or refused with the one error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(['accepted', 'StrictJsonError']).toContain(
          outcomeOf(() => (parseStrictJson(bytes), 'accepted')),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('every finite double is accepted in each usual notation', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 17, max: 100 }),
        (value, digits) => {
          for (const token of [
            String(value),
            value.toExponential(),
            value.toPrecision(17),
            value.toPrecision(digits),
          ]) {
            expect(isLossless(token, Number(token))).toBe(true);
            expect(Number(token) === value).toBe(true);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('an integer is accepted exactly when the double is that integer or is written back as it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
        const token = String(integer);
        const kept = BigInt(Number(token)) === integer || String(BigInt(token)) === plain(Number(token));
        expect(isLossless(token, Number(token))).toBe(kept);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Returns a double's shortest notation without an exponent. */
function plain(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  return sign + whole + fraction.padEnd(Number(exponent), '0');
}
