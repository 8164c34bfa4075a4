import { randomUUID } from 'node:crypto';
import { type Http2Server, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { type World, createWorld } from '../support/world.ts';
import { Probe, refusal } from './contract-checks.ts';
import { type Merchants, openApi, openCast, unknownId } from './support.ts';
import { proves } from '../support/proves.ts';

/** The name that marks the connections of the recorded API. */
const watchedName = 'watched';
const card = { cardToken: 'x'.repeat(16), captureReference: 'r' };

let world: World;
let cast: Merchants;
let api: Awaited<ReturnType<typeof openApi>>;
let temporal: Http2Server;
/**
 * Reads of keys and of held writes, writes of the request log and comparisons of the clocks happen at
 * intervals, whatever payment a call names.
 */
const byTheClock = [
  /\bapi_(keys|requests)\b/,
  /\boperator_alerts\b/,
  /\bFROM restore_watch\b/,
  /\/(Describe|PollWorkflow)TaskQueue$/,
  /^SELECT extract\(epoch FROM clock_timestamp\(\)/,
];
/** The recorded API's calls to PostgreSQL and Temporal, in order: statements by text, calls by path. */
let work: string[] = [];

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
const query = Reflect.get(pg.Client.prototype, 'query') as Query;

beforeAll(async () => {
  world = await createWorld();
  cast = await openCast(world);
  const watched: Query = function (...args) {
    const { application_name } = Reflect.get(this, 'connectionParameters') as pg.ClientConfig;
    const [statement] = args;
    if (application_name === watchedName)
      work.push(typeof statement === 'string' ? statement : (statement as pg.QueryConfig).text);
    return query.apply(this, args);
  };
  Object.assign(pg.Client.prototype, { query: watched });
  // Stands in for Temporal: it records every call and never answers.
  temporal = createServer();
  temporal.on('stream', (stream, headers) => {
    work.push(`Temporal ${headers[':path']}`);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' },
      { endStream: true },
    );
  });
  await new Promise<void>((resolve) => temporal.listen(0, '127.0.0.1', resolve));
  // The address is read from the environment when the client is created.
  const before = process.env['TEMPORAL_ADDRESS'];
  process.env['TEMPORAL_ADDRESS'] = `127.0.0.1:${(temporal.address() as AddressInfo).port}`;
  api = await openApi(world, {
    DATABASE_URL: `${world.settings.DATABASE_URL}?application_name=${watchedName}`,
    // One connection each, so that the choice of a connection makes no difference.
    DATABASE_POOL_SIZE: 1,
    STATUS_SOURCE: 'workflow',
    RATE_LIMITS: 'sandbox.all=1000/1000,live.all=1000/1000,payment.act=1000/1000,payment.read=1000/1000',
  });
  process.env['TEMPORAL_ADDRESS'] = before;
});
afterAll(async () => {
  Object.assign(pg.Client.prototype, { query });
  await api.stop();
  await new Promise((resolve) => temporal.close(resolve));
  await world.close();
});

/** Returns the work of one call, on connections that served the same caller before. */
async function workOf(
  key: string,
  [method, path, body]: [method: string, path: string, body?: unknown],
): Promise<{ answer: [number, string | undefined]; work: string[] }> {
  const shop = new Probe(api.baseUrl, key);
  await shop.call('GET', `/v1/payments/${unknownId}`);
  work = [];
  const answer = await shop.call(method, path, body, { 'idempotency-key': randomUUID() });
  return {
    answer: refusal(answer),
    work: work.filter((each) => !byTheClock.some((known) => known.test(each))),
  };
}

/** Every call that names a payment: of the capture flow, of reads, and of refunds and disputes. */
const calls: [name: string, method: string, path: (id: string) => string, body: unknown][] = [
  ['capture', 'POST', (id) => `/v1/payments/${id}/capture`, undefined],
  ['checkout', 'GET', (id) => `/v1/payments/${id}/checkout`, undefined],
  ['pay', 'POST', (id) => `/v1/payments/${id}/pay`, card],
  ['confirm', 'POST', (id) => `/v1/payments/${id}/confirm`, {}],
  ['status', 'GET', (id) => `/v1/payments/${id}/status`, undefined],
  ['retrieve', 'GET', (id) => `/v1/payments/${id}`, undefined],
  ['refund', 'POST', (id) => `/v1/payments/${id}/refunds`, {}],
  ['refunds', 'GET', (id) => `/v1/payments/${id}/refunds`, undefined],
  ['disputes', 'GET', (id) => `/v1/payments/${id}/disputes`, undefined],
  ['outcome', 'POST', (id) => `/v1/sandbox/payments/${id}/outcome`, { outcome: 'paid' }],
  ['challenge', 'POST', (id) => `/v1/sandbox/payments/${id}/challenge`, { result: 'failed' }],
  ['clock', 'POST', (id) => `/v1/sandbox/payments/${id}/advance-clock`, { bySeconds: 1 }],
  ['dispute', 'POST', (id) => `/v1/sandbox/payments/${id}/disputes`, { reason: 'fraudulent' }],
];
const captureFlow = ['capture', 'checkout', 'pay', 'confirm', 'status'];

describe('a payment that does not exist for the caller', () => {
  it.each(calls)(
    proves(
      '%s makes the same calls to PostgreSQL and none to Temporal for every kind of foreign id',
      'EP-05',
      'EP-06',
      'AUTH-14',
    ),
    async (name, method, path, body) => {
      const paid = await cast.b.customPayment();
      await cast.b.pay(paid, await cast.b.captureCard(paid));
      const strangers: [kind: string, key: string, id: string][] = [
        ['unknown', cast.a.key, unknownId],
        ['foreign', cast.a.key, await cast.b.customPayment()],
        ['foreign and paid', cast.a.key, paid],
        ['of the other environment', cast.a.key, await cast.aLive.customPayment()],
      ];
      if (captureFlow.includes(name)) {
        const hosted = String((await cast.a.create()).body.data?.['id']);
        const merchant = await world.merchant();
        const left = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
        const own = await left.customPayment();
        await world.database.query(
          "UPDATE merchant_settings SET custom_mode = false WHERE merchant_id = $1 AND environment = 'sandbox'",
          [merchant],
        );
        strangers.push(
          ['hosted', cast.a.key, hosted],
          ['unknown, without custom mode', cast.n.key, unknownId],
          ['foreign, without custom mode', cast.n.key, paid],
          ['own, without custom mode', left.key, own],
        );
      }
      // A custom, own and open payment, but its merchant is not approved for confirming.
      if (name === 'confirm')
        strangers.push(['own, without approval', cast.u.key, await cast.u.customPayment()]);
      const seen = new Map<string, Awaited<ReturnType<typeof workOf>>>();
      for (const [kind, key, id] of strangers) seen.set(kind, await workOf(key, [method, path(id), body]));
      const unknown = seen.get('unknown');
      expect(unknown?.answer).toEqual([404, 'not_found']);
      // At least the limit and the payment are read; without any recorded work the test would prove nothing.
      expect(unknown?.work.length).toBeGreaterThanOrEqual(2);
      expect(unknown?.work.join()).not.toContain('Temporal');
      for (const [kind, each] of seen) expect([kind, each]).toEqual([kind, unknown]);
    },
  );

  it('the recorder sees the further calls for an own payment, also to Temporal', async () => {
    const unknown = await workOf(cast.a.key, ['GET', `/v1/payments/${unknownId}/status`]);
    const own = await workOf(cast.a.key, ['GET', `/v1/payments/${await cast.a.customPayment()}/status`]);
    expect(own.answer[0]).toBe(200);
    // A payment that was not found is looked up in the archive last. ADR 0078.
    const shared = unknown.work.slice(0, -1);
    expect(unknown.work.at(-1)).toContain('card_payments_archive');
    expect(own.work.slice(0, shared.length)).toEqual(shared);
    expect(own.work.slice(shared.length).join()).toContain('/QueryWorkflow');
  });

  it.each(calls)(
    proves('%s does not wait for a foreign payment that is being changed', 'EP-06'),
    async (_name, method, path, body) => {
      const foreign = await cast.b.customPayment();
      // A separate connection, because the pools end a transaction that idles as long as a call may wait.
      const change = new pg.Client({ connectionString: world.settings.DATABASE_URL });
      await change.connect();
      try {
        await change.query('BEGIN');
        await change.query('SELECT FROM payments WHERE id = $1 FOR UPDATE', [foreign]);
        expect((await workOf(cast.a.key, [method, path(foreign), body])).answer).toEqual([404, 'not_found']);
      } finally {
        await change.end();
      }
    },
  );
});
