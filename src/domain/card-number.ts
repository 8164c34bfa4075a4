import { hasIssuerPrefix } from './issuer-prefixes.ts';

/*
 * Finds card numbers in texts that must not contain any. A number counts as a card number when it has the
 * length and the first digits of a card scheme and passes the Luhn check. docs/security.md lists the
 * exceptions.
 */

/** The ranges of first digits, both ends of equal length, and the lengths of the numbers that have them. */
const schemes: readonly { from: number; to: number; lengths: readonly number[] }[] = [
  // Visa, and the schemes that share its first digit.
  { from: 4, to: 4, lengths: [13, 16, 19] },
  // Mastercard.
  { from: 51, to: 55, lengths: [16] },
  { from: 2221, to: 2720, lengths: [16] },
  // American Express.
  { from: 34, to: 34, lengths: [15] },
  { from: 37, to: 37, lengths: [15] },
  // Diners Club.
  { from: 300, to: 305, lengths: [14, 16] },
  { from: 3095, to: 3095, lengths: [14, 16] },
  { from: 36, to: 36, lengths: [14, 16] },
  { from: 38, to: 39, lengths: [14, 16] },
  // JCB.
  { from: 3528, to: 3589, lengths: [16, 17, 18, 19] },
  // Discover, UnionPay, Maestro, Elo, Hipercard, RuPay, Verve.
  { from: 50, to: 50, lengths: [16, 18, 19] },
  { from: 56, to: 58, lengths: [16, 18, 19] },
  { from: 60, to: 60, lengths: [16, 17, 18, 19] },
  { from: 62, to: 65, lengths: [16, 17, 18, 19] },
  { from: 67, to: 69, lengths: [16, 18, 19] },
  { from: 81, to: 82, lengths: [16, 17, 18, 19] },
  // Mir, Troy.
  { from: 2200, to: 2204, lengths: [16, 17, 18, 19] },
  { from: 9792, to: 9792, lengths: [16] },
];

const firstDigits = new Set(schemes.map(({ from }) => String(from).charAt(0)));

const group = /[0-9]+/g;
/** The separators allowed between two groups of one number. */
const between = /^[ \u00a0\-\u2010-\u2015\u2212]{1,3}$/;
/**
 * Separators allowed only between groups of printed length, because they also make decimals, dates and paths.
 */
const betweenPrinted = /^[._/\u00b7\u2022\u2219\u30fb]$/;
/** Characters that are invisible or drawn around a digit. A reader sees the number without them. */
const unseen = /[\p{Cf}\p{Mn}\p{Me}]/gu;
/** Decimal digits of other scripts. */
const otherDigits = /[^\P{Nd}0-9]/gu;
/** Identifiers in which digits are adjacent by chance: UUIDs, and hexadecimal digests. */
const identifiers =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?=[0-9]*[a-f])[0-9a-f]{24,}\b/gi;
const shortest = 13;
const longest = 19;

/** Adjacent digits in a text: from, to (exclusive), and whether they may continue the group before them. */
interface Group {
  from: number;
  to: number;
  digits: string;
  continues: boolean;
}

/** A card number in a text: from, to (exclusive), its digits, and how many each written group has. */
export interface FoundCardNumber {
  from: number;
  to: number;
  digits: string;
  groups: readonly number[];
}

/** Returns whether a number that was found counts as a card number. */
type Counts = (found: FoundCardNumber) => boolean;

/**
 * Returns whether a text holds a card number, in one piece or in groups with spaces or dashes. `counts`
 * narrows the numbers that count.
 */
export function holdsCardNumber(text: string, counts?: Counts): boolean {
  return findCardNumbers(isAscii(text) ? text : readPlainly(text), counts).length > 0;
}

/**
 * Returns whether an order reference holds a card number. One in 26 random numbers of 16 digits passes for a
 * card number, so a reference must begin a number with a known issuer prefix, or write it in the groups that
 * cards have. docs/security.md, "Card numbers".
 */
export function referenceHoldsCardNumber(reference: string): boolean {
  return holdsCardNumber(
    reference,
    ({ digits, groups }) => hasIssuerPrefix(digits) || printedGroups.has(groups.join('-')),
  );
}

/** The groups in which cards print their numbers: of 13, 14, 15, 16, and 17 to 19 digits. */
const printedGroups = new Set([
  '4-3-3-3',
  '4-6-4',
  '4-6-5',
  '4-4-4-4',
  '4-4-4-4-1',
  '4-4-4-4-2',
  '4-4-4-4-3',
  '6-13',
]);

/** Returns the text with the digits of all scripts as ASCII digits, and without invisible characters. */
const readPlainly = (text: string): string =>
  text.normalize('NFKC').replaceAll(unseen, '').replaceAll(otherDigits, asciiDigit);

const asciiDigits = new Map<string, string>();

/** Returns the ASCII digit with the value of a decimal digit of any script. */
function asciiDigit(digit: string): string {
  const known = asciiDigits.get(digit);
  if (known !== undefined) return known;
  const code = digit.codePointAt(0) ?? 0;
  // Unicode encodes the digits of a script from 0 to 9, and sometimes several such rows after each other.
  let before = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  const value = String(before % 10);
  asciiDigits.set(digit, value);
  return value;
}

/** Returns whether a URL holds a card number, as written or percent-decoded. */
export function urlHoldsCardNumber(url: string): boolean {
  if (holdsCardNumber(url)) return true;
  if (!/[%+]/.test(url)) return false;
  try {
    return holdsCardNumber(decodeURIComponent(url.replaceAll('+', ' ')));
  } catch {
    return false;
  }
}

/**
 * Returns the text with every card number replaced. Digits of other scripts are found only where each is one
 * UTF-16 code unit, because positions must not move.
 */
export function withoutCardNumbers(text: string, replacement: string): string {
  let result = '';
  let at = 0;
  const inPlace = isAscii(text)
    ? text
    : text.replaceAll(otherDigits, (digit) => (digit.length === 1 ? asciiDigit(digit) : digit));
  for (const { from, to } of findCardNumbers(inPlace)) {
    result += text.slice(at, from) + replacement;
    at = to;
  }
  return at === 0 ? text : result + text.slice(at);
}

/** Returns whether the keys, texts or integers of a JSON value hold a card number. Uses no recursion. */
export function jsonHoldsCardNumber(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string' && holdsCardNumber(next)) return true;
    if (typeof next === 'number' && holdsCardNumber(String(next))) return true;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && Object.keys(next).some((key) => holdsCardNumber(key))) return true;
    for (const child of Object.values(next)) open.push(child);
  }
  return false;
}

/** Returns the card numbers of a text, from left to right, without overlaps. */
function findCardNumbers(text: string, counts: Counts = () => true): FoundCardNumber[] {
  // Most texts have too few digits.
  if (!/[0-9](?:[^0-9]{0,3}[0-9]){12}/.test(text)) return [];
  const groups: Group[] = [];
  for (const { index, 0: digits } of text
    .replace(identifiers, (id) => 'x'.repeat(id.length))
    .matchAll(group)) {
    const before = groups.at(-1);
    const continues =
      before !== undefined && isOneNumber(text.slice(before.to, index), before.digits, digits);
    groups.push({ from: index, to: index + digits.length, digits, continues });
  }
  const found: FoundCardNumber[] = [];
  for (let first = 0; first < groups.length; first += 1) {
    const number = numberFrom(groups, first, counts);
    if (!number) continue;
    found.push(number);
    while (first + 1 < groups.length && (groups[first + 1]?.from ?? 0) < number.to) first += 1;
  }
  return found;
}

/** Returns the card number that begins with this group of digits, or null. */
function numberFrom(groups: readonly Group[], first: number, counts: Counts): FoundCardNumber | null {
  const begin = groups[first];
  if (!begin || !firstDigits.has(begin.digits.charAt(0))) return null;
  let { to, digits } = begin;
  const sizes = [digits.length];
  for (let at = first + 1; digits.length <= longest; at += 1) {
    const found = { from: begin.from, to, digits, groups: sizes };
    if (digits.length >= shortest && isCardNumber(digits) && counts(found)) return found;
    const next = groups[at];
    if (!next?.continues) return null;
    ({ to } = next);
    digits += next.digits;
    sizes.push(next.digits.length);
  }
  return null;
}

/** Returns whether the gap between two groups of digits lets them be one number. */
function isOneNumber(gap: string, before: string, after: string): boolean {
  if (between.test(gap)) return true;
  const printed = before.length >= 4 && before.length <= 6 && after.length <= 6;
  return printed && betweenPrinted.test(gap);
}

function isCardNumber(digits: string): boolean {
  return (
    passesLuhn(digits) &&
    schemes.some(({ from, to, lengths }) => {
      const prefix = Number(digits.slice(0, String(from).length));
      return lengths.includes(digits.length) && prefix >= from && prefix <= to;
    }) &&
    !isArticleNumber(digits)
  );
}

/** Returns whether the digits are a GTIN of 13 digits; cards of 13 digits are no longer issued. */
function isArticleNumber(digits: string): boolean {
  if (digits.length !== 13) return false;
  const sum = Array.from(digits, Number).reduce((so, digit, at) => so + digit * (at % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

/** Returns whether the check digit of ISO/IEC 7812 is right: every second digit from the right is doubled. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 48;
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

// Each character is checked; the class is all of ASCII.
const isAscii = (text: string): boolean => !/[^\p{ASCII}]/u.test(text);
