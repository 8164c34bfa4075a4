import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { jsonData } from '../../support/answers.ts';
import { paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { type Received, type Receiver, createReceiver, isSignedBy } from '../../support/receiver.ts';
import { proves } from '../../support/proves.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
const receivers: Receiver[] = [];

beforeAll(async () => {
  world = await createWorld(
    {
      SWEEP_SECONDS: '1',
      WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,1,1,1,1,1,1,1',
    },
    { webhooks: true },
  );
});
afterAll(async () => {
  // Closed first, because a hanging delivery would delay the worker's stop.
  await Promise.all(receivers.map((one) => one.close()));
  await world.close();
});

async function receiver(answer?: Parameters<typeof createReceiver>[0]): Promise<Receiver> {
  const made = await createReceiver(answer);
  receivers.push(made);
  return made;
}

async function newShop(environment: 'sandbox' | 'live' = 'sandbox'): Promise<Shop> {
  return new Shop(world.baseUrl, await world.key(await world.merchant(), environment));
}

async function addEndpoint(
  shop: Shop,
  body: Record<string, unknown>,
): Promise<{ id: string; secret: string }> {
  const answer = await shop.call('POST', '/v1/webhook-endpoints', body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return jsonData(answer) as { id: string; secret: string };
}

const got = (at: Receiver, matches: (delivery: Received) => boolean, count = 1): Promise<Received[]> =>
  eventually(async () => {
    const found = at.received.filter(matches);
    return found.length >= count ? found : undefined;
  });

interface DeliveryItem {
  eventId: string;
  status: string;
  attemptCount: number;
  attempts: {
    attemptNo: number;
    statusCode: number | null;
    error: string | null;
    responseExcerpt: string | null;
  }[];
}

async function deliveriesOf(shop: Shop, endpointId: string, query = ''): Promise<DeliveryItem[]> {
  const answer = await shop.call('GET', `/v1/webhook-endpoints/${endpointId}/deliveries${query}`);
  expect(answer.status).toBe(200);
  return jsonData(answer) as DeliveryItem[];
}

describe('webhooks', () => {
  test(
    proves(
      'a paid payment reaches its endpoint, signed, with card facts and no secret',
      'HOOK-01 to -04',
      'HOOK-12',
      'FLOW-09',
      'AMB-37',
    ),
    async () => {
      const shop = await newShop();
      const endpoint = await receiver();
      const { id: endpointId, secret } = await addEndpoint(shop, { url: endpoint.url });
      const paymentId = await paidPayment(shop);
      const [delivery] = await got(endpoint, ({ event }) => event.type === 'payment.paid');
      expect(delivery?.event).toEqual({
        id: delivery?.headers['webhook-id'],
        type: 'payment.paid',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        apiVersion: 'v1',
        environment: 'sandbox',
        sequence: 1,
        previousStatus: 'pending',
        data: { ...(await shop.read(paymentId)), checkoutUrl: null },
      });
      expect(delivery?.event.data).toMatchObject({ status: 'paid', cardBrand: 'visa', cardLast4: '4242' });
      expect(delivery && isSignedBy(secret, delivery)).toBe(true);
      expect(delivery && isSignedBy(secret, { ...delivery, text: `${delivery.text} ` })).toBe(false);
      for (const canary of ['/c/', 'tok_', 'cps_', 'whsec_', 'secret'])
        expect(delivery?.text).not.toContain(canary);
      const log = await shop.call('GET', `/v1/events/${String(delivery?.event.id)}`);
      expect(log.text).toBe(`{"data":${delivery?.text}}`);
      await eventually(async () =>
        (await deliveriesOf(shop, endpointId, '?status=delivered')).length === 1 ? true : undefined,
      );
    },
  );

  test(
    proves(
      'every change of the status is one event, in numbered order; creation and expiry are none',
      'HOOK-07',
      'AMB-37',
    ),
    async () => {
      const shop = await newShop();
      const endpoint = await receiver();
      await addEndpoint(shop, { url: endpoint.url });
      const challenged = await paidPayment(shop, '4000000000003220');
      const [first] = await got(endpoint, ({ event }) => event.data['id'] === challenged);
      expect(first?.event).toMatchObject({
        type: 'payment.requiresAction',
        previousStatus: 'pending',
        sequence: 1,
      });
      const failed = await paidPayment(shop, '4000000000009987');
      const [last] = await got(endpoint, ({ event }) => event.data['id'] === failed);
      expect(last?.event).toMatchObject({ type: 'payment.failed', previousStatus: 'pending', sequence: 1 });
      const all = await shop.call('GET', '/v1/events');
      expect((jsonData(all) as { type: string }[]).map(({ type }) => type)).toEqual([
        'payment.failed',
        'payment.requiresAction',
      ]);
    },
  );

  test(
    proves('an endpoint gets only its own merchant, environment and types', 'HOOK-05', 'HOOK-06'),
    async () => {
      const merchant = await world.merchant();
      const sandbox = new Shop(world.baseUrl, await world.key(merchant, 'sandbox'));
      const live = new Shop(world.baseUrl, await world.key(merchant, 'live'));
      const other = await newShop();
      const [inSandbox, inLive, elsewhere, failures] = await Promise.all([
        receiver(),
        receiver(),
        receiver(),
        receiver(),
      ]);
      const sandboxEndpoint = await addEndpoint(sandbox, { url: inSandbox.url });
      await addEndpoint(live, { url: inLive.url });
      await addEndpoint(other, { url: elsewhere.url });
      await addEndpoint(sandbox, { url: failures.url, events: ['payment.failed'] });
      const sandboxId = await paidPayment(sandbox);
      const liveId = await paidPayment(live);
      const otherId = await paidPayment(other);
      for (const [at, id] of [
        [inSandbox, sandboxId],
        [inLive, liveId],
        [elsewhere, otherId],
      ] as const) {
        await got(at, ({ event }) => event.data['id'] === id);
        expect(new Set(at.received.map(({ event }) => event.data['id']))).toEqual(new Set([id]));
      }
      expect(failures.received).toHaveLength(0);
      expect(isSignedBy(sandboxEndpoint.secret, inLive.received[0]!)).toBe(false);
    },
  );

  test('failed tries are repeated with the same id and bytes and a new time; redirects are failures and not followed', async () => {
    const shop = await newShop();
    const target = await receiver();
    let tries = 0;
    const endpoint = await receiver((_delivery, response) => {
      tries += 1;
      if (tries === 1) response.writeHead(500).end('no\u0000pe');
      else if (tries === 2) response.writeHead(302, { location: target.url }).end();
      else if (tries === 3) response.writeHead(429, { 'retry-after': '2' }).end();
      else response.writeHead(200).end('ok');
    });
    const { id, secret } = await addEndpoint(shop, { url: endpoint.url });
    await paidPayment(shop);
    const all = await got(endpoint, () => true, 4);
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(all.every((delivery) => isSignedBy(secret, delivery))).toBe(true);
    // The endpoint requested more time than the schedule has.
    expect(all[3]!.at - all[2]!.at).toBeGreaterThanOrEqual(1_900);
    const [delivery] = await eventually(async () => {
      const found = await deliveriesOf(shop, id, '?status=delivered');
      return found.length === 1 ? found : undefined;
    });
    expect(
      delivery?.attempts.map(({ attemptNo, statusCode, error }) => [attemptNo, statusCode, error]),
    ).toEqual([
      [4, 200, null],
      [3, 429, 'status'],
      [2, 302, 'redirect'],
      [1, 500, 'status'],
    ]);
    expect(delivery?.attempts.at(-1)?.responseExcerpt).toBe('no pe');
    expect(target.received).toHaveLength(0);
  });

  test('410 disables the endpoint; once enabled again, a replay delivers the events it missed', async () => {
    const shop = await newShop();
    let gone = true;
    const endpoint = await receiver((_delivery, response) => response.writeHead(gone ? 410 : 204).end());
    const { id } = await addEndpoint(shop, { url: endpoint.url });
    const since = new Date(Date.now() - 1000).toISOString();
    const first = await paidPayment(shop);
    const path = `/v1/webhook-endpoints/${id}`;
    await eventually(async () =>
      (await shop.call('GET', path)).body.data?.['status'] === 'disabled' ? true : undefined,
    );
    expect((await shop.call('GET', path)).body.data).toMatchObject({ disabledReason: 'gone' });
    const second = await paidPayment(shop);
    gone = false;
    expect((await shop.call('PATCH', path, { status: 'enabled' })).body.data).toMatchObject({
      status: 'enabled',
      disabledReason: null,
    });
    const dry = await shop.call('POST', `${path}/replay`, { since, status: 'failed', dryRun: true });
    expect([dry.status, dry.body.data?.['matched'], dry.body.data?.['id']]).toEqual([202, 2, null]);
    const run = await shop.call('POST', `${path}/replay`, { since, status: 'failed' });
    expect([run.status, run.body.data?.['matched']]).toEqual([202, 2]);
    await got(endpoint, ({ event }) => event.data['id'] === second);
    await got(endpoint, ({ event }) => event.data['id'] === first, 2);
    await eventually(async () =>
      (await deliveriesOf(shop, id, '?status=delivered')).length === 2 ? true : undefined,
    );
    const again = await shop.call('POST', `${path}/replay`, { since, status: 'failed', dryRun: true });
    expect(again.body.data?.['matched']).toBe(0);
  });

  test('after a rotation both secrets verify; a redelivery and a test carry both', async () => {
    const shop = await newShop();
    const endpoint = await receiver();
    const { id, secret } = await addEndpoint(shop, { url: endpoint.url });
    await paidPayment(shop);
    const [before] = await got(endpoint, () => true);
    const rotated = await shop.call('POST', `/v1/webhook-endpoints/${id}/rotate-secret`);
    const next = String(rotated.body.data?.['secret']);
    expect(next).toMatch(/^whsec_/);
    expect(next).not.toBe(secret);
    await eventually(async () =>
      (await deliveriesOf(shop, id, '?status=delivered')).length === 1 ? true : undefined,
    );
    const again = await shop.call('POST', `/v1/events/${String(before?.event.id)}/redeliver`);
    expect([again.status, again.body.data?.['endpointIds']]).toEqual([202, [id]]);
    const [, after] = await got(endpoint, () => true, 2);
    expect(after?.text).toBe(before?.text);
    expect([isSignedBy(secret, after!), isSignedBy(next, after!), isSignedBy(next, before!)]).toEqual([
      true,
      true,
      false,
    ]);
    expect((await shop.call('POST', `/v1/webhook-endpoints/${id}/test`)).status).toBe(202);
    const [trial] = await got(endpoint, ({ event }) => event.type === 'endpoint.test');
    expect(trial && isSignedBy(next, trial) && isSignedBy(secret, trial)).toBe(true);
    for (const path of ['', `/${id}`, `/${id}/deliveries`]) {
      expect((await shop.call('GET', `/v1/webhook-endpoints${path}`)).text).not.toContain('whsec_');
    }
  });

  test('an endpoint that answers slowly does not delay another, and has at most four running deliveries', async () => {
    const shop = await newShop();
    let open = 0;
    let maxOpen = 0;
    const drips = await receiver((_delivery, response) => {
      open += 1;
      maxOpen = Math.max(maxOpen, open);
      response.on('close', () => {
        open -= 1;
      });
    });
    const healthy = await receiver();
    await addEndpoint(shop, { url: drips.url });
    await addEndpoint(shop, { url: healthy.url });
    const ids = await Promise.all(Array.from({ length: 12 }, () => paidPayment(shop)));
    await got(healthy, () => true, ids.length);
    expect(new Set(healthy.received.map(({ event }) => event.data['id']))).toEqual(new Set(ids));
    expect(maxOpen).toBeLessThanOrEqual(4);
    expect(maxOpen).toBeGreaterThan(0);
    await drips.close();
  });

  test('a delivery terminated by an operator is started again; a canceled one stays canceled', async () => {
    const shop = await newShop();
    let healthy = false;
    const endpoint = await receiver((_delivery, response) => {
      response.writeHead(healthy ? 204 : 503, healthy ? {} : { 'retry-after': '3600' }).end();
    });
    const { id: endpointId } = await addEndpoint(shop, { url: endpoint.url });
    await paidPayment(shop);
    await paidPayment(shop);
    const [terminated, canceled] = await got(endpoint, () => true, 2);
    await eventually(async () =>
      (await deliveriesOf(shop, endpointId)).every(({ attemptCount }) => attemptCount === 1)
        ? true
        : undefined,
    );
    const connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
    const { workflow } = new Client({ connection });
    const handle = (delivery: Received | undefined): WorkflowHandle =>
      workflow.getHandle(`webhook-${String(delivery?.event.id)}-${endpointId}`);
    await handle(terminated).terminate('tried by a test');
    await handle(canceled).cancel();
    await connection.close();
    healthy = true;
    // As if its next try had been due for a long time.
    await world.database.query(
      `UPDATE webhook_deliveries SET due_at = now() - interval '5 minutes', started_at = now() - interval '5 minutes',
         next_check_at = now() WHERE event_id = $1`,
      [terminated?.event.id],
    );
    await got(endpoint, ({ event }) => event.id === terminated?.event.id, 2);
    const settled = await eventually(async () => {
      const found = await deliveriesOf(shop, endpointId);
      return found.some(({ status }) => status === 'pending') ? undefined : found;
    });
    expect(Object.fromEntries(settled.map(({ eventId, status }) => [eventId, status]))).toEqual({
      [String(terminated?.event.id)]: 'delivered',
      [String(canceled?.event.id)]: 'canceled',
    });
  });

  it(
    proves(
      'events of a payment reach the endpoint although no webhook worker ran when it was paid',
      'HOOK-09',
      'HOOK-11',
    ),
    async () => {
      const shop = await newShop();
      const endpoint = await receiver();
      await addEndpoint(shop, { url: endpoint.url });
      await world.stopWorker();
      await world.startWorker('payments,provider');
      const id = await paidPayment(shop);
      expect(await shop.read(id)).toMatchObject({ status: 'paid' });
      await world.stopWorker();
      await world.startWorker();
      const [delivery] = await got(endpoint, () => true);
      expect(delivery?.event.data['id']).toBe(id);
    },
  );
});

describe('the event log', () => {
  test('misses and repeats no event when it is read from the last one on, in its order', async () => {
    const shop = await newShop();
    const ids = await Promise.all(Array.from({ length: 7 }, () => paidPayment(shop)));
    const seen: string[] = [];
    for (let after = 'start'; ;) {
      const page = await shop.call('GET', `/v1/events?after=${after}&limit=3`);
      const events = jsonData(page) as { id: string; data: { id: string } }[];
      if (events.length === 0) break;
      seen.push(...events.map(({ data }) => data.id));
      after = events.at(-1)?.id ?? '';
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const byCursor: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `after=start&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page = JSON.parse((await shop.call('GET', `/v1/events?${query}`)).text) as {
        data: { data: { id: string } }[];
        meta: { nextCursor: string | null };
      };
      expect(Object.keys(page.meta)).toEqual(['nextCursor']);
      byCursor.push(...page.data.map(({ data }) => data.id));
      cursor = page.meta.nextCursor;
    }
    expect(byCursor).toEqual(seen);
    const one = await shop.call('GET', `/v1/events?paymentId=${ids[0]}&afterSequence=0&type=payment.*`);
    expect(one.body.data).toHaveLength(1);
    expect((await shop.call('GET', `/v1/events?paymentId=${ids[0]}&afterSequence=1`)).body.data).toHaveLength(
      0,
    );
    for (const query of [
      'after=nothing',
      'afterSequence=-1',
      'type=x',
      'paymentId=1',
      'unknown=1',
      'limit=0',
      'limit=101',
      'page=1',
      'perPage=20',
    ]) {
      expect((await shop.call('GET', `/v1/events?${query}`)).body.error?.code).toBe('invalid_query');
    }
    const today = new Date().toISOString().slice(0, 10);
    for (const [query, field, fix] of [
      [`after=start&from=${today}`, 'after', 'leave out from and to, or give paymentId'],
      [`after=start&to=${today}`, 'after', 'leave out from and to, or give paymentId'],
      ['afterSequence=1', 'afterSequence', 'give paymentId too'],
      ['after=evt_000000000000000000000000', 'after', 'begin again with after=start'],
      ['cursor=elsewhere', 'cursor', 'for these filters'],
      ['page=2', 'query', 'Unknown query parameter "page"'],
    ] as const) {
      expect((await shop.call('GET', `/v1/events?${query}`)).body.error).toMatchObject({
        code: 'invalid_query',
        field,
        message: expect.stringContaining(fix) as unknown,
      });
    }
    const ofOne = `/v1/events?paymentId=${ids[0]}&after=start&from=${today}&to=${today}`;
    expect((await shop.call('GET', ofOne)).body.data).toHaveLength(1);
    const foreign = await newShop();
    const newest = jsonData(await shop.call('GET', '/v1/events?limit=1')) as { id: string }[];
    const eventId = newest[0]?.id ?? '';
    expect((await foreign.call('GET', `/v1/events/${eventId}`)).status).toBe(404);
    expect((await foreign.call('GET', `/v1/events?after=${eventId}`)).status).toBe(400);
    expect((await foreign.call('POST', `/v1/events/${eventId}/redeliver`)).status).toBe(404);
    expect((await shop.call('GET', '/v1/events/not-an-id')).status).toBe(400);
  });
});
