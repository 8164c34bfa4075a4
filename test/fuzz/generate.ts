import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../src/api/docs/document.ts';
import type { Operation } from '../../src/api/http/operation.ts';

/** A seeded source of choices (mulberry32): a failing run is repeated by its seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }
}

/** What requests may name. */
export interface Pool {
  keys: { own: string; foreign: string; live: string };
  ids: string[];
  cards: Map<string, { cardToken: string; captureReference: string }>;
}

/** One request, ready to send. `url` is relative and already escaped as far as it is meant to be. */
export interface FuzzRequest {
  operation: Operation;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

interface Corpus {
  text?: string;
}
const strings = (
  JSON.parse(readFileSync(new URL('../support/corpora/strings.json', import.meta.url), 'utf8')) as {
    strings: string[];
  }[]
).flatMap((each) => each.strings);
const documents = ['json-reject', 'json-accept']
  .flatMap(
    (name) =>
      JSON.parse(
        readFileSync(new URL(`../support/corpora/${name}.json`, import.meta.url), 'utf8'),
      ) as Corpus[],
  )
  .flatMap(({ text }) => (text === undefined ? [] : [text]));

const hostileValues: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  499,
  500.5,
  100_000_001,
  '',
  ' ',
  '\u0000',
  '\ud800',
  [],
  {},
  [[[]]],
  { $ne: 1 },
  'x'.repeat(5_000),
  '😀'.repeat(256),
  "'; DROP TABLE payments; --",
  '../../etc/passwd',
  '${jndi:ldap://x}',
];
const hostileSegments = [
  'abc',
  '%00',
  '%zz',
  '%ff',
  '..',
  '%2e%2e',
  '%2F',
  '{id}',
  'null',
  'x'.repeat(3_000),
  '%F0%9F%98%80',
  ' '.replace(' ', '%20'),
];

/** Draws one request of an operation: mostly near what it documents, with about one thing wrong. */
export function draw(
  dice: Dice,
  operation: Operation,
  described: JsonObject,
  schemas: JsonObject,
  pool: Pool,
): FuzzRequest {
  const id = drawId(dice, pool);
  const headers: Record<string, string> = {};
  const key = drawKey(dice, pool);
  if (key !== null) headers['authorization'] = key;
  if (operation.keyed || dice.chance(0.05)) {
    const given = drawIdempotencyKey(dice);
    if (given !== null) headers['idempotency-key'] = given;
  }
  const url = operation.path.replace('{id}', () => id) + drawQuery(dice, described);
  const body =
    operation.method === 'get' && dice.chance(0.95)
      ? undefined
      : drawBody(dice, operation, described, schemas, pool, id);
  if (body !== undefined && !dice.chance(0.03)) {
    headers['content-type'] = dice.chance(0.96)
      ? 'application/json'
      : dice.pick([
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data',
          'application/json; charset=utf-16',
          ';',
          'application/xml',
        ]);
  }
  return {
    operation,
    method: operation.method.toUpperCase(),
    url,
    headers,
    body: operation.method === 'get' ? undefined : body,
  };
}

function drawId(dice: Dice, pool: Pool): string {
  if (dice.chance(0.85)) return dice.pick(pool.ids);
  return dice.pick(hostileSegments);
}

function drawKey(dice: Dice, pool: Pool): string | null {
  if (dice.chance(0.93)) return `Bearer ${pool.keys.own}`;
  const { own, foreign, live } = pool.keys;
  return dice.pick([
    null,
    `Bearer ${foreign}`,
    `Bearer ${live}`,
    'Bearer',
    `Basic ${own}`,
    `Bearer ${own.slice(0, -1)}`,
    `Bearer ${own} x`,
  ]);
}

function drawIdempotencyKey(dice: Dice): string | null {
  if (dice.chance(0.9)) return `fuzz-key-${String(dice.below(1_000_000)).padStart(12, '0')}`;
  return dice.pick([
    null,
    'short',
    'k'.repeat(256),
    'k'.repeat(8) + ' '.repeat(2) + 'k'.repeat(8),
    'fuzz-key-000000000001',
  ]);
}

function drawQuery(dice: Dice, described: JsonObject): string {
  const parameters = ((described['parameters'] ?? []) as JsonObject[]).filter(
    (each) => each['in'] === 'query',
  );
  const parts: string[] = [];
  for (const { name, schema } of parameters) {
    if (!dice.chance(0.3)) continue;
    const value = dice.chance(0.7)
      ? sample(dice, schema as JsonObject, {}, 0)
      : dice.pick([...strings, '0', '-1', '1e3', '']);
    parts.push(
      `${JSON.stringify(name).slice(1, -1)}=${escaped(typeof value === 'string' ? value : JSON.stringify(value))}`,
    );
  }
  if (dice.chance(0.05))
    parts.push(dice.pick(['unknown=1', '=', '&', '%', 'page=1&page=1', 'status[]=paid', '%ff=1', 'a=%00']));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Percent-encoding that cannot fail: lone surrogates become what UTF-8 makes of them. */
const escaped = (text: string): string =>
  [...Buffer.from(text, 'utf8')]
    .map((byte) =>
      /[A-Za-z0-9_.~-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');

function drawBody(
  dice: Dice,
  operation: Operation,
  described: JsonObject,
  schemas: JsonObject,
  pool: Pool,
  id: string,
): string | undefined {
  if (dice.chance(0.04)) return dice.pick(documents);
  const request = described['requestBody'] as
    { content: { 'application/json': { schema: JsonObject } } } | undefined;
  if (!request) return dice.chance(0.85) ? undefined : dice.pick(['{}', '', '[]', 'x', '{"a":1}']);
  let value = sample(dice, request.content['application/json'].schema, schemas, 0);
  const card = pool.cards.get(id);
  if (operation.id === 'pay' && card && dice.chance(0.6)) value = { ...card };
  if (dice.chance(0.5)) value = mutated(dice, value);
  // Trouble that is really ordered would only slow the run down.
  if (operation.id === 'orderFault') value = { ...(value as JsonObject), target: 'nobody' };
  const text = JSON.stringify(value);
  if (dice.chance(0.02)) return text.slice(0, dice.below(text.length));
  if (dice.chance(0.01)) return `${text.slice(0, -1)},"a":1,"a":2}`;
  return text;
}

/** Changes one member: replaced, removed, added, or renamed. */
function mutated(dice: Dice, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return dice.pick(hostileValues);
  const keys = Object.keys(value);
  if (keys.length === 0 || dice.chance(0.15))
    return { ...value, [dice.pick(['foo', '__proto__', '', 'constructor'])]: 1 };
  const key = dice.pick(keys);
  const { [key]: member = null, ...rest } = value;
  if (dice.chance(0.2)) return rest;
  if (dice.chance(0.3) && typeof member === 'object') return { ...value, [key]: mutated(dice, member) };
  return { ...value, [key]: dice.chance(0.5) ? dice.pick(hostileValues) : dice.pick(strings) };
}

/** A value a schema allows, or nearly: bounds are hit often, formats by example. */
function sample(dice: Dice, schema: JsonObject, schemas: JsonObject, depth: number): Json {
  const { $ref: reference, enum: words, const: constant, anyOf, oneOf, type, format } = schema;
  if (typeof reference === 'string')
    return sample(dice, (schemas[reference.split('/').at(-1) ?? ''] ?? {}) as JsonObject, schemas, depth + 1);
  if (constant !== undefined) return constant;
  if (Array.isArray(words)) return dice.pick(words);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return sample(dice, dice.pick(choices) as JsonObject, schemas, depth + 1);
  switch (typeof type === 'string' ? type : 'string') {
    case 'integer':
    case 'number': {
      const low = typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
      const high = typeof schema['maximum'] === 'number' ? Math.min(schema['maximum'], 1e9) : 1000;
      return dice.pick([low, Math.min(low + 1, high), Math.min(2_500, high), high]);
    }
    case 'boolean':
      return dice.chance(0.5);
    case 'array':
      return Array.from({ length: dice.below(3) + 1 }, () =>
        sample(dice, (schema['items'] ?? {}) as JsonObject, schemas, depth + 1),
      );
    case 'object':
      return sampleObject(dice, schema, schemas, depth);
    default:
      return sampleText(dice, schema, format);
  }
}

function sampleObject(dice: Dice, schema: JsonObject, schemas: JsonObject, depth: number): Json {
  const required = (schema['required'] ?? []) as string[];
  const object: JsonObject = {};
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as JsonObject)) {
    if (required.includes(name) || dice.chance(0.35))
      object[name] = sample(dice, member as JsonObject, schemas, depth + 1);
  }
  if (schema['additionalProperties'] !== false && depth < 4) {
    for (let count = dice.below(3); count > 0; count -= 1) object[`k${count}`] = dice.pick(strings);
  }
  return object;
}

function sampleText(dice: Dice, schema: JsonObject, format: Json | undefined): Json {
  if (format === 'uri')
    return dice.pick(['https://shop.example/ok', 'http://127.0.0.1:9/hook', 'https://shop.example/a?b=c']);
  if (format === 'email') return dice.pick(['ada@example.com', 'a@b']);
  if (format === 'uuid') return '7d2f1b0a-3c4d-4e5f-8a6b-9c0d1e2f3a4b';
  if (format === 'date') return dice.pick(['2026-01-01', '2026-12-31', '1999-01-01']);
  if (format === 'date-time') return dice.pick(['2026-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z']);
  const low = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0;
  const high = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : 40;
  const plain = dice.pick(['order', 'naïve 😀', 'payment.paid', 'card_declined', 'https://shop.example']);
  if (dice.chance(0.2)) return 'x'.repeat(dice.chance(0.5) ? low : high);
  return plain.length < low ? plain.padEnd(low, 'x') : Array.from(plain).slice(0, high).join('');
}
