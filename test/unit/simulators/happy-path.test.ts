import { call, until, World, type ChargeView } from '../../support/simulators.ts';

describe('a sandbox payment through both simulators', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it('a captured card is claimed, charged once and found in the ledger', async () => {
    const { session, token } = await world.token('4242424242424242');
    expect(await world.ledger(session.paymentId)).toEqual({ charges: [], refunds: [] });
    expect(await world.claim(session, token)).toMatchObject({
      status: 'accepted',
      card: { brand: 'visa', last4: '4242', bin: '424242', issuer: { countryCode: 'US', regulated: 'no' } },
    });
    const key = `${session.paymentId}:1`;
    const answer = await world.charge(key, world.chargeBody(session, token));
    expect(answer.status).toBe(200);
    const charge = answer.json<ChargeView>();
    expect(charge).toMatchObject({
      key,
      status: 'captured',
      failureCode: null,
      message: null,
      action: null,
      card: { brand: 'visa', last4: '4242' },
    });
    expect(await world.lookup(key)).toEqual(charge);
    const { charges } = await world.ledger(session.paymentId);
    expect(charges).toEqual([
      {
        chargeId: charge.chargeId,
        paymentId: session.paymentId,
        attemptId: charge.attemptId,
        amountCents: 2500,
        status: 'captured',
        createdAt: charge.createdAt,
      },
    ]);
  });

  it('a challenge that is approved is captured by the confirm, not before', async () => {
    const { key, session, charge } = await world.pay('4000000000003220');
    expect(charge.status).toBe('requires_action');
    const url = charge.action?.url ?? '';
    const page = await call(url);
    expect(page.text).toContain('data-testid="challenge-approve"');
    expect((await world.confirm(key)).status).toBe('requires_action');
    const approved = await call(url, { form: { result: 'approve' } });
    expect([approved.status, approved.headers.location]).toEqual([303, 'http://127.0.0.1:9/return']);
    expect((await world.lookup(key)).status).toBe('requires_action');
    expect((await world.confirm(key)).status).toBe('captured');
    const captured = await until(async () => (await world.ledger(session.paymentId)).charges[0]);
    expect(captured.status).toBe('captured');
  });
});
