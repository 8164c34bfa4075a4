/** Digits and consonants that people do not confuse or read as words: 29 signs, a prime number. */
const signs = '23456789BCDFGHJKLMNPQRSTVWXYZ';
const digits = 8;

/**
 * Returns a payment's reference for people, such as `KTWZ-7HQ4`: eight signs made from its id, at least one
 * of them a digit. The last one is a checksum: it shows every single wrong sign and every swap of two. Two
 * payments rarely share one (one in 4.7 billion), so it is a help for questions and no key.
 */
export function shortReference(paymentId: string): string {
  let rest = BigInt(`0x${paymentId.replaceAll('-', '').slice(-16)}`) & ((1n << 62n) - 1n);
  const take = (choices: number): number => {
    const taken = Number(rest % BigInt(choices));
    rest /= BigInt(choices);
    return taken;
  };
  // The fifth sign is a digit: the reference never looks like a word.
  const values = Array.from({ length: 7 }, (_, at) => take(at === 4 ? digits : signs.length));
  const text = [...values, checksum(values)].map((value) => signs[value] ?? '').join('');
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/** Different weights of each place and a prime number of signs: no single error keeps the sum. */
const checksum = (values: readonly number[]): number =>
  values.reduce((sum, value, at) => sum + value * (at + 2), 0) % signs.length;
