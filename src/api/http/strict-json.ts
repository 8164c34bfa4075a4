import { isUtf8 } from 'node:buffer';
import { maxJsonDepth } from '../../domain/text.ts';

/**
 * Thrown for a document that is not strict JSON. The message names the fault and its UTF-16 offset, and
 * quotes nothing.
 */
export class StrictJsonError extends Error {
  override readonly name = 'StrictJsonError';
}

/** Thrown for a document that is strict JSON up to this point but holds more values than allowed. */
export class TooManyValuesError extends StrictJsonError {
  constructor(maxValues: number) {
    super(`Not strict JSON: more than ${maxValues} values.`);
  }
}

/**
 * The number of values a document may hold, members and elements alike. Metadata of 16,384 canonical bytes
 * has room for about 8,000.
 */
export const maxJsonValues = 20_000;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const fourHexDigits = /[0-9a-fA-F]{4}/y;

/**
 * Reads one document from start to end; each instance is used once. Linear in the text, recursive up to
 * `maxDepth`.
 */
class Reader {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  #values = 0;
  #at = 0;

  constructor(text: string, bounds: { maxDepth: number; maxValues: number }) {
    this.#text = text;
    this.#maxDepth = bounds.maxDepth;
    this.#maxValues = bounds.maxValues;
  }

  document(): unknown {
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#refuse('text after the end of the document');
    return value;
  }

  #value(depth: number): unknown {
    this.#values += 1;
    if (this.#values > this.#maxValues) throw new TooManyValuesError(this.#maxValues);
    this.#skipSpace();
    switch (this.#text.charAt(this.#at)) {
      case '{':
        return this.#object(depth + 1);
      case '[':
        return this.#array(depth + 1);
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): Record<string, unknown> {
    this.#open(depth);
    const members: Record<string, unknown> = {};
    if (this.#take('}')) return members;
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') this.#refuse('a member name in double quotes is missing');
      const name = this.#string();
      // Names are compared unescaped: "amountCents" and "\u0061mountCents" are one member, and parsers
      // disagree on which one counts.
      if (Object.hasOwn(members, name)) this.#refuse('an object has two members of one name');
      if (!this.#take(':')) this.#refuse('a colon is missing');
      addMember(members, name, this.#value(depth));
    } while (this.#take(','));
    if (!this.#take('}')) this.#refuse('a comma or the end of an object is missing');
    return members;
  }

  #array(depth: number): unknown[] {
    this.#open(depth);
    const elements: unknown[] = [];
    if (this.#take(']')) return elements;
    do {
      elements.push(this.#value(depth));
    } while (this.#take(','));
    if (!this.#take(']')) this.#refuse('a comma or the end of an array is missing');
    return elements;
  }

  #open(depth: number): void {
    if (depth > this.#maxDepth) this.#refuse(`more than ${this.#maxDepth} nested arrays and objects`);
    this.#at += 1;
  }

  #string(): string {
    this.#at += 1;
    let text = '';
    let start = this.#at;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        text += this.#text.slice(start, this.#at) + this.#escape();
        start = this.#at;
      } else if (code >= 0x20) {
        this.#at += 1;
      } else {
        // At the end of the text the code is NaN, which fails every comparison above.
        this.#refuse(Number.isNaN(code) ? 'a string has no end' : 'a control character in a string');
      }
    }
    text += this.#text.slice(start, this.#at);
    this.#at += 1;
    return text;
  }

  /**
   * Returns the character that an escape stands for. A lone surrogate is kept: the schema refuses it and
   * names its field.
   */
  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? '';
    if (letter === 'u') {
      const digits = this.#match(fourHexDigits, this.#at + 2);
      if (digits === undefined) this.#refuse('an incomplete escape in a string');
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (character === undefined) this.#refuse('an unknown escape in a string');
    this.#at += 2;
    return character;
  }

  #number(): number {
    const token = this.#match(numberToken, this.#at);
    if (token === undefined)
      this.#refuse(this.#at < this.#text.length ? 'a value is missing' : 'it ends early');
    const value = Number(token);
    if (!isLossless(token, value)) this.#refuse('a number is too large or too precise to be kept as sent');
    this.#at += token.length;
    // JSON has one zero; a negative one would be written back without its sign.
    return value === 0 ? 0 : value;
  }

  #literal<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#refuse('a value is missing');
    this.#at += word.length;
    return value;
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0];
  }

  #take(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #refuse(what: string): never {
    throw new StrictJsonError(`Not strict JSON: ${what} (at ${this.#at}).`);
  }
}

/**
 * Adds an own member whatever its name: assigning `__proto__` would change the prototype instead
 * (AMB-26).
 */
function addMember(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    members[name] = value;
  }
}

/**
 * Parses bytes into a JSON value. Refuses everything that JSON parsers read differently or change: invalid
 * UTF-8, a byte order mark, two members of one name, numbers that a double does not keep (`9007199254740993`,
 * `1e400`; `500.0` and `5e2` are 500, `-0` is 0), more than `maxDepth` levels or `maxValues` values, text
 * after the end, and an empty text. `__proto__` is an ordinary member. U+0000 and lone surrogates written as
 * escapes are kept: the schema layer refuses them by field.
 * Throws: StrictJsonError; TooManyValuesError for too many values. Spec: Errors > malformed JSON; AMB-26.
 */
export function parseStrictJson(
  bytes: Uint8Array,
  { maxDepth = maxJsonDepth, maxValues = maxJsonValues }: { maxDepth?: number; maxValues?: number } = {},
): unknown {
  if (bytes.length === 0) throw new StrictJsonError('Not strict JSON: the document is empty.');
  if (!isUtf8(bytes)) throw new StrictJsonError('Not strict JSON: it is not valid UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (text.startsWith('\ufeff'))
    throw new StrictJsonError('Not strict JSON: it starts with a byte order mark.');
  return new Reader(text, { maxDepth, maxValues }).document();
}

/** The most digits that a double can be formatted with, far more than the 17 that identify one. */
const maxDigits = 100;

/**
 * Returns whether the double read from a JSON number token equals the number that was written. Either the
 * double's shortest form has the same value (`0.1`, `4.50`, `1e23`), or the double rounded to as many digits
 * as the token is the token again (2^64, or any double printed with 17 or 20 digits). `9007199254740993`,
 * `500.00000000000000001`, `1e400` and `1e-400` are not kept; neither is a token of more than 100 digits that
 * is not the short form of a double. Linear in the token.
 * Spec: silent.
 */
export function isLossless(token: string, value: number): boolean {
  const sent = decimal(token);
  if (sent.digits === '') return true;
  // Zero here is an underflow: a token for zero has no digits to compare.
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
 * Reads a number token. Uses loops, because patterns such as /0+$/ take quadratic time on zeros that are not
 * at the end.
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
