import { parseIdempotencyKey } from '../../../../src/api/http/input.ts';
import { proves } from '../../../support/proves.ts';

const withKey = (...keys: string[]) =>
  parseIdempotencyKey([
    'Host',
    'a.example',
    ...keys.flatMap((key) => ['Idempotency-Key', key]),
    'Accept',
    '*/*',
  ]);

describe('the Idempotency-Key', () => {
  it.each([
    [proves('16 characters', 'IDEM-02'), 'k'.repeat(16)],
    [proves('255 characters', 'IDEM-02'), 'k'.repeat(255)],
    [proves('16 times 0x21', 'IDEM-03'), '!'.repeat(16)],
    [proves('16 times 0x7E', 'IDEM-03'), '~'.repeat(16)],
    [proves('commas and quotes', 'IDEM-03'), '"a,b;c=d\\e","f,g"'],
    [proves('a UUID', 'IDEM-03'), '01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90'],
  ])('%s is accepted as it is', (_title, key) => {
    expect(withKey(key)).toEqual({ ok: true, key });
  });

  it.each([
    [proves('an empty one', 'IDEM-01'), ''],
    [proves('15 characters', 'IDEM-02'), 'k'.repeat(15)],
    [proves('256 characters', 'IDEM-02'), 'k'.repeat(256)],
    [proves('100,000 characters', 'IDEM-02'), 'k'.repeat(100_000)],
    [proves('an inner space', 'IDEM-03'), `${'k'.repeat(16)} k`],
    [proves('a tab', 'IDEM-03'), `${'k'.repeat(16)}\tk`],
    [proves('0x7F', 'IDEM-03'), `${'k'.repeat(16)}\u007f`],
    [proves('0x80', 'IDEM-03'), `${'k'.repeat(16)}\u0080`],
    [proves('U+00E9 as Latin-1', 'IDEM-03'), `${'k'.repeat(16)}\u00e9`],
    [proves('U+00E9 as UTF-8 bytes', 'IDEM-03'), `${'k'.repeat(16)}\u00c3\u00a9`],
    [proves('a newline at the end', 'IDEM-03'), `${'k'.repeat(16)}\n`],
    [proves('NUL', 'IDEM-03'), `${'k'.repeat(16)}\0`],
  ])('%s is refused without being quoted', (_title, key) => {
    expect(withKey(key)).toEqual({ ok: false, message: expect.not.stringContaining('kkkk') });
  });

  it(proves('a missing key is refused, also when another header has its name as value', 'IDEM-01'), () => {
    expect(parseIdempotencyKey([]).ok).toBe(false);
    expect(parseIdempotencyKey(['X', 'Idempotency-Key', 'k'.repeat(16), 'x']).ok).toBe(false);
  });

  it('a repeated header is refused, also with the same key', () => {
    expect(withKey('a'.repeat(16), 'b'.repeat(16)).ok).toBe(false);
    expect(withKey('a'.repeat(16), 'a'.repeat(16)).ok).toBe(false);
    expect(
      parseIdempotencyKey(['idempotency-key', 'a'.repeat(16), 'IDEMPOTENCY-KEY', 'b'.repeat(16)]).ok,
    ).toBe(false);
  });

  it('the name of the header is case-insensitive', () => {
    expect(parseIdempotencyKey(['iDEMPOTENCY-kEY', 'k'.repeat(16)])).toEqual({
      ok: true,
      key: 'k'.repeat(16),
    });
  });
});
