import { randomBytes, randomInt } from 'node:crypto';

/** The digits of base62, by value. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns uniformly random base62 text of `length` characters (43 characters carry 256 bits). */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 below 256; higher bytes would favor the first letters.
      if (byte < 248 && text.length < length) text += base62[byte % 62];
    }
  }
  return text;
}

/** Returns a 256-bit URL-safe secret for checkout and action URLs, capture secrets and the like. */
export const randomUrlSecret = (): string => randomBytes(32).toString('base64url');

/** Letters that people do not confuse and that form no words. RFC 8628, section 6.1. */
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ';

/** Returns a code of eight letters, such as `WDJB-MJHT`, which people compare. It is no secret. */
export function pairingCode(): string {
  const letters = Array.from({ length: 8 }, () => codeLetters[randomInt(codeLetters.length)]);
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}
