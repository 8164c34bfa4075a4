import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningCardFrame, startCardFrame } from '../support/card-frame.ts';
import { jsonData } from '../support/answers.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { Random } from '../support/harness/random.ts';
import { proves } from '../support/proves.ts';
import { type ApiProcess, startApiProcess } from '../support/service-process.ts';
import { Shop, validCreate } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { operations } from '../../src/api/docs/document.ts';
import { apiSurface, verdictOfApi } from './api-surface.ts';
import { attack } from './attackers.ts';
import { callbackSurface } from './callback-surface.ts';
import { checkoutSurface } from './checkout-surface.ts';
import { dashboardSurface } from './dashboard-surface.ts';
import { frameSurface } from './frame-surface.ts';
import type { Pool } from './generate.ts';
import { largeBodies, sendLargeBody } from './large-bodies.ts';
import { HeldMemory, residentMib } from './memory.ts';
import { verdictOfPage } from './page-requests.ts';
import { writeProgress } from './progress.ts';
import { type Surface, sendAndRetry } from './surface.ts';

/**
 * Sends hostile requests to everything of a whole service that strangers can reach: the API, drawn from its
 * document; the dashboard, by members of every role; the pages of customers; callbacks; the frame. Every
 * answer must be one that the document names for its endpoint, or a page that executes nothing of the input.
 * At the same time, connections read slowly or never, pipeline, disconnect early, and send bodies at the
 * limit of their route. A few hundred requests in `npm run test:endurance`; `npm run test:fuzz -- --requests
 * 20000` for more.
 */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const reportPath = process.env['FUZZ_REPORT'];
const progressPath = process.env['FUZZ_PROGRESS'];
const parallel = 16;
/**
 * How much more memory than when warm the API may hold after a garbage collection, in MiB, however many
 * requests there were. Resident memory is no measure, because Node collects late.
 */
const maxGrowthMib = 48;
/**
 * How many requests may be answered with a documented 503 the first time: one in this number, and one. A busy
 * machine lets a call to PostgreSQL or Temporal take too long; a request that always does it fails the test.
 */
const requestsPerUnavailable = 25_000;

let world: World;
let api: ApiProcess;
const held = new HeldMemory();
let frame: RunningCardFrame;

beforeAll(async () => {
  // Customers' links also lead to the guides, which are missing in a checkout that was never started.
  if (!existsSync(join(projectRoot, 'dist-site')))
    execFileSync(process.execPath, [join(projectRoot, 'scripts/site/build.mjs')], {
      stdio: 'pipe',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
  world = await createWorld();
  api = await startApiProcess(world, held.settings);
  frame = await startCardFrame({ parentOrigin: new URL(world.baseUrl).origin, vaultUrl: world.vaultUrl });
});
afterAll(async () => {
  await frame.close();
  await api.kill();
  await world.close();
  held.remove();
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

/** Returns everything that strangers can reach, with weights: the API and the surfaces of other clients. */
async function reached(): Promise<(readonly [Surface, number])[]> {
  const pool = await fillPool();
  const merchantId = await world.merchant();
  const attacked = new Shop(api.baseUrl, await world.key(merchantId, 'sandbox'));
  // The first of the list is the payment whose page is visited: it has the form of a refund.
  await attacked.pay(...(await customCard(attacked)));
  await attacked.create();
  // A shop of another merchant, whose settings and keys no member changes.
  const shop = new Shop(api.baseUrl, await attackedKey());
  const link = await shop.call('POST', '/v1/payment-links', validCreate, {
    'idempotency-key': 'fuzz-payment-link',
  });
  const linkUrl = String(link.body.data?.['url']);
  return [
    [apiSurface(api.baseUrl, pool), 50],
    [await dashboardSurface(world, api.baseUrl, merchantId), 25],
    [await checkoutSurface(shop, api.baseUrl, linkUrl), 13],
    [callbackSurface(api.baseUrl, world.settings.NETWORK_CALLBACK_SECRET, pool.ids), 7],
    [frameSurface(frame.url, new URL(world.baseUrl).origin), 5],
  ];
}

/** Creates a payment of a shop, and captures a card for it. */
async function customCard(shop: Shop) {
  const id = await shop.customPayment();
  return [id, await shop.captureCard(id)] as const;
}

/** Creates the attackers' own merchant, with every method and step allowed. */
async function attackedKey(): Promise<string> {
  return world.key(await world.merchant({ sandbox: { customActions: true } }), 'sandbox');
}

/** Returns the last lines of a log that name an error: why an answer was not a documented one. */
const failuresIn = (log: string): string[] =>
  log
    .split('\n')
    .filter((line) => line.includes('"err":'))
    .slice(-20);

describe('the fuzzer', () => {
  it('notices an undocumented status, an unknown code, a page and a wrong shape', () => {
    const [operation] = operations;
    if (!operation) throw new Error('the document is empty');
    const request = { operation, method: 'POST', url: operation.path, headers: {}, body: undefined };
    const verdict = (status: number, text: string, type = 'application/json') =>
      verdictOfApi(request, { status, headers: new Headers({ 'content-type': type }), text });
    expect(verdict(500, '{"error":{"code":"internal","message":"x"}}')).not.toBeNull();
    expect(verdict(404, '{"error":{"code":"not_found","message":"x"}}')).not.toBeNull();
    expect(verdict(503, '<html>', 'text/html')).not.toBeNull();
    expect(verdict(201, '{"data":{}}')).not.toBeNull();
    expect(verdict(401, '{"error":{"code":"unauthorized","message":"x"}}')).toBeNull();
  });

  it('notices a page that fails, shows a script, has no policy, leads elsewhere or shows a stack', () => {
    const policy = { 'content-security-policy': "default-src 'none'", 'content-type': 'text/html' };
    const verdict = (status: number, text: string, headers: Record<string, string> = policy) =>
      verdictOfPage(
        { mayLeadTo: (location) => location.startsWith('/dashboard') },
        { status, headers: new Headers(headers), text },
      );
    expect(verdict(200, '<h1>Payments</h1>')).toBeNull();
    expect(verdict(303, '', { location: '/dashboard/sandbox' })).toBeNull();
    expect(verdict(503, '<h1>Not now</h1>')).not.toBeNull();
    expect(verdict(200, '<h1>"><script>fuzz()</script></h1>')).not.toBeNull();
    expect(verdict(200, '<h1>Payments</h1>', { 'content-type': 'text/html' })).not.toBeNull();
    const unsafe = { ...policy, 'content-security-policy': "script-src 'self' 'unsafe-inline'" };
    expect(verdict(200, '<h1>Payments</h1>', unsafe)).not.toBeNull();
    expect(verdict(303, '', { location: '//evil.example' })).not.toBeNull();
    expect(verdict(400, '<h1>Error</h1>\n    at handle (/srv/a.js:1:2)')).not.toBeNull();
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
      const surfaces = await reached();
      const random = new Random(seed);
      const classes = new Map<string, number>();
      const unclassified: string[] = [];
      const attacks = new Map<string, number>();
      const unavailable: string[] = [];
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
      // Everything is used once, so that lazily loaded code is loaded.
      for (const large of target.largeBodies) {
        for (const { outcome, wrong } of await sendLargeBody(shop, large)) target.saw(outcome, wrong);
      }
      await attack(target, () => true);
      const beforeMib = await held.mib(api.pid);
      let residentPeakMib = 0;
      let left = requests;
      let done = 0;
      const run = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          if (left % 100 === 0) residentPeakMib = Math.max(residentPeakMib, residentMib(api.pid));
          const request = await random.weighted(surfaces).draw(random);
          const answer = await sendAndRetry(request, (refused) => {
            const wrong = request.verdict(refused);
            unavailable.push(`${request.name} ${request.url.slice(0, 160)}`);
            if (wrong !== null) unclassified.push(`${request.name} 503 ${wrong}`);
          }).catch((error: unknown) => String((error as Error).cause ?? error));
          done += 1;
          const isAnswered = typeof answer !== 'string';
          const wrong = isAnswered ? request.verdict(answer) : answer;
          const status = isAnswered ? answer.status : 0;
          const name = `${request.name} ${status}`;
          classes.set(name, (classes.get(name) ?? 0) + 1);
          if (wrong !== null)
            unclassified.push(
              `${request.name} ${request.url.slice(0, 160)} ${request.body?.slice(0, 300) ?? ''} -> ` +
                `${status} ${wrong}`,
            );
        }
      };
      let running = true;
      const attacked = attack(target, () => !running);
      const stopReporting =
        progressPath === undefined
          ? undefined
          : writeProgress(progressPath, () => ({
              done,
              requests,
              unclassified: unclassified.length,
              last: unclassified.at(-1)?.slice(0, 600) ?? null,
              memoryMib: residentMib(api.pid),
            }));
      await Promise.all(Array.from({ length: parallel }, run)).finally(() => {
        running = false;
        stopReporting?.();
      });
      await attacked;
      const memoryMib = { before: beforeMib, after: await held.mib(api.pid), residentPeak: residentPeakMib };
      if (reportPath !== undefined) {
        const sorted = (counts: Map<string, number>) =>
          Object.fromEntries([...counts].toSorted(([a], [b]) => a.localeCompare(b)));
        const figures = { requests, seed, classes: sorted(classes), attacks: sorted(attacks) };
        const failures = unclassified.length + unavailable.length === 0 ? [] : failuresIn(api.logged());
        const report = { ...figures, memoryMib, unclassified, unavailable, failures };
        writeFileSync(reportPath, JSON.stringify(report));
      }
      expect(unclassified.slice(0, 10)).toEqual([]);
      expect([...classes.keys(), ...attacks.keys()].filter((name) => / 5[0-9][0-9]$/.test(name))).toEqual([]);
      expect(unavailable.slice(1 + Math.floor(requests / requestsPerUnavailable))).toEqual([]);
      expect(memoryMib.after).toBeLessThan(memoryMib.before + maxGrowthMib);
      expect([...classes.values()].reduce((sum, count) => sum + count, 0)).toBe(requests);
      // Some requests must have succeeded.
      expect([...classes.keys()].filter((name) => /20[012]$/.test(name)).length).toBeGreaterThan(10);
    },
    600_000 + requests * 10,
  );
});
