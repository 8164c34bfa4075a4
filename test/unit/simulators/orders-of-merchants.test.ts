import { type TestSession, World } from '../../support/simulators.ts';

const VISA = '4242424242424242';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(async () => {
  world.skewMs = 0;
  await world.service('/v1/faults', { method: 'DELETE' });
  await world.service('/service/faults', { method: 'DELETE' });
});

const victims = [
  { merchantId: 'mer_2', environment: 'sandbox' },
  { merchantId: 'mer_1', environment: 'live' },
  { merchantId: 'mer_2', environment: 'live' },
];
const code = (answer: { status: number; text: string }) =>
  `${answer.status} ${(JSON.parse(answer.text) as { error?: { code: string } }).error?.code ?? ''}`.trim();

const chargeOf = (session: TestSession, token: string, over: Record<string, unknown> = {}) =>
  world.charge(`${session.paymentId}:1`, world.chargeBody(session, token, over));

describe.each(victims)('orders of sandbox merchant mer_1 and $environment of $merchantId', (victim) => {
  it('a fault without a payment does not affect other merchants', async () => {
    const { session, token } = await world.token(VISA, victim);
    for (const path of ['/v1/faults', '/service/faults'])
      await world.service(path, { json: { mode: 'error', count: 1, merchantId: 'mer_1' } });
    expect((await world.session(victim)).captureUrl).toContain('/capture/');
    expect(await world.claim(session, token)).toMatchObject({ status: 'accepted' });
    expect((await chargeOf(session, token)).json()).toMatchObject({ status: 'captured' });
    const own = await world.token(VISA, { merchantId: 'mer_1' }).catch(() => null);
    expect(own).toBeNull();
  });

  it('an outcome for a key that is not charged yet is not used', async () => {
    const { session, token } = await world.token(VISA, victim);
    const json = { merchantId: 'mer_1', outcome: 'failed' };
    await world.service(`/v1/simulate/charges/${session.paymentId}:1`, { json });
    expect((await chargeOf(session, token)).json()).toMatchObject({ status: 'captured' });
  });

  it('outcomes, challenges, refunds and disputes are refused, and a clock moves nothing', async () => {
    const { session, token } = await world.token('4000000000003220', victim);
    const key = `${session.paymentId}:1`;
    expect((await chargeOf(session, token)).json()).toMatchObject({ status: 'requires_action' });
    const order = (path: string, json: object, idempotencyKey = 'k') =>
      world.service(`/v1/simulate/${path}`, {
        json: { merchantId: 'mer_1', ...json },
        headers: { 'idempotency-key': `${idempotencyKey}-${session.paymentId}` },
      });
    const refused = '409 not_in_this_sandbox';
    expect(code(await order(`charges/${key}`, { outcome: 'failed' }))).toBe(refused);
    expect(code(await order(`challenges/${key}`, { result: 'failed' }))).toBe(refused);
    const { paymentId } = session;
    const checkoutExpiresAt = new Date(Date.now() - 1_000).toISOString();
    const moved = await order('clock', { paymentId, checkoutExpiresAt });
    expect(moved.json()).toEqual({ charges: [] });

    const paid = await world.token(VISA, { ...victim, paymentId: `${paymentId}-paid` });
    const paidKey = `${paid.session.paymentId}:1`;
    await chargeOf(paid.session, paid.token);
    const dispute = { paymentId: paid.session.paymentId, reason: 'fraud' };
    expect(code(await order('disputes', dispute))).toBe(refused);
    const refundKey = `refund-${paymentId}`;
    await world.service('/v1/refunds', {
      json: { paymentId: paid.session.paymentId, chargeKey: paidKey, amountCents: 100 },
      headers: { 'idempotency-key': refundKey },
    });
    expect(code(await order(`refunds/${refundKey}`, { outcome: 'failed' }))).toBe(refused);
    expect((await world.service(`/v1/refunds/${refundKey}`)).json()).toMatchObject({ status: 'succeeded' });
  });
});

describe('orders without a merchant', () => {
  it.each(['/v1/faults', '/service/faults'])('a fault without a merchant is refused: %s', async (path) => {
    expect(code(await world.service(path, { json: { mode: 'error', count: 1 } }))).toBe(
      '400 invalid_request',
    );
  });

  it('do not reach live payments', async () => {
    const { session, token } = await world.token(VISA, { environment: 'live' });
    await world.service('/v1/faults', {
      json: { mode: 'error', count: 1, paymentId: session.paymentId },
    });
    const key = `${session.paymentId}:1`;
    await world.service(`/v1/simulate/charges/${key}`, { json: { outcome: 'failed' } });
    expect((await chargeOf(session, token)).json()).toMatchObject({ status: 'captured' });
  });
});

it('the waiting faults of one merchant leave room for those of another', async () => {
  const order = (merchantId: string) =>
    world.service('/v1/faults', { json: { mode: 'slow', count: 1, merchantId } });
  for (let each = 0; each < 100; each += 1) await order('mer_1');
  expect([(await order('mer_1')).status, (await order('mer_2')).status]).toEqual([409, 200]);
});
