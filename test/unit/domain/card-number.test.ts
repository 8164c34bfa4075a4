import {
  holdsCardNumber,
  jsonHoldsCardNumber,
  referenceHoldsCardNumber,
  urlHoldsCardNumber,
  withoutCardNumbers,
} from '../../../src/domain/card-number.ts';

/** Published test numbers of the schemes. */
const cards = [
  '4242424242424242',
  '4111111111111111',
  '4222222222222',
  '4000000000000000006',
  '5555555555554444',
  '2223003122003222',
  '378282246310005',
  '6011111111111117',
  '30569309025904',
  '36227206271667',
  '3566002020360505',
  '6200000000000005',
  '6759649826438453',
  '6062826786276634',
];

describe('a card number', () => {
  it.each(cards)('%s is found alone, in a sentence, between letters and in groups', (digits) => {
    const spaced = digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
    const dashed = digits.replaceAll(/(\d{4})(?=\d)/g, '$1-');
    const fullWidth = Array.from(digits, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join(
      '',
    );
    for (const text of [
      digits,
      `paid with ${digits}, thanks`,
      `order-${digits}`,
      `card${digits}x`,
      `12 ${spaced}`,
      spaced,
      dashed,
      spaced.replaceAll(' ', '\u00a0'),
      fullWidth,
      spaced.replaceAll(' ', '.'),
      spaced.replaceAll(' ', '_'),
      spaced.replaceAll(' ', '/'),
      spaced.replaceAll(' ', '\u00b7'),
      Array.from(digits).join('\u200b'),
    ]) {
      expect([text, holdsCardNumber(text)]).toEqual([text, true]);
    }
  });

  it.each([
    ['Arabic-Indic', 0x0660],
    ['Persian', 0x06f0],
    ['Devanagari', 0x0966],
    ['Bengali', 0x09e6],
    ['Thai', 0x0e50],
    ['Khmer', 0x17e0],
    ['Mongolian', 0x1810],
    ['Tai Tham, the second row of two', 0x1a90],
    ['full-width', 0xff10],
    ['Chakma, beyond the first plane', 0x11136],
    ['mathematical, in bold', 0x1d7ce],
    ['mathematical, the fifth row of five', 0x1d7f6],
    ['segmented', 0x1fbf0],
  ])('is found in digits of other scripts: %s', (_script, zero) => {
    const written = (text: string): string =>
      text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
    for (const digits of cards) {
      const spaced = digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
      const mixed = digits.slice(0, 7) + written(digits.slice(7));
      for (const text of [written(digits), `\u202b${written(spaced)}\u202c, ok`, mixed]) {
        expect([text, holdsCardNumber(text)]).toEqual([text, true]);
      }
    }
    expect(holdsCardNumber(written('4242424242424241'))).toBe(false);
    expect(holdsCardNumber(written('2026112200000016'))).toBe(false);
    expect(jsonHoldsCardNumber({ a: { [written('4242424242424242')]: 1 } })).toBe(true);
    expect(
      urlHoldsCardNumber(`https://shop.example/?a=${encodeURIComponent(written('4242424242424242'))}`),
    ).toBe(true);
    const isOneUnit = zero < 0x10000;
    expect(withoutCardNumbers(`कार्ड ${written('4242 4242 4242 4242')} ok`, '[x]')).toBe(
      isOneUnit ? 'कार्ड [x] ok' : `कार्ड ${written('4242 4242 4242 4242')} ok`,
    );
  });

  it('is found with marks around or under its digits', () => {
    for (const text of [
      Array.from('4242424242424242', (digit) => `${digit}\ufe0f\u20e3`).join(''),
      Array.from('4242424242424242', (digit) => `${digit}\u0332`).join(''),
      '④②④②④②④②④②④②④②④②',
      '4242\u30fb4242\u30fb4242\u30fb4242',
      '4242\u22124242\u22124242\u22124242',
    ]) {
      expect([text, holdsCardNumber(text)]).toEqual([text, true]);
    }
  });

  it('is found wherever it is in JSON: a text, a name, an integer, however deep', () => {
    for (const value of [
      { a: '4242424242424242' },
      { '4242 4242 4242 4242': 1 },
      { a: 4242424242424242 },
      { a: [{ b: ['x', '4242-4242-4242-4242'] }] },
    ]) {
      expect(jsonHoldsCardNumber(value)).toBe(true);
    }
    expect(jsonHoldsCardNumber({ a: 42, b: ['4242', '4242', '4242', '4242'] })).toBe(false);
  });

  it('is found in a URL, as it is written and percent-decoded', () => {
    expect(urlHoldsCardNumber('https://shop.example/ok?card=4242424242424242')).toBe(true);
    expect(urlHoldsCardNumber('https://shop.example/ok?card=4242+4242+4242+4242')).toBe(true);
    expect(urlHoldsCardNumber('https://shop.example/ok?card=%34242%204242%204242%204242')).toBe(true);
    expect(urlHoldsCardNumber('https://shop.example/ok?order=1001%')).toBe(false);
  });

  it('is removed from a text, and nothing else', () => {
    expect(withoutCardNumbers('a 4242 4242 4242 4242 b 5555555555554444, 12', '[x]')).toBe('a [x] b [x], 12');
    expect(withoutCardNumbers('order 1001', '[x]')).toBe('order 1001');
  });

  it('is searched for in linear time, whatever the text', () => {
    // Any of these would take minutes if the work were quadratic.
    for (const text of [
      '1 '.repeat(80_000),
      '1'.repeat(160_000),
      'a1'.repeat(80_000),
      '\u0661\u0967'.repeat(80_000),
      '\u{1d7ce}'.repeat(80_000),
      '1\u0332'.repeat(80_000),
      '4 - '.repeat(40_000),
    ]) {
      expect(holdsCardNumber(text)).toBe(false);
    }
    expect(holdsCardNumber('019ab3c4-1234-7123-8123-123456789012 '.repeat(4_000))).toBe(false);
  });
});

describe('a number that resembles a card number', () => {
  it.each([
    ['one digit changed', '4242424242424241'],
    ['no scheme', '1234567812345670'],
    ['a date and a counter', '2026112200000016'],
    ['milliseconds', '1795330541714'],
    ['a length no scheme has', '42424242424242424'],
    ['more than 19 digits', '42424242424242424242'],
    ['an article number', '4006381333931'],
    ['a UUID of digits', '41111111-1111-1111-1111-111111111111'],
    ['a digest', `4242424242424242${'a'.repeat(48)}`],
    ['groups in different places', '4242,4242,4242,4242'],
    ['a decimal', '4242.424242424242'],
    ['a decimal of six places', '4242424242.424242'],
    ['a path of dates and numbers', '42/4242/4242/4242/42'],
    ['an address of a network', '42.42.42.42/4242'],
    ['a telephone number', '+55 11 98765-4321'],
  ])('%s is not one', (_what, text) => {
    expect(holdsCardNumber(text)).toBe(false);
  });
});

describe('an order reference', () => {
  /** Returns a function that draws numbers from 0 to below 1, the same for the same seed (mulberry32). */
  const randomFrom = (seed: number) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  it.each([13, 14, 15, 16, 17, 18, 19])(
    'of %i random digits is refused less often than once in a hundred',
    (length) => {
      const random = randomFrom(20_261_123);
      const digits = () => Array.from({ length }, () => Math.floor(random() * 10)).join('');
      const references = Array.from({ length: 100_000 }, digits);
      const refused = references.filter((reference) => referenceHoldsCardNumber(reference));
      expect(refused.length).toBeLessThan(1_000);
    },
  );

  it.each([
    ...cards,
    '4000008400001629',
    '4000056655665556',
    '4100000000000019',
    '4539578763621486',
    '4929420573595709',
    '5105105105105100',
    '5200828282828210',
    '371449635398431',
    '3056930009020004',
  ])('is refused with the test card %s, alone, in a sentence and in groups', (digits) => {
    const spaced = digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
    for (const text of [digits, `order-${digits}`, `paid with ${digits}, thanks`, spaced]) {
      expect([text, referenceHoldsCardNumber(text)]).toEqual([text, true]);
    }
  });

  it.each([
    ['a Visa number', '4390000000000000'],
    ['a Mastercard number', '5250000000000006'],
  ])('with %s of no listed issuer is refused only in the groups that cards have', (_what, digits) => {
    expect(holdsCardNumber(digits)).toBe(true);
    expect(referenceHoldsCardNumber(digits)).toBe(false);
    expect(referenceHoldsCardNumber(`order ${digits.slice(0, 8)} ${digits.slice(8)}`)).toBe(false);
    for (const gap of [' ', '-', ' - ', '.', '\u00a0']) {
      const text = `order ${digits.replaceAll(/(\d{4})(?=\d)/g, `$1${gap}`)}`;
      expect([text, referenceHoldsCardNumber(text)]).toEqual([text, true]);
    }
  });

  it.each([
    ['American Express', '3400 000000 00009'],
    ['Diners Club', '3600 000000 0008'],
    ['UnionPay', '622126 0000000000001'],
  ])('is refused in the groups of %s', (_scheme, text) => {
    expect(referenceHoldsCardNumber(text)).toBe(true);
  });
});
