import { writeFileSync } from 'node:fs';
import { type JsonObject, openApiDocument, operations } from '../../src/api/docs/document.ts';
import { everywhere } from '../../src/api/http/operation.ts';
import { refusals } from '../../src/domain/refusals.ts';
import { Shop } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Random } from '../support/harness/random.ts';
import { type FuzzRequest, type Pool, draw } from './generate.ts';
import { proves } from '../support/proves.ts';

/**
 * Requests drawn from the OpenAPI document with hostile values, against a whole service. Every answer must be
 * one the document names for that endpoint. A few hundred in `npm test`; `npm run test:fuzz -- --requests
 * 20000` for more.
 */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const reportPath = process.env['FUZZ_REPORT'];
const parallel = 16;

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

async function fillPool(): Promise<Pool> {
  const merchant = await world.merchant({ sandbox: { customActions: true } });
  const foreign = await world.merchant();
  const own = new Shop(world.baseUrl, await world.key(merchant, 'sandbox'));
  const other = new Shop(world.baseUrl, await world.key(foreign, 'sandbox'));
  const cards: Pool['cards'] = new Map();
  const ids = ['7d2f1b0a-3c4d-4e5f-8a6b-9c0d1e2f3a4b', await other.customPayment()];
  ids.push(String((await own.create()).body.data?.['id']));
  for (const number of ['4242424242424242', '4000000000000002', '4000000000003220', '4000000000009987']) {
    for (const paid of [true, false]) {
      const id = await own.customPayment();
      const card = await own.captureCard(id, number);
      if (paid) await own.pay(id, card);
      cards.set(id, card);
      ids.push(id);
    }
  }
  const events = await own.call('GET', '/v1/events');
  const [event] = (events.body.data ?? []) as unknown as { id: string }[];
  if (event) ids.push(event.id);
  return {
    keys: { own: own.key, foreign: other.key, live: await world.key(merchant, 'live') },
    ids,
    cards,
  };
}

/** What is wrong with an answer, or null. */
function verdict(request: FuzzRequest, status: number, type: string, text: string): string | null {
  const { operation } = request;
  if (!type.startsWith('application/json')) return `content type ${type}`;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (status === operation.success) {
    const parsed = operation.answer.safeParse(body);
    return parsed.success
      ? null
      : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  }
  const { error } = body as { error?: { code?: string; message?: unknown; field?: unknown } };
  const code = Object.keys(refusals).find((each) => each === error?.code) as
    keyof typeof refusals | undefined;
  if (code === undefined || refusals[code].status !== status)
    return `code ${String(error?.code)} with ${status}`;
  // A path that is broken by its id is no path of this operation any more.
  const codes = [
    ...everywhere,
    ...operation.codes,
    ...(isOtherPath(request) ? (['not_found'] as const) : []),
  ];
  return codes.includes(code) ? null : `${code} is not documented`;
}

const isOtherPath = ({ operation, url }: FuzzRequest): boolean => {
  const segments = new URL(url, 'http://x').pathname.split('/');
  return operation.path.split('/').length !== segments.length || url.includes('%2F') || url.includes('%2e');
};

describe('the fuzzer', () => {
  it('would notice: an undocumented status, a foreign code, a page, a wrong shape', () => {
    const [operation] = operations;
    if (!operation) throw new Error('the document is empty');
    const request = { operation, method: 'POST', url: operation.path, headers: {}, body: undefined };
    const json = 'application/json';
    expect(verdict(request, 500, json, '{"error":{"code":"internal","message":"x"}}')).not.toBeNull();
    expect(verdict(request, 404, json, '{"error":{"code":"not_found","message":"x"}}')).not.toBeNull();
    expect(verdict(request, 503, 'text/html', '<html>')).not.toBeNull();
    expect(verdict(request, 201, json, '{"data":{}}')).not.toBeNull();
    expect(verdict(request, 401, json, '{"error":{"code":"unauthorized","message":"x"}}')).toBeNull();
  });

  it(
    proves(
      `every answer is one its endpoint documents`,
      'ERR-01',
      'ERR-05',
      'EP-02',
      'EP-03',
      'CREATE-26',
      'LIST-12',
      'RETRIEVE-03',
      'STATUS-10',
      'CONFIRM-10',
    ),
    async () => {
      const document = openApiDocument(world.baseUrl);
      const schemas = (document['components'] as { schemas: JsonObject }).schemas;
      const pool = await fillPool();
      const random = new Random(seed);
      const classes = new Map<string, number>();
      const unclassified: string[] = [];
      let left = requests;
      const run = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const operation = random.pick(operations);
          const described = ((document['paths'] as JsonObject)[operation.path] as JsonObject)[
            operation.method
          ] as JsonObject;
          const request = draw(random, operation, described, schemas, pool);
          const response = await fetch(world.baseUrl + request.url, {
            method: request.method,
            headers: request.headers,
            redirect: 'manual',
            ...(request.body === undefined ? {} : { body: request.body }),
          });
          const text = await response.text();
          const wrong = verdict(request, response.status, response.headers.get('content-type') ?? '', text);
          const name = `${operation.id} ${response.status}`;
          classes.set(name, (classes.get(name) ?? 0) + 1);
          if (wrong !== null)
            unclassified.push(
              `${request.method} ${request.url.slice(0, 120)} ${request.body?.slice(0, 300) ?? ''} -> ` +
                `${response.status} ${wrong}`,
            );
          const created = /"id":"([0-9a-f-]{36})"/.exec(text)?.[1];
          if (response.status === 201 && created !== undefined && pool.ids.length < 60)
            pool.ids.push(created);
        }
      };
      await Promise.all(Array.from({ length: parallel }, run));
      if (reportPath !== undefined) {
        const byClass = Object.fromEntries([...classes].toSorted(([a], [b]) => a.localeCompare(b)));
        writeFileSync(reportPath, JSON.stringify({ requests, seed, classes: byClass, unclassified }));
      }
      expect(unclassified.slice(0, 10)).toEqual([]);
      expect([...classes.values()].reduce((sum, count) => sum + count, 0)).toBe(requests);
      // Not only refusals were seen.
      expect([...classes.keys()].filter((name) => /20[012]$/.test(name)).length).toBeGreaterThan(10);
    },
    900_000,
  );
});
