import { writeFileSync } from 'node:fs';
import { openApiDocument, operations } from '../../src/api/docs/document.ts';
import type { JsonObject } from '../../src/api/docs/json.ts';
import { withShapes } from './with-shapes.ts';
import { everywhere } from '../../src/api/http/operation.ts';
import { refusals } from '../../src/domain/refusals.ts';
import { jsonData } from '../support/answers.ts';
import { Shop } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Random } from '../support/harness/random.ts';
import { type FuzzRequest, type Pool, draw } from './generate.ts';
import { type ApiProcess, startApiProcess } from '../support/service-process.ts';
import { proves } from '../support/proves.ts';
import { attack } from './attackers.ts';
import { largeBodies, sendLargeBody } from './large-bodies.ts';
import { residentMib } from './memory.ts';
import { keepProgress } from './progress.ts';

/**
 * Requests drawn from the OpenAPI document with hostile values, against a whole service. Every answer must be
 * one the document names for that endpoint. At the same time run connections that read slowly or never,
 * pipelines, callers that disconnect, and bodies at the limit of their route. A few hundred
 * requests in `npm run test:endurance`; `npm run test:fuzz -- --requests 20000` for more.
 */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const reportPath = process.env['FUZZ_REPORT'];
const progressPath = process.env['FUZZ_PROGRESS'];
const parallel = 16;
/**
 * How far the API may grow beside what it held once it was warm: room for the largest bodies that are read at
 * once and for a heap that is collected late, however many requests there are.
 */
const maxGrowthMib = 256;

let world: World;
let api: ApiProcess;

beforeAll(async () => {
  world = await createWorld();
  api = await startApiProcess(world);
});
afterAll(async () => {
  await api.kill();
  await world.close();
});

async function fillPool(): Promise<Pool> {
  const merchant = await world.merchant({ sandbox: { customActions: true } });
  const foreign = await world.merchant();
  const own = new Shop(api.baseUrl, await world.key(merchant, 'sandbox'));
  const other = new Shop(api.baseUrl, await world.key(foreign, 'sandbox'));
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
  const [event] = jsonData(events) as { id: string }[];
  if (event) ids.push(event.id);
  return {
    keys: { own: own.key, foreign: other.key, live: await world.key(merchant, 'live') },
    ids,
    cards,
  };
}

/** A merchant of the attackers' own, with every method and step allowed. */
async function attackedKey(): Promise<string> {
  return world.key(await world.merchant({ sandbox: { customActions: true } }), 'sandbox');
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
  it('notices an undocumented status, an unknown code, a page and a wrong shape', () => {
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
      `gets only answers that the endpoint documents`,
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
      const document = withShapes(openApiDocument(world.baseUrl));
      const schemas = (document['components'] as { schemas: JsonObject }).schemas;
      const pool = await fillPool();
      const random = new Random(seed);
      const classes = new Map<string, number>();
      const unclassified: string[] = [];
      const attacks = new Map<string, number>();
      const shop = new Shop(api.baseUrl, await attackedKey());
      const target = {
        shop,
        paymentId: await shop.customPayment(),
        largeBodies: await largeBodies(shop),
        random: new Random(seed + 1),
        saw(outcome: string, wrong: string | null = null) {
          attacks.set(outcome, (attacks.get(outcome) ?? 0) + 1);
          if (wrong !== null) unclassified.push(`${outcome}: ${wrong}`);
        },
      };
      // Everything was used once: what is loaded late is loaded.
      for (const large of target.largeBodies) {
        for (const { outcome, wrong } of await sendLargeBody(shop, large)) target.saw(outcome, wrong);
      }
      await attack(target, () => true);
      const beforeMib = residentMib(api.pid);
      let peakMib = beforeMib;
      let left = requests;
      let done = 0;
      const run = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          if (left % 100 === 0) peakMib = Math.max(peakMib, residentMib(api.pid));
          const operation = random.pick(operations);
          const described = ((document['paths'] as JsonObject)[operation.path] as JsonObject)[
            operation.method
          ] as JsonObject;
          const request = draw(random, operation, described, schemas, pool);
          const response = await fetch(api.baseUrl + request.url, {
            method: request.method,
            headers: request.headers,
            redirect: 'manual',
            ...(request.body === undefined ? {} : { body: request.body }),
          });
          const text = await response.text();
          done += 1;
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
      let running = true;
      const attacked = attack(target, () => !running);
      const stopTelling =
        progressPath === undefined
          ? undefined
          : keepProgress(progressPath, () => ({
              done,
              requests,
              unclassified: unclassified.length,
              memoryMib: residentMib(api.pid),
            }));
      await Promise.all(Array.from({ length: parallel }, run)).finally(() => {
        running = false;
        stopTelling?.();
      });
      await attacked;
      const memoryMib = { before: beforeMib, peak: peakMib, after: residentMib(api.pid) };
      if (reportPath !== undefined) {
        const sorted = (counts: Map<string, number>) =>
          Object.fromEntries([...counts].toSorted(([a], [b]) => a.localeCompare(b)));
        const figures = { requests, seed, classes: sorted(classes), attacks: sorted(attacks) };
        writeFileSync(reportPath, JSON.stringify({ ...figures, memoryMib, unclassified }));
      }
      expect(unclassified.slice(0, 10)).toEqual([]);
      expect([...classes.keys(), ...attacks.keys()].filter((name) => / 5[0-9][0-9]$/.test(name))).toEqual([]);
      expect(memoryMib.after).toBeLessThan(memoryMib.before + maxGrowthMib);
      expect([...classes.values()].reduce((sum, count) => sum + count, 0)).toBe(requests);
      // Not only refusals were seen.
      expect([...classes.keys()].filter((name) => /20[012]$/.test(name)).length).toBeGreaterThan(10);
    },
    900_000,
  );
});
