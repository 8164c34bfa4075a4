import { randomBytes } from 'node:crypto';

/** Returns a unique text. */
export const canary = (name: string): string => `CANARY-${name}-${randomBytes(9).toString('hex')}`;

/** Returns the encodings in which a secret may occur: raw, base64 at any alignment, hex, URL-escaped. */
export function spellings(text: string): string[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // The first and last characters depend on the neighboring bytes.
    return encoded.slice(shift === 0 ? 0 : shift + 1, -2);
  });
  const hex = bytes.toString('hex');
  return [
    text,
    ...base64,
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    hex,
    hex.toUpperCase(),
    hex.replaceAll(/../g, '%$&'),
    hex.toUpperCase().replaceAll(/../g, '%$&'),
    encodeURIComponent(text),
  ];
}

/** Returns the names of the secrets that were found, never their values. */
export function found(haystack: string, needles: Map<string, string>): string[] {
  return [...needles]
    .filter(([, text]) => spellings(text).some((each) => haystack.includes(each)))
    .map(([name]) => name);
}
