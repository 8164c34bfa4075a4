import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Returns `length` random base62 characters, each equally likely: bytes that would favor some are dropped.
 */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** SHA-256 as lower-case hex. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Whether `presented` hashes to `expectedHex`, in constant time. */
export function hashMatches(presented: string, expectedHex: string): boolean {
  return timingSafeEqual(
    createHash('sha256').update(presented, 'utf8').digest(),
    Buffer.from(expectedHex, 'hex'),
  );
}

/** Whether an `Authorization` header carries exactly `key` as its bearer token, in constant time. */
export function bearerMatches(header: string | undefined, key: string): boolean {
  const match = /^bearer +(\S+)$/i.exec(header ?? '');
  return hashMatches(match?.[1] ?? '', sha256Hex(key)) && match !== null;
}

/** Returns the same text for the same JSON value, whatever the order of its members. */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${stableJson(member)}`);
  return `{${members.join(',')}}`;
}
