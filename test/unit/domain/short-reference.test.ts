import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { shortReference, shortReferenceNumber } from '../../../src/domain/short-reference.ts';

const signs = '23456789BCDFGHJKLMNPQRSTVWXYZ';

/** Whether the last sign is the checksum of those before it. */
function isRight(reference: string): boolean {
  const values = reference
    .replace('-', '')
    .split('')
    .map((sign) => signs.indexOf(sign));
  const last = values.pop();
  return values.reduce((sum, value, at) => sum + value * (at + 2), 0) % 29 === last;
}

describe('the short reference of a payment', () => {
  it('is four characters, a dash and four characters, with a digit and a checksum, the same each time', () => {
    expect(shortReference('01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90')).toBe(
      shortReference('01931C5E-8A6F-7B3C-9D41-2F6E5A7C8B90'),
    );
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const reference = shortReference(id);
        expect(reference).toMatch(/^[2-9B-DF-HJ-NP-TV-Z]{4}-[2-9][2-9B-DF-HJ-NP-TV-Z]{3}$/);
        expect(isRight(reference)).toBe(true);
      }),
    );
  });

  it('detects every wrong character and every swap of two neighbors', () => {
    const reference = shortReference(randomUUID()).replace('-', '');
    for (let at = 0; at < 8; at += 1) {
      for (const sign of signs) {
        const wrong = reference.slice(0, at) + sign + reference.slice(at + 1);
        expect([wrong, isRight(wrong)]).toEqual([wrong, wrong === reference]);
      }
      if (at === 7) continue;
      const [one = '', other = ''] = reference.slice(at, at + 2);
      const swapped = reference.slice(0, at) + other + one + reference.slice(at + 2);
      expect([swapped, isRight(swapped)]).toEqual([swapped, one === other]);
    }
  });

  it('is read as people type it, and has a number that payments of the same reference share', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const bits = BigInt(`0x${id.replaceAll('-', '')}`) & ((1n << 62n) - 1n);
        expect(shortReferenceNumber(shortReference(id))).toBe(Number(bits % (29n ** 6n * 8n)));
      }),
    );
    const reference = shortReference('01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90');
    const number = shortReferenceNumber(reference);
    for (const typed of [
      reference.toLowerCase(),
      reference.replace('-', ''),
      ` ${reference.replace('-', ' ')} `,
    ]) {
      expect(shortReferenceNumber(typed)).toBe(number);
    }
    const wrong = reference.slice(0, -1) + (reference.endsWith('2') ? '3' : '2');
    for (const typed of [wrong, '', 'order-77', `${reference}2`, reference.slice(0, -1), 'AEIOU-123']) {
      expect([typed, shortReferenceNumber(typed)]).toEqual([typed, null]);
    }
  });

  it('differs between payments', () => {
    const all = new Set(Array.from({ length: 5_000 }, () => shortReference(randomUUID())));
    expect(all.size).toBeGreaterThan(4_990);
  });
});
