import { call, rawFiles, until, World } from '../../support/simulators.ts';

describe('a restart of the network during a payment', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.stop());

  /** Sends a charge whose caller does not wait for the answer. */
  const sendOff = async (number: string, over: Record<string, unknown> = {}) => {
    const { session, token } = await world.token(number);
    const key = `${session.paymentId}:1`;
    const waiting = new AbortController();
    const body = world.chargeBody(session, token, over);
    const answer = world.charge(key, body, { signal: waiting.signal }).catch(() => null);
    await until(async () => (await world.ledger(session.paymentId)).charges[0]);
    return { key, session, body, answer };
  };

  it('7304: the running charge is captured at the start, and its key still returns it', async () => {
    const { key, session, body, answer } = await sendOff('4000000000007304');
    await world.restartNetwork();
    expect(await answer).toBeNull();
    const repeat = await world.charge(key, body);
    expect(repeat.json()).toMatchObject({ status: 'captured' });
    expect((await world.ledger(session.paymentId)).charges).toMatchObject([{ status: 'captured' }]);
  });

  it('7304: it is captured at the start even without a query', async () => {
    const { key } = await sendOff('4000000000007304');
    await world.restartNetwork();
    const lines = async () =>
      (await rawFiles(world)).split('\n').filter((line) => line.includes(`"k":"${key}"`));
    expect(await until(async () => (await lines()).find((line) => line.includes('"captured"')))).toContain(
      'slow',
    );
  });

  it('7205: it stays pending, and the late success still comes', async () => {
    const { key, body } = await sendOff('4000000000007205', {
      checkoutExpiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    await world.restartNetwork();
    expect(await world.lookup(key)).toMatchObject({ status: 'pending' });
    expect((await world.charge(key, body)).json()).toMatchObject({ status: 'pending' });
    world.skewMs = 62_500;
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
  });

  it('7205: a late success that fell due while the network was down is there when it is back', async () => {
    const { key } = await sendOff('4000000000007205', {
      checkoutExpiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    await world.network.close();
    world.skewMs = 120_000;
    await world.startNetwork();
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
  });

  it("a challenge keeps its page and the customer's answer", async () => {
    const { key, charge } = await world.pay('4000000000003220');
    await world.restartNetwork();
    const path = new URL(charge.action?.url ?? '').pathname;
    expect((await call(world.networkUrl + path)).text).toContain('challenge-approve');
    expect((await call(world.networkUrl + path, { form: { result: 'approve' } })).status).toBe(303);
    await world.restartNetwork();
    expect((await call(world.networkUrl + path)).text).toContain('This step is done');
    expect(await world.confirm(key)).toMatchObject({ status: 'captured' });
  });

  it('a captured charge, a tombstone and a refund are the same after a restart', async () => {
    const { key, session, charge } = await world.pay('4242424242424242');
    const unused = await world.session();
    const voided = await world.void(`${unused.paymentId}:1`, unused);
    const refund = await world.service('/v1/refunds', {
      json: { paymentId: session.paymentId, chargeKey: key, amountCents: 1_000 },
      headers: { 'idempotency-key': 'ref_1' },
    });
    await world.restartNetwork();
    expect(await world.lookup(key)).toEqual(charge);
    expect(await world.lookup(`${unused.paymentId}:1`)).toEqual(voided);
    expect((await world.service('/v1/refunds/ref_1')).text).toBe(refund.text);
  });

  it('9995: the second attempt is paid although the first was before the restart', async () => {
    const { session, token } = await world.pay('4000000000009995');
    await world.restartNetwork();
    const second = await world.charge(`${session.paymentId}:2`, world.chargeBody(session, token));
    expect(second.json()).toMatchObject({ status: 'captured' });
  });

  it('0259: the dispute opens once, also when the restart comes between the charge and the dispute', async () => {
    const { session } = await world.pay('4000000000000259');
    await world.restartNetwork();
    world.skewMs = 1_500;
    expect(await world.disputes(session.paymentId)).toHaveLength(1);
    await world.restartNetwork();
    expect(await world.disputes(session.paymentId)).toHaveLength(1);
  });

  it('an outcome that was ordered for an unused key is kept', async () => {
    const session = await world.session();
    const key = `${session.paymentId}:1`;
    await world.service(`/v1/simulate/charges/${key}`, {
      json: { outcome: 'declined', failureCode: 'stolen_card' },
    });
    await world.restartNetwork();
    const answer = await world.charge(key, world.chargeBody(session, '', { cardToken: undefined }));
    expect(answer.json()).toMatchObject({ status: 'declined', failureCode: 'stolen_card', card: null });
  });
});
