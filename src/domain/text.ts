import canonicalize from 'canonicalize';

/**
 * The deepest nesting of a document; `[[1]]` has a depth of two. It keeps every recursion over a document
 * shallow.
 */
export const maxJsonDepth = 64;

/** Returns the length in code points, the specification's "chars" and PostgreSQL's char_length (AMB-15). */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at += 1) {
    // Only the first half of a surrogate pair reads as more than 16 bits; the second half was counted too.
    if ((text.codePointAt(at) ?? 0) > 0xffff) length -= 1;
  }
  return length;
}

/**
 * Returns whether PostgreSQL and UTF-8 can hold the text: no U+0000, no lone surrogate. Nothing else is
 * refused (AMB-54).
 */
export function isStorableText(text: string): boolean {
  return storablePattern.test(text) && !/\p{Surrogate}/u.test(text);
}

const nul = '\\u0000';
/** The part of isStorableText that the pattern of a JSON Schema can express: no U+0000. */
export const storablePattern = new RegExp(`^[^${nul}]*$`);

/** The longest address: 64 characters before the sign, 255 after it. Spec: Limits > customer.email. */
export const maxEmailLength = 320;

/**
 * Returns whether a text has the form of an e-mail address: one `@`, 1-64 characters before it, 1-255 after
 * it, no white space and no control character. It checks no more on purpose: only a delivered message proves
 * an address.
 */
export function isEmail(text: string): boolean {
  const [local = '', domain = '', ...rest] = text.split('@', 3);
  return (
    rest.length === 0 &&
    isLengthWithin(local, 1, 64) &&
    isLengthWithin(domain, 1, 255) &&
    !/[\s\p{Control}]/u.test(text)
  );
}

/** Returns whether a text has `min` to `max` code points. */
export function isLengthWithin(text: string, min: number, max: number): boolean {
  const length = codePointLength(text);
  return length >= min && length <= max;
}

/**
 * Returns the RFC 8785 form of a JSON value, which is measured (metadata) and hashed (idempotency).
 * Throws RangeError for a deeper nesting than a request may have, before the recursion can exhaust the stack,
 * and Error for values that the form excludes: lone surrogates, NaN, infinities. Spec: Resources > metadata;
 * AMB-11, AMB-16.
 */
export function canonicalJson(value: unknown): string {
  if (isDeeperThan(value, maxJsonDepth)) throw new RangeError('The value is nested too deeply.');
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('The value is not a JSON value.');
  return text;
}

/**
 * Returns the size in bytes of the canonical UTF-8 form, with keys and structural bytes. Throws as
 * canonicalJson does. META-02.
 */
export function canonicalSizeBytes(value: unknown): number {
  return Buffer.byteLength(canonicalJson(value), 'utf8');
}

function isDeeperThan(value: unknown, maxDepth: number): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > maxDepth) return true;
    for (const child of Object.values(next.value)) open.push({ value: child, depth: next.depth + 1 });
  }
  return false;
}
