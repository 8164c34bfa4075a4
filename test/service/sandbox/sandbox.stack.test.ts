import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createSandboxActivities } from '../../../src/activities/sandbox.ts';
import type { SandboxResult } from '../../../src/domain/sandbox.ts';
import type { SandboxControls } from '../../../src/providers/sandbox-controls.ts';
import { partial } from '../../support/partial.ts';
import { jsonBody } from '../../support/answers.ts';
import { dataOf, idOf, keyed, paidPayment, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { proves } from '../../support/proves.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let shop: Shop;
let liveShop: Shop;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '0' });
  const merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  liveShop = new Shop(world.baseUrl, await world.key(merchantId, 'live'));
});
afterAll(() => world.close());

const simulate = (id: string, what: string, body: Record<string, unknown>, key?: string) =>
  keyed(shop, `/v1/sandbox/payments/${id}/${what}`, body, key);
const hosted = async () => idOf(await shop.create());
const code = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
];

describe('sandbox endpoints', () => {
  test(
    proves('a payment without a customer gets the ordered outcome, once per key', 'SANDBOX-01', 'SANDBOX-02'),
    async () => {
      const id = await hosted();
      const key = randomUUID();
      const paid = await simulate(id, 'outcome', { outcome: 'paid', method: 'pix' }, key);
      expect(dataOf(paid)).toMatchObject({ id, status: 'paid', method: 'pix', checkoutUrl: null });
      const replay = await simulate(id, 'outcome', { outcome: 'paid', method: 'pix' }, key);
      expect([replay.status, replay.text]).toEqual([200, paid.text]);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(code(await simulate(id, 'outcome', { outcome: 'failed' }, key))).toEqual([
        409,
        'idempotency_key_reused',
      ]);
      expect((await ledger(world.networkUrl, id)).charges).toHaveLength(1);
      expect(code(await simulate(id, 'outcome', { outcome: 'paid' }))).toEqual([410, 'checkout_expired']);
    },
  );

  test.each([
    [{ outcome: 'failed' }, { status: 'failed', failureCode: 'lost_card' }],
    [
      { outcome: 'failed', failureCode: 'stolen_card' },
      { status: 'failed', failureCode: 'stolen_card' },
    ],
    [
      { outcome: 'failed', failureCode: 'insufficient_funds' },
      { status: 'pending', failureCode: null },
    ],
    [{ outcome: 'requiresAction' }, { status: 'requiresAction', method: 'card' }],
    [
      { outcome: 'requiresAction', method: 'wallet' },
      { status: 'requiresAction', method: 'wallet' },
    ],
    [{ outcome: 'processing' }, { status: 'pending' }],
  ])(proves('%j makes the payment %j', 'PSTATE-02 to PSTATE-05'), async (body, expected) => {
    const id = await hosted();
    expect(dataOf(await simulate(id, 'outcome', body))).toMatchObject(expected);
    expect((await ledger(world.networkUrl, id)).charges).toHaveLength(1);
  });

  test('custom payments can be decided without a card too, and continue with one after a decline', async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id);
    await simulate(id, 'outcome', { outcome: 'failed', failureCode: 'card_declined' });
    expect(await shop.status(id)).toMatchObject({ status: 'failed_retryable', attemptsLeft: 4 });
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    expect(
      code(await simulate(await shop.customPayment(), 'outcome', { outcome: 'paid', method: 'pix' })),
    ).toEqual([422, 'validation_failed']);
  });

  test('an attempt that is processing is decided later, by a second order or after the seconds asked for', async () => {
    const first = await hosted();
    await simulate(first, 'outcome', { outcome: 'processing' });
    expect(dataOf(await simulate(first, 'outcome', { outcome: 'paid' }))).toMatchObject({ status: 'paid' });
    expect((await ledger(world.networkUrl, first)).charges).toHaveLength(1);
    const second = await hosted();
    const ordered = dataOf(await simulate(second, 'outcome', { outcome: 'paid', afterSeconds: 3 }));
    expect(ordered['status']).toBe('pending');
    await untilField(shop, `/v1/payments/${second}`, 'status', 'paid');
  });

  test.each([
    ['authenticated', 'paid', 409],
    ['failed', 'pending', 409],
    ['abandoned', 'requiresAction', 200],
  ])('a challenge that is %s leaves the payment %s; a second answer is %s', async (result, status, again) => {
    const id = await shop.customPayment();
    await shop.pay(id, await shop.captureCard(id, '4000000000003220'));
    expect(dataOf(await simulate(id, 'challenge', { result }))).toMatchObject({ status });
    expect((await simulate(id, 'challenge', { result })).status).toBe(again);
  });

  test('advance-clock moves the deadlines of one payment through its workflow, once per key', async () => {
    const id = await shop.customPayment();
    const other = await shop.customPayment();
    const before = Date.parse(String((await shop.read(id))['expiresAt']));
    const key = randomUUID();
    const moved = await simulate(id, 'advance-clock', { bySeconds: 600 }, key);
    expect(Date.parse(String(dataOf(moved)['expiresAt']))).toBe(before - 600_000);
    expect((await simulate(id, 'advance-clock', { bySeconds: 600 }, key)).text).toBe(moved.text);
    expect(Date.parse(String((await shop.status(id))['expiresAt']))).toBe(before - 600_000);
    expect(code(await shop.capture(id))).toEqual([410, 'checkout_expired']);
    expect((await shop.capture(other)).status).toBe(200);
    const over = await simulate(id, 'advance-clock', { bySeconds: 1200 });
    expect(dataOf(over)).toMatchObject({ status: 'pending', checkoutUrl: null });
    expect(await shop.status(id)).toMatchObject({ status: 'expired', terminalReason: 'checkout_expired' });
    expect(code(await simulate(id, 'advance-clock', { bySeconds: 1 }))).toEqual([410, 'checkout_expired']);
  });

  test('moving the clock during the end of a checkout moves it or is refused because it is over', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, hosted));
    const answers = await Promise.all(
      ids.flatMap((id) =>
        [600, 1_800, 1_800, 1].map((bySeconds) => simulate(id, 'advance-clock', { bySeconds })),
      ),
    );
    const refusals = answers.map(code).filter(([status]) => status !== 200);
    for (const refused of refusals) expect(refused).toEqual([410, 'checkout_expired']);
  });

  test('a late success follows the moved deadline: the checkout expires, then the payment is paid', async () => {
    const id = await hosted();
    await keyed(shop, '/v1/sandbox/faults', {
      target: 'network',
      mode: 'lateSuccess',
      count: 1,
      paymentId: id,
    });
    const silent = simulate(id, 'outcome', { outcome: 'processing' });
    await eventually(async () =>
      (await ledger(world.networkUrl, id)).charges.length === 1 ? true : undefined,
    );
    await simulate(id, 'advance-clock', { bySeconds: 1800 });
    const { rows } = await world.database.query(
      'SELECT checkout_status AS status, terminal_reason AS reason FROM payments WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ status: 'expired', reason: 'checkout_expired' }]);
    await untilField(shop, `/v1/payments/${id}`, 'status', 'paid');
    expect((await ledger(world.networkUrl, id)).charges.map(({ status }) => status)).toEqual(['captured']);
    await silent;
  });

  test('refund outcomes: pending succeeds now, succeeded fails late, failed stays failed', async () => {
    const id = await paidPayment(shop);
    const refundId = idOf(await refund(shop, id, { amountCents: 900 }));
    const order = (body: Record<string, unknown>, key?: string) =>
      keyed(shop, `/v1/sandbox/refunds/${refundId}/outcome`, body, key);
    expect(dataOf(await order({ outcome: 'succeeded' }))).toMatchObject({ status: 'succeeded' });
    const key = randomUUID();
    const failed = await order({ outcome: 'failed', failureCode: 'account_closed' }, key);
    expect(dataOf(failed)).toMatchObject({ status: 'failed', failureCode: 'account_closed' });
    expect((await order({ outcome: 'failed', failureCode: 'account_closed' }, key)).text).toBe(failed.text);
    expect(await shop.read(id)).toMatchObject({ status: 'paid', refundedCents: 0, refundedAt: null });
    expect(code(await order({ outcome: 'succeeded' }))).toEqual([409, 'sandbox_not_applicable']);
  });

  test.each([
    [true, 'refused'],
    [false, 'asked for again'],
  ])(
    'an order for a refund that the network does not have, canceled since: %j, is %s',
    async (isCanceled, expected) => {
      const activities = createSandboxActivities({
        controls: partial<SandboxControls>({ simulateRefund: async () => 'unknown' }),
        isRefundCanceled: async () => isCanceled,
      });
      const order = {
        merchantId: 'm',
        type: 'refundOutcome',
        refundId: 'r',
        outcome: 'succeeded',
        failureCode: null,
      } as const;
      const ordered = new MockActivityEnvironment().run(() =>
        activities.runSandboxOrder({ operationId: 'o', order }),
      );
      const answer = await ordered.then(
        (result) => (result as SandboxResult).status,
        () => 'asked for again',
      );
      expect(answer).toBe(expected);
    },
  );

  test('faults: an injected fault applies to the payment it names and no other', async () => {
    const [struck, spared] = [await shop.customPayment(), await shop.customPayment()];
    const key = randomUUID();
    const body = { target: 'network', mode: 'lostResponse', count: 1, paymentId: struck };
    const ordered = await keyed(shop, '/v1/sandbox/faults', body, key);
    expect(dataOf(ordered)).toEqual(body);
    expect((await keyed(shop, '/v1/sandbox/faults', body, key)).text).toBe(ordered.text);
    expect((await shop.pay(spared, await shop.captureCard(spared))).body.data).toMatchObject({
      status: 'paid',
    });
    expect((await shop.pay(struck, await shop.captureCard(struck))).status).toBe(503);
    await untilField(shop, `/v1/payments/${struck}`, 'status', 'paid');
    expect((await ledger(world.networkUrl, struck)).charges).toHaveLength(1);
    const vault = { target: 'vault', mode: 'error', paymentId: await shop.customPayment() };
    expect((await keyed(shop, '/v1/sandbox/faults', vault)).status).toBe(200);
    expect((await shop.capture(vault.paymentId)).status).toBe(503);
    expect((await shop.capture(vault.paymentId)).status).toBe(200);
    for (const [wrong, field] of [
      [{ target: 'vault', mode: 'lateSuccess' }, 'mode'],
      [{ target: 'moon', mode: 'error' }, 'target'],
      [{ target: 'network', mode: 'error', count: 0 }, 'count'],
      [{ target: 'network', mode: 'error', paymentId: 'x' }, 'paymentId'],
    ] as const) {
      const answer = await keyed(shop, '/v1/sandbox/faults', wrong);
      expect([answer.status, answer.body.error?.field]).toEqual([422, field]);
    }
    const foreign = { target: 'network', mode: 'error', paymentId: randomUUID() };
    expect(code(await keyed(shop, '/v1/sandbox/faults', foreign))).toEqual([404, 'not_found']);
  });

  test('faults: a fault without a payment id applies to the own sandbox only, never to another merchant or live', async () => {
    const orderer = await world.merchant();
    const ordering = new Shop(world.baseUrl, await world.key(orderer, 'sandbox'));
    const others = {
      own: ordering,
      live: new Shop(world.baseUrl, await world.key(orderer, 'live')),
      strangersLive: liveShop,
      stranger: shop,
    };
    for (const target of ['network', 'vault'] as const) {
      const body = { target, mode: 'error', count: 1 };
      expect((await keyed(ordering, '/v1/sandbox/faults', body)).status).toBe(200);
    }
    for (const other of [others.live, others.strangersLive, others.stranger]) {
      const id = await other.customPayment();
      expect((await other.pay(id, await other.captureCard(id))).body.data).toMatchObject({ status: 'paid' });
    }
    const id = await others.own.customPayment();
    expect((await others.own.capture(id)).status).toBe(503);
    const struck = await others.own.pay(id, await others.own.captureCard(id));
    expect(struck.status).toBe(503);
  });

  test(
    proves(
      'requires a key: no key is 401, and a live key gets 404 and has no effect',
      'SANDBOX-02',
      'SANDBOX-03',
      'AMB-48',
    ),
    async () => {
      const id = await hosted();
      const live = idOf(await liveShop.create());
      const paths: [string, Record<string, unknown>][] = [
        [`/v1/sandbox/payments/${id}/outcome`, { outcome: 'paid' }],
        [`/v1/sandbox/payments/${id}/challenge`, { result: 'failed' }],
        [`/v1/sandbox/payments/${id}/advance-clock`, { bySeconds: 60 }],
        [`/v1/sandbox/payments/${id}/disputes`, { reason: 'fraudulent' }],
        [`/v1/sandbox/disputes/${id}/resolve`, { outcome: 'won' }],
        [`/v1/sandbox/refunds/${id}/outcome`, { outcome: 'failed' }],
        ['/v1/sandbox/faults', { target: 'vault', mode: 'error' }],
      ];
      for (const [path, body] of paths) {
        expect(code(await shop.call('POST', path, body))).toEqual([400, 'invalid_request']);
        for (const key of ['x'.repeat(15), 'x'.repeat(256)]) {
          expect(code(await keyed(shop, path, body, key))).toEqual([400, 'invalid_request']);
        }
        expect(code(await keyed(new Shop(world.baseUrl, 'wrong'), path, body))).toEqual([
          401,
          'unauthorized',
        ]);
        expect(code(await keyed(liveShop, path, body))).toEqual([404, 'not_found']);
        expect(code(await keyed(liveShop, path.replace(id, live), body))).toEqual([404, 'not_found']);
        expect(code(await keyed(shop, path, { ...body, extra: 1 }))).toEqual([422, 'validation_failed']);
      }
      for (const path of paths.map(([first]) => first).filter((one) => one.includes(id))) {
        const unknown = path.replace(id, randomUUID());
        const body = paths.find(([first]) => first === path)?.[1] ?? {};
        expect(code(await keyed(shop, unknown, body))).toEqual([404, 'not_found']);
      }
      expect(await shop.read(id)).toMatchObject({ status: 'pending' });
      expect(await liveShop.read(live)).toMatchObject({ status: 'pending' });
    },
  );

  test('a dispute can be opened over a paid amount only, and never over more than was paid', async () => {
    const unpaid = await hosted();
    expect(code(await simulate(unpaid, 'disputes', { reason: 'fraudulent' }))).toEqual([
      409,
      'sandbox_not_applicable',
    ]);
    const id = await paidPayment(shop);
    const tooMuch = await simulate(id, 'disputes', { reason: 'fraudulent', amountCents: 2501 });
    expect([tooMuch.status, tooMuch.body.error?.field]).toEqual([422, 'amountCents']);
    const key = randomUUID();
    const opened = await simulate(id, 'disputes', { reason: 'duplicate', dueInSeconds: 3600 }, key);
    expect([opened.status, dataOf(opened)['reason']]).toEqual([201, 'duplicate']);
    const replay = await simulate(id, 'disputes', { reason: 'duplicate', dueInSeconds: 3600 }, key);
    expect(replay.text).toBe(opened.text);
    await eventually(async () => ((await shop.read(id))['status'] === 'disputed' ? true : undefined));
    const listed = jsonBody(await shop.call('GET', `/v1/payments/${id}/disputes`)) as {
      meta: { total: number };
    };
    expect(listed.meta.total).toBe(1);
  });
});
