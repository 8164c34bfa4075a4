import { call, until, World, type ErrorView } from '../../support/simulators.ts';

const VISA = '4242424242424242';
const CUT = /other side closed|terminated/;

describe('ordered outcomes', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.skewMs = 0;
  });

  const order = (key: string, json: object) =>
    world.service(`/v1/simulate/charges/${encodeURIComponent(key)}`, { json });

  it.each([
    ['captured', { status: 'captured', failureCode: null }],
    ['declined', { status: 'declined', failureCode: 'card_declined' }],
    ['failed', { status: 'failed', failureCode: 'lost_card' }],
    ['pending', { status: 'pending', failureCode: null }],
    ['requires_action', { status: 'requires_action', action: { kind: 'threeDS' } }],
  ])('an outcome ordered before the charge is its outcome: %s', async (outcome, expected) => {
    const { session, token } = await world.token('4000000000000002');
    const key = `${session.paymentId}:1`;
    expect((await order(key, { outcome })).status).toBe(202);
    expect((await world.charge(key, world.chargeBody(session, token))).json()).toMatchObject(expected);
  });

  it('an ordered charge needs no card', async () => {
    const session = await world.session();
    const key = `${session.paymentId}:1`;
    await order(key, { outcome: 'captured' });
    const answer = await world.charge(key, world.chargeBody(session, '', { cardToken: undefined }));
    expect(answer.json()).toMatchObject({ status: 'captured', card: null });
  });

  it('an outcome ordered for later is pending until then', async () => {
    const { session, token } = await world.token(VISA);
    const key = `${session.paymentId}:1`;
    await order(key, { outcome: 'failed', failureCode: 'fraud_suspected', afterSeconds: 30 });
    expect((await world.charge(key, world.chargeBody(session, token))).json()).toMatchObject({
      status: 'pending',
    });
    world.skewMs = 31_000;
    expect(await world.lookup(key)).toMatchObject({
      status: 'failed',
      failureCode: 'fraud_suspected',
      retryable: false,
    });
  });

  it('a charge names the instant of its capture, and shows ordered values instead of its own until then', async () => {
    const { key } = await world.pay('4000000000000002');
    expect(await world.lookup(key)).toMatchObject({ status: 'declined', capturedAt: null });
    const misreport = (json: object) =>
      world.service(`/v1/simulate/charges/${encodeURIComponent(key)}/misreport`, { json });
    const shown = {
      status: 'settled',
      currency: 'EUR',
      amountCents: 1,
      capturedAt: '2999-01-01T00:00:00.000Z',
    };
    expect((await misreport(shown)).json()).toMatchObject(shown);
    expect(await world.lookup(key)).toMatchObject(shown);
    expect((await misreport({})).json()).toMatchObject({ status: 'declined', currency: 'USD' });
    const captured = (await order(key, { outcome: 'captured' })).json<{
      createdAt: string;
      capturedAt: string;
    }>();
    expect(Date.parse(captured.capturedAt)).toBeGreaterThanOrEqual(Date.parse(captured.createdAt));
    const unknown = await world.service('/v1/simulate/charges/unknown/misreport', { json: {} });
    expect(unknown.status).toBe(404);
  });

  it('an open or declined charge takes another outcome, now or later', async () => {
    const { key } = await world.pay('4000000000003220');
    expect((await order(key, { outcome: 'declined', failureCode: 'expired_card' })).json()).toMatchObject({
      status: 'declined',
      failureCode: 'expired_card',
    });
    expect((await order(key, { outcome: 'captured', afterSeconds: 5 })).json()).toMatchObject({
      status: 'declined',
    });
    world.skewMs = 6_000;
    expect(await world.lookup(key)).toMatchObject({ status: 'captured', failureCode: null });
  });

  it('a captured or voided charge does not change', async () => {
    const { key } = await world.pay(VISA);
    const answer = await order(key, { outcome: 'declined' });
    expect([answer.status, answer.json<ErrorView>().error.code]).toEqual([409, 'charge_final']);
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
  });

  it.each([
    ['authenticated', 'captured'],
    ['failed', 'declined'],
    ['abandoned', 'requires_action'],
  ])('a challenge ordered %s is %s after the confirm', async (result, status) => {
    const { key } = await world.pay('4000000000003220');
    const path = `/v1/simulate/challenges/${encodeURIComponent(key)}`;
    expect((await world.service(path, { json: { result } })).json()).toMatchObject({
      status: 'requires_action',
    });
    expect(await world.confirm(key)).toMatchObject({ status });
  });

  it('a challenge is ordered only where one is open', async () => {
    const { key } = await world.pay(VISA);
    const path = (of: string) => `/v1/simulate/challenges/${encodeURIComponent(of)}`;
    expect((await world.service(path(key), { json: { result: 'failed' } })).status).toBe(409);
    expect((await world.service(path('unknown'), { json: { result: 'failed' } })).status).toBe(404);
  });

  it('moving the clock of a payment brings its late success and its page expiries nearer', async () => {
    const { session, token } = await world.token('4000000000007205');
    const key = `${session.paymentId}:1`;
    await world
      .charge(key, world.chargeBody(session, token), { signal: AbortSignal.timeout(200) })
      .catch(() => null);
    const wallet = world.chargeBody(session, '', { method: 'wallet', cardToken: undefined });
    world.tickMs = 1;
    await world.charge(`${session.paymentId}:2`, wallet);
    world.tickMs = 0;
    const checkoutExpiresAt = new Date(Date.now() - 1_000).toISOString();
    await world.service('/v1/simulate/clock', { json: { paymentId: session.paymentId, checkoutExpiresAt } });
    expect(await world.lookup(`${session.paymentId}:2`)).toMatchObject({
      status: 'declined',
      failureCode: 'wallet_declined',
    });
    expect(await world.lookup(key)).toMatchObject({ status: 'pending' });
    world.skewMs = 1_500;
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
  });
});

describe('ordered faults', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  afterEach(async () => {
    world.skewMs = 0;
    await world.service('/v1/faults', { method: 'DELETE' });
  });

  const fault = (json: object) => world.service('/v1/faults', { json: { merchantId: 'mer_1', ...json } });
  const ready = async () => {
    const { session, token } = await world.token(VISA);
    const key = `${session.paymentId}:1`;
    const body = world.chargeBody(session, token);
    return {
      key,
      session,
      send: (signal?: AbortSignal) => world.charge(key, body, signal ? { signal } : {}),
    };
  };

  it('timeout: nothing is charged and nothing is answered', async () => {
    const { key, session, send } = await ready();
    await fault({ mode: 'timeout', count: 1 });
    await expect(send(AbortSignal.timeout(300))).rejects.toThrow(/timeout/);
    expect((await world.service(`/v1/charges/${key}`)).status).toBe(404);
    expect((await send()).json()).toMatchObject({ status: 'captured' });
    expect((await world.ledger(session.paymentId)).charges).toHaveLength(1);
  });

  it('lostResponse: charged, and the connection is cut', async () => {
    const { key, send } = await ready();
    await fault({ mode: 'lostResponse', count: 1 });
    await expect(send()).rejects.toThrow(CUT);
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
  });

  it('error: 500 and nothing is charged, as often as ordered', async () => {
    const { session, send } = await ready();
    await fault({ mode: 'error', count: 2 });
    expect([(await send()).status, (await send()).status]).toEqual([500, 500]);
    expect((await world.ledger(session.paymentId)).charges).toEqual([]);
    expect((await send()).status).toBe(200);
  });

  it('lateSuccess: no answer, pending, paid after the deadline', async () => {
    const { key, send } = await ready();
    await fault({ mode: 'lateSuccess', count: 1 });
    await send(AbortSignal.timeout(300)).catch(() => null);
    expect(await world.lookup(key)).toMatchObject({ status: 'pending' });
    world.skewMs = 31 * 60_000;
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
  });

  it('a fault for one payment leaves the others alone', async () => {
    const hit = await ready();
    const spared = await ready();
    await fault({ mode: 'error', count: 1, paymentId: hit.session.paymentId });
    expect((await spared.send()).status).toBe(200);
    expect((await hit.send()).status).toBe(500);
  });

  it('an unknown mode, a count of 0 and too many waiting faults are refused', async () => {
    expect((await fault({ mode: 'explode', count: 1 })).status).toBe(400);
    expect((await fault({ mode: 'error', count: 0 })).status).toBe(400);
    const statuses = await Promise.all(
      Array.from(
        { length: 101 },
        async () => (await fault({ mode: 'slow', count: 1, paymentId: 'none' })).status,
      ),
    );
    expect(statuses.filter((status) => status === 409)).toHaveLength(1);
  });

  it('held connections are limited: the oldest is cut', async () => {
    const { Holds } = await import('../../../simulators/holds.ts');
    const { createServer } = await import('../../../simulators/server.ts');
    const holds = new Holds(2);
    const app = createServer({ log: () => undefined, flushed: async () => undefined });
    app.get('/hold', async (_request, reply) => {
      holds.hold(reply);
      return reply;
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const first = call(`${url}/hold`);
    await until(async () => holds.size === 1);
    const others = [call(`${url}/hold`), call(`${url}/hold`)].map((held) => held.catch(() => 'cut'));
    await expect(first).rejects.toThrow(CUT);
    expect(holds.size).toBe(2);
    holds.releaseAll();
    expect(await Promise.all(others)).toEqual(['cut', 'cut']);
    await app.close();
  });
});
