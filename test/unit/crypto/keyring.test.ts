import { checksum62, createApiKey, parseApiKey } from '../../../src/crypto/api-key.ts';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import { actionToken, hashPurposes } from '../../../src/crypto/seal-contexts.ts';
import { randomBase62 } from '../../../src/crypto/secrets.ts';

const key = (id: string, text: string): string => `${id}:${Buffer.alloc(32, text).toString('base64')}`;
/** The messages for a changed byte, which may belong to the tag, the key's name or the format. */
const unreadable = /unable to authenticate|not in ENCRYPTION_KEYS|unknown format/;
const place = { table: 't', column: 'c', row: '1' };

describe('sealed values', () => {
  const ring = createKeyring(key('a', 'first'));

  it('can be opened in the context they were sealed for, and in no other', () => {
    const sealed = ring.seal('secret', place);
    expect(ring.open(sealed, place)).toBe('secret');
    for (const moved of [
      { ...place, table: 'x' },
      { ...place, column: 'x' },
      { ...place, row: '2' },
    ]) {
      expect(() => ring.open(sealed, moved)).toThrow(/unable to authenticate/);
    }
  });

  it('cannot be opened when any byte was changed or cut', () => {
    const sealed = ring.seal('secret', place);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => ring.open(changed, place)).toThrow(unreadable);
    }
    expect(() => ring.open(sealed.subarray(0, -1), place)).toThrow(unreadable);
  });

  it('survive a rotation: the new key seals, the old one still opens and finds', () => {
    const rotated = createKeyring(`${key('b', 'second')},${key('a', 'first')}`);
    expect(rotated.open(ring.seal('old', place), place)).toBe('old');
    expect(() => ring.open(rotated.seal('new', place), place)).toThrow('not in ENCRYPTION_KEYS');
    expect(rotated.lookupHash('purpose', 'x')).toEqual(ring.lookupHash('purpose', 'x'));
  });

  it('require the whole tag: a shorter one is easier to guess', () => {
    const sealed = ring.seal('', place);
    for (const bytes of [15, 13, 12, 8, 4]) {
      expect(() => ring.open(sealed.subarray(0, sealed.length - 16 + bytes), place)).toThrow(unreadable);
    }
  });

  it('never repeat: equal texts seal differently, equal secrets of two purposes hash differently', () => {
    expect(ring.seal('x', place)).not.toEqual(ring.seal('x', place));
    expect(ring.lookupHash('a', 'x')).not.toEqual(ring.lookupHash('b', 'x'));
  });

  it.each(['', 'a', 'a:short', 'a:%%%', ':AAAA'])('refuse a ring of %j', (text) => {
    expect(() => createKeyring(text)).toThrow('ENCRYPTION_KEYS');
  });

  it('have a development ring of keys', () => {
    expect(() => createKeyring(developmentEncryptionKeys)).not.toThrow();
  });
});

describe('look-up keys', () => {
  const encryption = key('b', 'second');
  const before = createKeyring(key('a', 'first'));

  it('are a ring of their own: the first makes hashes, all of them find', () => {
    const both = createKeyring(`${encryption},${key('a', 'first')}`, `${key('l', 'lookup')},derived:a`);
    const [newest, oldest] = both.lookupHashes('purpose', 'x');
    expect(oldest).toEqual(before.lookupHash('purpose', 'x'));
    expect(newest).toEqual(both.lookupHash('purpose', 'x'));
    expect(newest).not.toEqual(oldest);
    expect(both.lookupKeyId).toBe('l');
  });

  it('outlive the encryption keys they came with', () => {
    const retired = createKeyring(encryption, key('l', 'lookup'));
    const another = createKeyring(key('c', 'third'), key('l', 'lookup'));
    expect(another.lookupHashes('purpose', 'x')).toEqual(retired.lookupHashes('purpose', 'x'));
  });

  it('keep the secret of an action that is open while they change', () => {
    const open = actionToken(before, 'payment', 1, null);
    const stored = before.lookupHash(hashPurposes.actionToken, open);
    const during = createKeyring(key('a', 'first'), `${key('l', 'lookup')},derived:a`);
    expect(actionToken(during, 'payment', 1, stored)).toBe(open);
    expect(actionToken(during, 'payment', 2, null)).not.toBe(actionToken(before, 'payment', 2, null));
  });

  it.each([
    ['derived:z', 'not in ENCRYPTION_KEYS'],
    ['l:short', '32 bytes'],
    ['', 'empty'],
    [`${key('l', 'one')},${key('l', 'two')}`, 'twice'],
  ])('are refused as %j', (text, expected) => {
    expect(() => createKeyring(encryption, text)).toThrow(expected);
  });
});

describe('API keys', () => {
  it('have an environment, 256 bits and a checksum, and are parsed as they were made', () => {
    for (const environment of ['sandbox', 'live'] as const) {
      const made = createApiKey(environment);
      expect(made.text).toMatch(new RegExp(`^cps_${environment}_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$`));
      expect(parseApiKey(made.text)).toEqual(made);
    }
  });

  it('are invalid with one character changed', () => {
    const { text } = createApiKey('sandbox');
    for (let at = 0; at < text.length; at += 1) {
      expect(
        parseApiKey(`${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`),
      ).toBeNull();
    }
  });

  it('use the standard CRC-32', () => {
    // The check value of CRC-32/ISO-HDLC, 0xCBF43926, in base62.
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const value = Array.from(checksum62('123456789')).reduce(
      (sum, digit) => sum * 62 + digits.indexOf(digit),
      0,
    );
    expect(value).toBe(0xcbf43926);
  });

  it('use every character', () => {
    expect(new Set(randomBase62(5_000)).size).toBe(62);
  });
});
