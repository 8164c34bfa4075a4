import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/api/docs/json.ts';
import type { Operation } from '../../src/api/http/operation.ts';
import type { Random } from '../support/harness/random.ts';
import { hostileStrings, mutated, sample } from './values.ts';

/** The values that requests may use. */
export interface Pool {
  keys: { own: string; foreign: string; live: string };
  ids: string[];
  cards: Map<string, { cardToken: string; captureReference: string }>;
}

/** One request, ready to send. `url` is relative, and escaped except where a defect is intended. */
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
const documents = ['json-reject', 'json-accept']
  .flatMap(
    (name) =>
      JSON.parse(
        readFileSync(new URL(`../support/corpora/${name}.json`, import.meta.url), 'utf8'),
      ) as Corpus[],
  )
  .flatMap(({ text }) => (text === undefined ? [] : [text]));

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

/** Draws one request of an operation: mostly close to its document, with about one defect. */
export function draw(
  random: Random,
  operation: Operation,
  described: JsonObject,
  schemas: JsonObject,
  pool: Pool,
): FuzzRequest {
  const id = drawId(random, pool);
  const headers: Record<string, string> = {};
  const key = drawKey(random, pool);
  if (key !== null) headers['authorization'] = key;
  if (operation.keyed || random.chance(0.05)) {
    const given = drawIdempotencyKey(random);
    if (given !== null) headers['idempotency-key'] = given;
  }
  const url = operation.path.replace('{id}', () => id) + drawQuery(random, described);
  const body =
    operation.method === 'get' && random.chance(0.95)
      ? undefined
      : drawBody(random, { operation, described, schemas, pool, id });
  if (body !== undefined && !random.chance(0.03)) {
    headers['content-type'] = random.chance(0.96)
      ? 'application/json'
      : random.pick([
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

function drawId(random: Random, pool: Pool): string {
  if (random.chance(0.85)) return random.pick(pool.ids);
  return random.pick(hostileSegments);
}

function drawKey(random: Random, pool: Pool): string | null {
  if (random.chance(0.93)) return `Bearer ${pool.keys.own}`;
  const { own, foreign, live } = pool.keys;
  return random.pick([
    null,
    `Bearer ${foreign}`,
    `Bearer ${live}`,
    'Bearer',
    `Basic ${own}`,
    `Bearer ${own.slice(0, -1)}`,
    `Bearer ${own} x`,
  ]);
}

function drawIdempotencyKey(random: Random): string | null {
  if (random.chance(0.9)) return `fuzz-key-${String(random.below(1_000_000)).padStart(12, '0')}`;
  return random.pick([
    null,
    'short',
    'k'.repeat(256),
    'k'.repeat(8) + ' '.repeat(2) + 'k'.repeat(8),
    'fuzz-key-000000000001',
  ]);
}

function drawQuery(random: Random, described: JsonObject): string {
  const parameters = ((described['parameters'] ?? []) as JsonObject[]).filter(
    (each) => each['in'] === 'query',
  );
  const parts: string[] = [];
  for (const { name, schema } of parameters) {
    if (!random.chance(0.3)) continue;
    const value = random.chance(0.7)
      ? sample(random, schema as JsonObject, {}, 0)
      : random.pick([...hostileStrings, '0', '-1', '1e3', '']);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    parts.push(`${JSON.stringify(name).slice(1, -1)}=${escaped(text)}`);
  }
  if (random.chance(0.05))
    parts.push(random.pick(['unknown=1', '=', '&', '%', 'page=1&page=1', 'status[]=paid', '%ff=1', 'a=%00']));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Percent-encodes any text; lone surrogates become what UTF-8 makes of them. */
const escaped = (text: string): string =>
  [...Buffer.from(text, 'utf8')]
    .map((byte) =>
      /[A-Za-z0-9_.~-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');

function drawBody(
  random: Random,
  {
    operation,
    described,
    schemas,
    pool,
    id,
  }: { operation: Operation; described: JsonObject; schemas: JsonObject; pool: Pool; id: string },
): string | undefined {
  if (random.chance(0.04)) return random.pick(documents);
  const request = described['requestBody'] as
    { content: { 'application/json': { schema: JsonObject } } } | undefined;
  if (!request) return random.chance(0.85) ? undefined : random.pick(['{}', '', '[]', 'x', '{"a":1}']);
  let value = sample(random, request.content['application/json'].schema, schemas, 0);
  const card = pool.cards.get(id);
  if (operation.id === 'pay' && card && random.chance(0.6)) value = { ...card };
  if (random.chance(0.5)) value = mutated(random, value);
  // Real faults would only slow the run down.
  if (operation.id === 'orderFault') value = { ...(value as JsonObject), target: 'unknown' };
  const text = JSON.stringify(value);
  if (random.chance(0.02)) return text.slice(0, random.below(text.length));
  if (random.chance(0.01)) return `${text.slice(0, -1)},"a":1,"a":2}`;
  return text;
}
