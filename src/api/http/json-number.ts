/** The most digits a double can be asked for, far beyond the 17 that identify one. */
const maxDigits = 100;

/**
 * Whether the double read from a JSON number token is the number that was written: either it is written back
 * with the same value (`0.1`, `4.50`, `1e23`), or, rounded to as many digits as the token has, it is the
 * token again (2^64, or any double printed with 17 or 20 digits). `9007199254740993`,
 * `500.00000000000000001`, `1e400` and `1e-400` are not kept; neither is a token of more than 100 digits that
 * is not the short form of a double. Linear in the token.
 * Spec: silent.
 */
export function isLossless(token: string, value: number): boolean {
  const sent = decimal(token);
  if (sent.digits === '') return true;
  // An underflow to zero; zero has no digits to compare.
  if (value === 0 || !Number.isFinite(value)) return false;
  if (isSame(sent, decimal(String(value)))) return true;
  return sent.written <= maxDigits && isSame(sent, decimal(value.toPrecision(sent.written)));
}

/**
 * An absolute value 0.`digits` × 10^`pointAt`; `digits` has no zeros at its ends, zero has none at all.
 * `written` counts the zeros at the end too: in an integer such as 590295810358705651710 they are as exact as
 * the rest.
 */
interface Decimal {
  digits: string;
  pointAt: number;
  written: number;
}

const isSame = (a: Decimal, b: Decimal): boolean => a.digits === b.digits && a.pointAt === b.pointAt;

/**
 * Reads a number token. Loops, because patterns such as /0+$/ take quadratic time on zeros that are not at
 * the end.
 */
function decimal(token: string): Decimal {
  const exponentAt = token.search(/[eE]/);
  const mantissa = exponentAt === -1 ? token : token.slice(0, exponentAt);
  const exponent = exponentAt === -1 ? 0 : Number(token.slice(exponentAt + 1));
  const [whole = '', fraction = ''] = (mantissa.startsWith('-') ? mantissa.slice(1) : mantissa).split('.');
  const digits = whole + fraction;
  let from = 0;
  while (digits[from] === '0') from += 1;
  let to = digits.length;
  while (to > from && digits[to - 1] === '0') to -= 1;
  return {
    digits: digits.slice(from, to),
    pointAt: whole.length - from + exponent,
    written: digits.length - from,
  };
}
