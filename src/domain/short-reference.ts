/** Digits and consonants that people do not confuse or read as words: 29 characters, a prime number. */
const signs = '23456789BCDFGHJKLMNPQRSTVWXYZ';
const digits = 8;

/**
 * Returns a payment's reference for people, such as `KTWZ-7HQ4`: eight characters made from its id, at least
 * one of them a digit. The last one is a checksum that reveals every single wrong character and every swap of
 * two. Two payments rarely share one (one in 4.7 billion), so it helps with questions but is no key.
 */
export function shortReference(paymentId: string): string {
  let rest = BigInt(`0x${paymentId.replaceAll('-', '').slice(-16)}`) & ((1n << 62n) - 1n);
  const take = (choices: number): number => {
    const taken = Number(rest % BigInt(choices));
    rest /= BigInt(choices);
    return taken;
  };
  // The fifth character is a digit, so that the reference never looks like a word.
  const values = Array.from({ length: 7 }, (_, at) => take(at === 4 ? digits : signs.length));
  const text = [...values, checksum(values)].map((value) => signs[value] ?? '').join('');
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/**
 * Returns the number of a typed short reference, which payments are found by
 * (migrations/0051_short_references.sql). Null for any other text, also if its checksum is wrong. Capital
 * letters, spaces and dashes are optional.
 */
export function shortReferenceNumber(typed: string): number | null {
  const text = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  const values = text.split('').map((sign) => signs.indexOf(sign));
  const last = values.pop();
  if (text.length !== 8 || values.includes(-1) || checksum(values) !== last) return null;
  if ((values[4] ?? 0) >= digits) return null;
  return values.reduceRight((number, value, at) => number * (at === 4 ? digits : signs.length) + value, 0);
}

/** Returns the checksum. Weights differ by place and the modulus is prime: a single error changes it. */
const checksum = (values: readonly number[]): number =>
  values.reduce((sum, value, at) => sum + value * (at + 2), 0) % signs.length;
