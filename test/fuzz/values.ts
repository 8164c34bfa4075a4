import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../src/api/docs/json.ts';
import type { Random } from '../support/harness/random.ts';

/** Strings that have broken parsers elsewhere. */
export const hostileStrings = (
  JSON.parse(readFileSync(new URL('../support/corpora/strings.json', import.meta.url), 'utf8')) as {
    strings: string[];
  }[]
).flatMap((each) => each.strings);
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
/** Changes one member: replaces, removes, adds or renames it. */
export function mutated(random: Random, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return random.pick(hostileValues);
  const keys = Object.keys(value);
  if (keys.length === 0 || random.chance(0.15))
    return { ...value, [random.pick(['foo', '__proto__', '', 'constructor'])]: 1 };
  const key = random.pick(keys);
  const { [key]: member = null, ...rest } = value;
  if (random.chance(0.2)) return rest;
  if (random.chance(0.3) && typeof member === 'object') return { ...value, [key]: mutated(random, member) };
  return { ...value, [key]: random.chance(0.5) ? random.pick(hostileValues) : random.pick(hostileStrings) };
}

/** Returns a value that a schema allows, or nearly: often at its bounds, and examples for formats. */
export function sample(random: Random, schema: JsonObject, schemas: JsonObject, depth: number): Json {
  const { $ref: reference, enum: words, const: constant, anyOf, oneOf, type, format } = schema;
  if (typeof reference === 'string')
    return sample(
      random,
      (schemas[reference.split('/').at(-1) ?? ''] ?? {}) as JsonObject,
      schemas,
      depth + 1,
    );
  if (constant !== undefined) return constant;
  if (Array.isArray(words)) return random.pick(words);
  const choices = anyOf ?? oneOf;
  // Beside properties, choices are conditions on these.
  if (Array.isArray(choices) && schema['properties'] === undefined)
    return sample(random, random.pick(choices) as JsonObject, schemas, depth + 1);
  switch (typeof type === 'string' ? type : 'string') {
    case 'integer':
    case 'number': {
      const low = typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
      const high = typeof schema['maximum'] === 'number' ? Math.min(schema['maximum'], 1e9) : 1000;
      return random.pick([low, Math.min(low + 1, high), Math.min(2_500, high), high]);
    }
    case 'boolean':
      return random.chance(0.5);
    case 'array':
      return Array.from({ length: random.below(3) + 1 }, () =>
        sample(random, (schema['items'] ?? {}) as JsonObject, schemas, depth + 1),
      );
    case 'object':
      return sampleObject(random, schema, schemas, depth);
    default:
      return sampleText(random, schema, format);
  }
}

function sampleObject(random: Random, schema: JsonObject, schemas: JsonObject, depth: number): Json {
  const required = (schema['required'] ?? []) as string[];
  const object: JsonObject = {};
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as JsonObject)) {
    if (required.includes(name) || random.chance(0.35))
      object[name] = sample(random, member as JsonObject, schemas, depth + 1);
  }
  if (schema['additionalProperties'] !== false && depth < 4) {
    for (let count = random.below(3); count > 0; count -= 1)
      object[`k${count}`] = random.pick(hostileStrings);
  }
  return object;
}

function sampleText(random: Random, schema: JsonObject, format: Json | undefined): Json {
  if (format === 'uri')
    return random.pick(['https://shop.example/ok', 'http://127.0.0.1:9/hook', 'https://shop.example/a?b=c']);
  if (format === 'email') return random.pick(['ada@example.com', 'a@b']);
  if (format === 'uuid') return '7d2f1b0a-3c4d-4e5f-8a6b-9c0d1e2f3a4b';
  if (format === 'date') return random.pick(['2026-01-01', '2026-12-31', '1999-01-01']);
  if (format === 'date-time') return random.pick(['2026-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z']);
  const low = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0;
  const high = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : 40;
  const plain = random.pick(['order', 'naïve 😀', 'payment.paid', 'card_declined', 'https://shop.example']);
  if (random.chance(0.2)) return 'x'.repeat(random.chance(0.5) ? low : high);
  return plain.length < low ? plain.padEnd(low, 'x') : Array.from(plain).slice(0, high).join('');
}
