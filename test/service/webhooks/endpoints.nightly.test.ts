import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { insertEndpointEvent } from '../../../src/db/webhooks/events.ts';
import { recordEndpointHealth, loadEndpoint } from '../../../src/db/webhooks/endpoints.ts';
import { jsonData } from '../../support/answers.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { type Receiver, createReceiver, isSignedBy } from '../../support/receiver.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

const admin = join(dirname(fileURLToPath(import.meta.url)), '../../../dist/src/cli/admin.js');

let world: World;
let receiver: Receiver;
let merchantId: string;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld(
    { SWEEP_SECONDS: '1', WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,5,5,5' },
    { webhooks: true },
  );
  receiver = await createReceiver();
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

const path = '/v1/webhook-endpoints';
const valid = (): Record<string, unknown> => ({ url: receiver.url });

async function addEndpoint(body: Record<string, unknown> = valid()): Promise<{ id: string; secret: string }> {
  return jsonData(await shop.call('POST', path, body)) as { id: string; secret: string };
}

/** Runs the operator command. Returns its one line of JSON, or throws with its one line of error. */
async function operator(...args: string[]): Promise<Record<string, unknown>> {
  const { settings } = world;
  const { stdout } = await promisify(execFile)(process.execPath, [admin, ...args, '--json'], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: settings.DATABASE_URL,
      TEMPORAL_ADDRESS: settings.TEMPORAL_ADDRESS,
      TASK_QUEUE_PREFIX: settings.TASK_QUEUE_PREFIX,
    },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('webhook endpoints', () => {
  test('are created, read, changed and deleted; the secret is shown at creation only', async () => {
    const created = await shop.call('POST', path, {
      ...valid(),
      events: ['payment.paid', 'refund.*'],
      description: 'orders',
    });
    expect(created.status).toBe(201);
    const { secret, ...rest } = jsonData(created) as { id: string; secret: string };
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rest).toEqual({
      id: expect.any(String),
      url: receiver.url,
      description: 'orders',
      events: ['payment.paid', 'refund.*'],
      status: 'enabled',
      disabledReason: null,
      failingSince: null,
      previousSecretExpiresAt: null,
      environment: 'sandbox',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const one = `${path}/${rest.id}`;
    expect((await shop.call('GET', one)).body.data).toEqual(rest);
    const changed = await shop.call('PATCH', one, { events: null, status: 'disabled', description: null });
    expect(changed.body.data).toMatchObject({
      events: null,
      description: null,
      status: 'disabled',
      disabledReason: 'merchant',
    });
    expect((await shop.call('POST', `${one}/test`)).body.error?.code).toBe('validation_failed');
    expect((await shop.call('DELETE', one)).body.data).toEqual({ id: rest.id, deleted: true });
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PATCH', '', {}],
      ['DELETE', '', undefined],
      ['POST', '/rotate-secret', undefined],
      ['POST', '/test', undefined],
      ['GET', '/deliveries', undefined],
      ['POST', '/replay', { since: '2026-01-01T00:00:00Z', status: 'all' }],
    ] as const) {
      expect((await shop.call(method, one + suffix, body)).status).toBe(404);
    }
    const { rows } = await world.database.query<{ bytes: number }>(
      'SELECT length(secret_sealed) AS bytes FROM webhook_endpoints WHERE id = $1',
      [rest.id],
    );
    expect(rows).toEqual([{ bytes: 0 }]);
  });

  test.each([
    ['url', {}],
    ['url', { url: 'http://shop.example/hook' }],
    ['url', { url: 'https://10.0.0.1/hook' }],
    ['url', { url: 'https://[::ffff:169.254.169.254]/hook' }],
    ['url', { url: 'https://shop.example/#fragment' }],
    ['url', { url: 7 }],
    ['events', { url: 'https://shop.example/', events: [] }],
    ['events.0', { url: 'https://shop.example/', events: ['nonsense'] }],
    ['description', { url: 'https://shop.example/', description: 'x'.repeat(256) }],
    ['body', { url: 'https://shop.example/', extra: 1 }],
  ])('are refused with 422 naming a bad %s: %j', async (field, body) => {
    const answer = await shop.call('POST', path, body);
    expect([answer.status, answer.body.error?.code, answer.body.error?.field]).toEqual([
      422,
      'validation_failed',
      field,
    ]);
  });

  test('are invisible to another merchant and the other environment', async () => {
    const { id } = await addEndpoint();
    const others = [
      new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox')),
      new Shop(world.baseUrl, await world.key(merchantId, 'live')),
    ];
    for (const other of others) {
      expect((await other.call('GET', `${path}/${id}`)).status).toBe(404);
      expect((await other.call('DELETE', `${path}/${id}`)).status).toBe(404);
      expect((await other.call('GET', path)).body.data).toEqual([]);
    }
    await shop.call('DELETE', `${path}/${id}`);
  });

  test('are disabled by five days of failures without a success in between', async () => {
    const { id } = await addEndpoint();
    const day = (number: number): Date => new Date(Date.UTC(2026, 2, number));
    expect(await recordEndpointHealth(world.database, id, 'failure', day(1))).toBe(false);
    expect(await recordEndpointHealth(world.database, id, 'failure', day(5))).toBe(false);
    await recordEndpointHealth(world.database, id, 'success', day(5));
    expect(await recordEndpointHealth(world.database, id, 'failure', day(7))).toBe(false);
    expect(await recordEndpointHealth(world.database, id, 'failure', day(11))).toBe(false);
    expect(await recordEndpointHealth(world.database, id, 'failure', day(12))).toBe(true);
    expect(await loadEndpoint(world.database, id)).toMatchObject({
      status: 'disabled',
      disabledReason: 'failing',
    });
    await shop.call('DELETE', `${path}/${id}`);
  });

  test('get nothing more once disabled, and their pending deliveries are canceled', async () => {
    let healthy = false;
    const down = await createReceiver((_delivery, response) => response.writeHead(healthy ? 204 : 503).end());
    const { id } = await addEndpoint({ url: down.url });
    await shop.call('POST', `${path}/${id}/test`);
    await eventually(async () => (down.received.length > 0 ? true : undefined));
    await shop.call('PATCH', `${path}/${id}`, { status: 'disabled' });
    healthy = true;
    const canceled = await eventually(async () => {
      const found = await shop.call('GET', `${path}/${id}/deliveries?status=canceled`);
      return (jsonData(found) as unknown[]).length === 1 ? true : undefined;
    });
    expect(canceled).toBe(true);
    await down.close();
    await shop.call('DELETE', `${path}/${id}`);
  });

  test('events and deliveries are removed when all of their month is past 90 days', async () => {
    const { id } = await addEndpoint();
    const old = await insertEndpointEvent(world.database, {
      merchantId,
      environment: 'sandbox',
      endpointId: id,
      type: 'endpoint.test',
      data: {},
      at: new Date(Date.now() - 125 * 86_400_000),
    });
    const gone = await eventually(async () => {
      const answer = await shop.call('GET', `/v1/events/${old}`);
      return answer.status === 404 ? answer : undefined;
    });
    expect(gone.body.error?.code).toBe('not_found');
    await shop.call('DELETE', `${path}/${id}`);
  });

  test('the log shows an event only once every earlier one is visible', async () => {
    const slow = await world.database.connect();
    const tenant = { merchantId, environment: 'sandbox' as const };
    const { id: endpointId } = await addEndpoint();
    const event = { ...tenant, endpointId, type: 'endpoint.test', data: {}, at: new Date() };
    await slow.query('BEGIN');
    const first = await insertEndpointEvent(slow, event);
    let committed = false;
    const second = insertEndpointEvent(world.database, event).then((eventId) => {
      expect(committed).toBe(true);
      return eventId;
    });
    await eventually(async () => {
      const { rows } = await slow.query('SELECT FROM pg_locks WHERE locktype = $1 AND NOT granted', [
        'advisory',
      ]);
      return rows.length > 0 ? true : undefined;
    });
    committed = true;
    await slow.query('COMMIT');
    slow.release();
    const last = await second;
    const page = await shop.call('GET', `/v1/events?after=${first}`);
    expect((jsonData(page) as { id: string }[]).map(({ id }) => id)).toContain(last);
    await shop.call('DELETE', `${path}/${endpointId}`);
  });
});

describe('the operator command', () => {
  it('creates, lists, tests, rotates, replays and disables; payment show prints the deliveries', async () => {
    const place = ['--merchant', merchantId, '--environment', 'sandbox'];
    const created = await operator(
      'webhook',
      'create',
      ...place,
      '--url',
      receiver.url,
      '--events',
      'payment.*',
    );
    expect(created).toEqual({ endpointId: expect.any(String), secret: expect.stringMatching(/^whsec_/) });
    const at = ['--endpoint', String(created['endpointId'])];
    const id = await shop.customPayment();
    await shop.pay(id, await shop.captureCard(id));
    const delivery = await eventually(async () =>
      receiver.received.find(({ event }) => event.data['id'] === id),
    );
    expect(isSignedBy(String(created['secret']), delivery)).toBe(true);
    const shown = await eventually(async () => {
      const seen = await operator('payment', 'show', '--payment', id);
      const [one] = seen['deliveries'] as { status: string }[];
      return one?.status === 'delivered' ? seen : undefined;
    });
    expect(shown['deliveries']).toMatchObject([
      {
        endpointId: created['endpointId'],
        type: 'payment.paid',
        status: 'delivered',
        attempts: [{ attemptNo: 1, statusCode: 204 }],
      },
    ]);
    expect(JSON.stringify(shown)).not.toContain('whsec_');
    const rotated = await operator('webhook', 'rotate', ...at);
    expect(rotated).toMatchObject({
      endpointId: created['endpointId'],
      secret: expect.stringMatching(/^whsec_/),
    });
    const replayed = await operator(
      'webhook',
      'replay',
      ...at,
      '--since',
      '2026-01-01T00:00:00Z',
      '--status',
      'all',
    );
    expect(replayed).toMatchObject({ matched: 1, replayId: expect.any(String) });
    const again = await eventually(async () =>
      receiver.received.filter(({ event }) => event.data['id'] === id).at(1),
    );
    expect(isSignedBy(String(rotated['secret']), again)).toBe(true);
    expect(isSignedBy(String(created['secret']), again)).toBe(true);
    expect(await operator('webhook', 'test', ...at)).toEqual({ eventId: expect.stringMatching(/^evt_/) });
    const listed = await operator('event', 'list', ...place, '--payment', id);
    expect(listed).toMatchObject({ nextCursor: null, events: [{ type: 'payment.paid' }] });
    expect(await operator('webhook', 'disable', ...at)).toEqual({
      endpointId: created['endpointId'],
      status: 'disabled',
    });
    await Promise.all([
      expect(operator('webhook', 'test', ...at)).rejects.toThrow('is disabled: run webhook enable first'),
      expect(operator('webhook', 'disable', '--endpoint', randomUUID())).rejects.toThrow('no endpoint'),
      expect(operator('webhook', 'create', ...place, '--url', 'https://192.168.1.1/')).rejects.toThrow(
        'must not be a private or reserved address',
      ),
    ]);
  });
});
