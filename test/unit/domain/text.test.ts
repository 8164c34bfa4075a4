import * as fc from 'fast-check';
import { parseStrictJson } from '../../../src/api/http/strict-json.ts';
import {
  canonicalJson,
  canonicalSizeBytes,
  codePointLength,
  isEmail,
  isStorableText,
} from '../../../src/domain/text.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { rfc8785, storableStrings, unstorableStrings } from '../../support/corpus.ts';
import { proves } from '../../support/proves.ts';

describe('characters', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['\u00e9', 1],
    ['e\u0301', 2],
    ['\u{1f600}', 1],
    ['\u{1f600}'.repeat(255), 255],
    ['\u{1f468}\u200d\u{1f469}', 3],
    ['\ud800', 1],
    ['\udc00\ud800', 2],
    ['\ud83d\ud83d\ude00', 2],
    ['\u{10ffff}\0', 2],
  ])(proves('%j counts %d', 'AMB-15'), (text, length) => {
    expect(codePointLength(text)).toBe(length);
  });

  it(proves('counts code points', 'AMB-15'), () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(codePointLength(text)).toBe(Array.from(text).length);
      }),
      { numRuns: 1000 },
    );
  });

  it(proves('every string of the corpus is storable or not, as marked', 'AMB-54'), () => {
    expect(storableStrings.length).toBeGreaterThanOrEqual(250);
    expect(storableStrings.filter((text) => !isStorableText(text))).toEqual([]);
    expect(unstorableStrings.filter(isStorableText)).toEqual([]);
  });

  it(proves('is storable if UTF-8 restores it and it has no U+0000', 'AMB-54'), () => {
    const unit = fc.constantFrom('a', '\0', '\ud800', '\udbff', '\udc00', '\udfff', '\ue000', '\u{1f600}');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 6 }), (text) => {
        const kept = Buffer.from(text, 'utf8').toString('utf8') === text && !text.includes('\0');
        expect(isStorableText(text)).toBe(kept);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('e-mail addresses', () => {
  const local = 'l'.repeat(64);
  const domain = 'd'.repeat(255);

  it.each([
    ...[
      'a@b',
      'ada@example.com',
      'ada+tag@example.com',
      "o'hara@example.com",
      'ada@b\u00fccher.example',
      '\u7530@example.com',
    ],
    ...[
      'a@[127.0.0.1]',
      '.a@b',
      'a@b.',
      '!#$%&*/=?^_`{|}~-@example.com',
      `${local}@b`,
      `a@${domain}`,
      `${'\u{1f600}'.repeat(64)}@b`,
    ],
  ])(proves('%s is accepted', 'CREATE-19'), (address) => {
    expect(isEmail(address)).toBe(true);
  });

  it(proves('64 + @ + 255 is 320 characters and accepted, 321 are not', 'CREATE-19'), () => {
    expect(`${local}@${domain}`).toHaveLength(320);
    expect(isEmail(`${local}@${domain}`)).toBe(true);
    expect(isEmail(`${local}l@${domain}`)).toBe(false);
    expect(isEmail(`${local}@${domain}d`)).toBe(false);
  });

  it.each([
    ...[
      '',
      'x',
      '@',
      'a@',
      '@b',
      'a@b@c',
      'a@@b',
      '@@',
      'a b@c',
      'a@b c',
      ' a@b',
      'a@b ',
      'a@b\n',
      'a\r\nBcc: x@b',
      'a@\tb',
    ],
    ...['a@b\u00a0c', 'a@\u3000b', 'a@b\0', '\u0007@b', 'a@b\u0085', 'a\u2028@b'],
  ])(proves('%j is refused', 'CREATE-19'), (address) => {
    expect(isEmail(address)).toBe(false);
  });
});

describe('canonical JSON', () => {
  it.each(rfc8785.documents)(proves('RFC 8785 vector $name', 'META-02'), ({ input, canonical }) => {
    expect(canonicalJson(JSON.parse(input))).toBe(canonical);
    expect(canonicalSizeBytes(JSON.parse(input))).toBe(Buffer.byteLength(canonical));
  });

  it.each(rfc8785.documents)(
    'DEC2: strict parsing keeps the RFC 8785 vector $name, or says that it cannot',
    (vector) => {
      const outcome = outcomeOf(() => canonicalJson(parseStrictJson(Buffer.from(vector.input, 'utf8'))));
      expect(outcome).toBe(vector.beyondDouble ? 'StrictJsonError' : vector.canonical);
    },
  );

  it.each(rfc8785.numbers)(
    proves('RFC 8785 number $ieee754 is $canonical', 'META-02'),
    ({ ieee754, canonical }) => {
      const value = Buffer.from(ieee754, 'hex').readDoubleBE();
      expect(outcomeOf(() => canonicalJson(value))).toBe(canonical ?? 'Error');
    },
  );

  it(proves('a member named __proto__ is measured and written like any other', 'AMB-16'), () => {
    expect(canonicalJson(parseStrictJson(Buffer.from('{"b":1,"__proto__":{"a":2}}')))).toBe(
      '{"__proto__":{"a":2},"b":1}',
    );
  });

  it('C8: nesting beyond the limit is refused, however deep, wide or circular', () => {
    const nested = (levels: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level += 1) value = [value];
      return value;
    };
    expect(canonicalJson(nested(64))).toBe(`${'['.repeat(64)}1${']'.repeat(64)}`);
    expect(() => canonicalJson(nested(65))).toThrow(RangeError);
    expect(() => canonicalJson(nested(100_000))).toThrow(RangeError);
    const circular: unknown[] = [];
    circular.push(circular, circular);
    expect(() => canonicalJson(circular)).toThrow(RangeError);
  });

  it('refuses values that are not JSON', () => {
    expect(() => canonicalJson(undefined)).toThrow(TypeError);
    expect(() => canonicalJson('\ud800')).toThrow('surrogate');
    expect(() => canonicalJson({ a: Number.NaN })).toThrow('NaN');
  });

  it(proves('depends on the value only, and has no surplus byte', 'META-04'), () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'grapheme' }), (value) => {
        const canonical = canonicalJson(value);
        expect(canonicalJson(JSON.parse(JSON.stringify(value, null, 7)))).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(value)));
        // The same values in another order are as long as the plain form, byte for byte.
        expect(canonicalSizeBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
      }),
      { numRuns: 1000 },
    );
  });
});
