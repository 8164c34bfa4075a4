import { call, rawFiles, until, World } from '../../support/simulators.ts';

/** The table of test cards, card by card. */
describe('test cards at the network', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const statuses = async (paymentId: string): Promise<string[]> =>
    (await world.ledger(paymentId)).charges.map(({ status }) => status);

  it.each([
    ['4242424242424242', 'visa', '4242'],
    ['5555555555554444', 'mastercard', '4444'],
    ['378282246310005', 'amex', '0005'],
    ['4000000000007726', 'visa', '7726'],
    ['4000000000005126', 'visa', '5126'],
  ])('%s is paid', async (number, brand, last4) => {
    const { charge, session } = await world.pay(number);
    expect(charge).toMatchObject({ status: 'captured', failureCode: null, card: { brand, last4 } });
    expect(charge).not.toHaveProperty('retryable');
    expect(await statuses(session.paymentId)).toEqual(['captured']);
  });

  it.each([
    ['4000000000000002', 'declined', 'card_declined', true],
    ['4000000000000119', 'declined', 'processing_error', true],
    ['4000000000009987', 'failed', 'lost_card', false],
  ])('%s is %s with %s each time', async (number, status, failureCode, retryable) => {
    const { charge, session, token } = await world.pay(number);
    expect(charge).toMatchObject({
      status,
      failureCode,
      retryable,
      message: expect.stringMatching(/.+/),
      action: null,
    });
    const second = await world.charge(`${session.paymentId}:2`, world.chargeBody(session, token));
    expect(second.json()).toMatchObject({ status, failureCode });
    expect(await statuses(session.paymentId)).toEqual(['declined', 'declined']);
  });

  it('4000000000009995 declines the first attempt for insufficient_funds and pays the second', async () => {
    const { charge, session, token, key } = await world.pay('4000000000009995');
    expect(charge).toMatchObject({ status: 'declined', failureCode: 'insufficient_funds', retryable: true });
    const second = await world.charge(`${session.paymentId}:2`, world.chargeBody(session, token));
    expect(second.json()).toMatchObject({ status: 'captured' });
    expect(await world.lookup(key)).toEqual(charge);
    expect(await statuses(session.paymentId)).toEqual(['declined', 'captured']);
  });

  it('4000000000003220 asks for a challenge, then pays', async () => {
    const { charge, key, session } = await world.pay('4000000000003220');
    expect(charge).toMatchObject({
      status: 'requires_action',
      action: {
        kind: 'threeDS',
        clientSecret: expect.stringMatching(/^tds_\w{43}$/),
        publishableKey: 'pk_sandbox_simulator',
        url: expect.stringMatching(/\/challenge\/[0-9A-Za-z]{32}$/),
      },
    });
    expect(await statuses(session.paymentId)).toEqual(['pending']);
    await call(charge.action?.url ?? '', { form: { result: 'approve' } });
    expect(await world.confirm(key)).toMatchObject({ status: 'captured', action: null });
    expect(await world.confirm(key)).toMatchObject({ status: 'captured' });
    expect(await statuses(session.paymentId)).toEqual(['captured']);
  });

  it('4000008400001629 asks for a challenge, then declines authentication_failed, retryable', async () => {
    const { charge, key, session } = await world.pay('4000008400001629');
    await call(charge.action?.url ?? '', { form: { result: 'approve' } });
    const declined = { status: 'declined', failureCode: 'authentication_failed', retryable: true };
    expect(await world.confirm(key)).toMatchObject(declined);
    expect(await world.confirm(key)).toMatchObject(declined);
    expect(await statuses(session.paymentId)).toEqual(['declined']);
  });

  it('4000000000000259 is paid, then a fraudulent dispute opens', async () => {
    const { charge, session, key } = await world.pay('4000000000000259');
    expect(charge.status).toBe('captured');
    const dispute = await until(async () => (await world.disputes(session.paymentId))[0]);
    expect(dispute).toMatchObject({
      chargeKey: key,
      reason: 'fraudulent',
      stage: 'chargeback',
      status: 'needsResponse',
      amountCents: 2_500,
    });
    expect(await world.disputes(session.paymentId)).toHaveLength(1);
  });

  it('4000000000007007 charges and loses the answer: the lookup finds it paid, and the repeat too', async () => {
    const { session, token } = await world.token('4000000000007007');
    const key = `${session.paymentId}:1`;
    const body = world.chargeBody(session, token);
    await expect(world.charge(key, body)).rejects.toThrow(/other side closed|terminated/);
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
    expect((await world.charge(key, body)).json()).toMatchObject({ status: 'captured' });
    expect(await statuses(session.paymentId)).toEqual(['captured']);
  });

  it('4000000000007106 loses the answer and charges nothing: the lookup finds a retryable decline', async () => {
    const { session, token } = await world.token('4000000000007106');
    const key = `${session.paymentId}:1`;
    await expect(world.charge(key, world.chargeBody(session, token))).rejects.toThrow(
      /other side closed|terminated/,
    );
    expect(await world.lookup(key)).toMatchObject({
      status: 'declined',
      failureCode: 'processing_error',
      retryable: true,
    });
    expect(await statuses(session.paymentId)).toEqual(['declined']);
  });

  it('4000000000007205 gives no answer, is pending until two seconds after the deadline, then paid', async () => {
    const { session, token } = await world.token('4000000000007205');
    const key = `${session.paymentId}:1`;
    const checkoutExpiresAt = new Date(Date.now() + 60_000).toISOString();
    const body = world.chargeBody(session, token, { checkoutExpiresAt });
    const waiting = new AbortController();
    const unanswered = world.charge(key, body, { signal: waiting.signal }).catch(() => 'cut');
    await until(async () => (await statuses(session.paymentId))[0] === 'pending');
    waiting.abort();
    expect(await unanswered).toBe('cut');
    world.skewMs = 61_500;
    expect(await world.lookup(key)).toMatchObject({ status: 'pending', action: null });
    world.skewMs = 62_500;
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
    world.skewMs = 0;
    expect(await statuses(session.paymentId)).toEqual(['captured']);
  });

  it('4000000000007205 becomes paid by itself, without a reader', async () => {
    const { session, token } = await world.token('4000000000007205');
    const checkoutExpiresAt = new Date(Date.now() - 1_900).toISOString();
    const body = world.chargeBody(session, token, { checkoutExpiresAt });
    await world
      .charge(`${session.paymentId}:1`, body, { signal: AbortSignal.timeout(300) })
      .catch(() => null);
    const lines = async () =>
      (await rawFiles(world)).split('\n').filter((line) => line.includes(session.paymentId));
    expect(await until(async () => (await lines()).find((line) => line.includes('"captured"')))).toContain(
      'lateSuccess',
    );
  });

  it('4000000000007304 answers only when it is paid; until then it is pending', async () => {
    const { session, token } = await world.token('4000000000007304');
    const key = `${session.paymentId}:1`;
    const body = world.chargeBody(session, token);
    const answer = world.charge(key, body);
    await until(async () => (await statuses(session.paymentId))[0] === 'pending');
    const repeat = world.charge(key, body);
    const answered: number[] = [];
    void answer.then(({ status }) => answered.push(status));
    world.skewMs = 4_000;
    expect(await world.lookup(key)).toMatchObject({ status: 'pending' });
    expect(answered).toEqual([]);
    world.skewMs = 5_000;
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
    expect((await answer).json()).toMatchObject({ status: 'captured' });
    expect((await repeat).json()).toMatchObject({ status: 'captured' });
    world.skewMs = 0;
    expect(await statuses(session.paymentId)).toEqual(['captured']);
  });

  it('4000000000007304 is paid although its caller is gone', async () => {
    const { session, token } = await world.token('4000000000007304');
    const key = `${session.paymentId}:1`;
    const body = world.chargeBody(session, token);
    await expect(world.charge(key, body, { signal: AbortSignal.timeout(300) })).rejects.toThrow(/timeout/);
    expect(await world.lookup(key)).toMatchObject({ status: 'pending' });
    world.skewMs = 5_000;
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
    world.skewMs = 0;
  });

  it('4000000000007403 is never charged, because the vault does not release it', async () => {
    const { session, token } = await world.token('4000000000007403');
    const answer = await world.charge(`${session.paymentId}:1`, world.chargeBody(session, token));
    expect([answer.status, answer.json()]).toEqual([
      422,
      { error: { code: 'card_token_rejected', message: expect.any(String) } },
    ]);
    expect(await statuses(session.paymentId)).toEqual([]);
  });
});
