import { parseIdempotencyKey } from '../../../../src/api/http/idempotency-key.ts';

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
    ['IDEM-02: 16 characters', 'k'.repeat(16)],
    ['IDEM-02: 255 characters', 'k'.repeat(255)],
    ['IDEM-03: 16 times 0x21', '!'.repeat(16)],
    ['IDEM-03: 16 times 0x7E', '~'.repeat(16)],
    ['IDEM-03: commas and quotes', '"a,b;c=d\\e","f,g"'],
    ['IDEM-03: a UUID', '01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90'],
  ])('%s is accepted as it is', (_title, key) => {
    expect(withKey(key)).toEqual({ ok: true, key });
  });

  it.each([
    ['IDEM-01: an empty one', ''],
    ['IDEM-02: 15 characters', 'k'.repeat(15)],
    ['IDEM-02: 256 characters', 'k'.repeat(256)],
    ['IDEM-02: 100,000 characters', 'k'.repeat(100_000)],
    ['IDEM-03: an inner space', `${'k'.repeat(16)} k`],
    ['IDEM-03: a tab', `${'k'.repeat(16)}\tk`],
    ['IDEM-03: 0x7F', `${'k'.repeat(16)}\u007f`],
    ['IDEM-03: 0x80', `${'k'.repeat(16)}\u0080`],
    ['IDEM-03: U+00E9 as Latin-1', `${'k'.repeat(16)}\u00e9`],
    ['IDEM-03: U+00E9 as UTF-8 bytes', `${'k'.repeat(16)}\u00c3\u00a9`],
    ['IDEM-03: a newline at the end', `${'k'.repeat(16)}\n`],
    ['IDEM-03: NUL', `${'k'.repeat(16)}\0`],
  ])('%s is refused without being quoted', (_title, key) => {
    expect(withKey(key)).toEqual({ ok: false, message: expect.not.stringContaining('kkkk') });
  });

  it('IDEM-01: none at all is refused, also when another header has its name as value', () => {
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

  it('the name of the header has no case', () => {
    expect(parseIdempotencyKey(['iDEMPOTENCY-kEY', 'k'.repeat(16)])).toEqual({
      ok: true,
      key: 'k'.repeat(16),
    });
  });
});
