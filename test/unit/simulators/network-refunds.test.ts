import { World, type ErrorView, type RefundView } from '../../support/simulators.ts';

describe('refunds', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.skewMs = 0;
  });

  const refund = (key: string, json: Record<string, unknown>) =>
    world.service('/v1/refunds', { json, headers: { 'idempotency-key': key } });
  const lookup = async (key: string) => (await world.service(`/v1/refunds/${key}`)).json<RefundView>();
  /** Returns a captured charge of 25.00, and a function for the body that refunds `amountCents` of it. */
  const paid = async (number = '4242424242424242') => {
    const { key, session } = await world.pay(number);
    const { paymentId } = session;
    return { key, paymentId, body: (amountCents: number) => ({ paymentId, chargeKey: key, amountCents }) };
  };

  it('refunds a charge and shows the refund in the ledger', async () => {
    const { key, paymentId, body } = await paid();
    const answer = await refund(`r-${paymentId}`, body(1_000));
    expect(answer.json()).toMatchObject({
      chargeKey: key,
      amountCents: 1_000,
      status: 'succeeded',
      failureCode: null,
    });
    expect((await world.ledger(paymentId)).refunds).toEqual([answer.json()]);
    expect(await lookup(`r-${paymentId}`)).toEqual(answer.json());
  });

  it('twenty concurrent refunds under one key are one refund', async () => {
    const { paymentId, body } = await paid();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refund(`r-${paymentId}`, body(1_000))),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await world.ledger(paymentId)).refunds).toHaveLength(1);
  });

  it('twenty concurrent refunds never exceed the captured amount', async () => {
    const { paymentId, body } = await paid();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => refund(`r${n}-${paymentId}`, body(400))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    const { refunds } = await world.ledger(paymentId);
    expect(refunds.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(2_400);
  });

  it('another body under a used key is 409', async () => {
    const { paymentId, body } = await paid();
    await refund(`r-${paymentId}`, body(1_000));
    const answer = await refund(`r-${paymentId}`, body(1_001));
    expect([answer.status, answer.json<ErrorView>().error.code]).toEqual([409, 'idempotency_key_reused']);
  });

  it('an uncaptured charge, an unknown one and one of another payment are refused', async () => {
    const declined = await paid('4000000000000002');
    const other = await paid();
    const answers = [
      await refund('a', declined.body(1)),
      await refund('b', { ...other.body(1), chargeKey: 'unknown:1' }),
      await refund('c', { ...other.body(1), paymentId: declined.paymentId }),
    ];
    expect(answers.map((answer) => [answer.status, answer.json<ErrorView>().error.code])).toEqual([
      [409, 'charge_not_refundable'],
      [404, 'charge_not_found'],
      [404, 'charge_not_found'],
    ]);
  });

  it('4000000000007726: the refund is pending, counts as refunded, and succeeds about three seconds later', async () => {
    const { paymentId, body } = await paid('4000000000007726');
    const key = `r-${paymentId}`;
    expect((await refund(key, body(2_500))).json()).toMatchObject({ status: 'pending' });
    expect((await refund(`${key}-2`, body(1))).status).toBe(409);
    world.skewMs = 2_000;
    expect(await lookup(key)).toMatchObject({ status: 'pending' });
    world.skewMs = 3_500;
    expect(await lookup(key)).toMatchObject({ status: 'succeeded', failureCode: null });
  });

  it('4000000000005126: the refund succeeds, fails about three seconds later, and the amount can be refunded again', async () => {
    const { paymentId, body } = await paid('4000000000005126');
    const key = `r-${paymentId}`;
    expect((await refund(key, body(2_500))).json()).toMatchObject({ status: 'succeeded' });
    world.skewMs = 3_500;
    expect(await lookup(key)).toMatchObject({ status: 'failed', failureCode: 'refund_rejected' });
    expect((await refund(`${key}-2`, body(2_500))).status).toBe(200);
  });

  it('a void of an unknown key is a tombstone that blocks refunds; a known refund is not changed by it', async () => {
    const { paymentId, body } = await paid();
    const key = `r-${paymentId}`;
    const voided = { status: 'failed', failureCode: 'voided' };
    expect((await world.service(`/v1/refunds/${key}/void`, { json: body(1_000) })).json()).toMatchObject(
      voided,
    );
    expect((await refund(key, body(1_000))).json()).toMatchObject(voided);
    expect((await refund(`${key}-2`, body(2_500))).json()).toMatchObject({ status: 'succeeded' });
    const kept = await world.service(`/v1/refunds/${key}-2/void`, { json: body(2_500) });
    expect(kept.json()).toMatchObject({ status: 'succeeded' });
  });

  it('an ordered outcome changes a refund, but not a failed one', async () => {
    const { paymentId, body } = await paid('4000000000007726');
    const key = `r-${paymentId}`;
    await refund(key, body(1_000));
    const order = (json: object) => world.service(`/v1/simulate/refunds/${key}`, { json });
    expect((await order({ outcome: 'failed', failureCode: 'account_closed' })).json()).toMatchObject({
      status: 'failed',
      failureCode: 'account_closed',
    });
    expect((await order({ outcome: 'succeeded' })).status).toBe(409);
    world.skewMs = 4_000;
    expect(await lookup(key)).toMatchObject({ status: 'failed' });
  });

  it('an unknown refund is 404', async () => {
    expect((await world.service('/v1/refunds/unknown')).status).toBe(404);
    expect(
      (await world.service('/v1/simulate/refunds/unknown', { json: { outcome: 'failed' } })).status,
    ).toBe(404);
  });
});
