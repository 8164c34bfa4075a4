import { until, World, type DisputeView, type ErrorView } from '../../support/simulators.ts';

describe('disputes', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.skewMs = 0;
  });

  let calls = 0;
  const post = (path: string, json: unknown, key = `k${(calls += 1)}`) =>
    world.service(path, { json, headers: { 'idempotency-key': key } });
  const open = async (over: object = {}): Promise<DisputeView> => {
    const { session } = await world.pay('4242424242424242');
    const answer = await post('/v1/simulate/disputes', {
      paymentId: session.paymentId,
      reason: 'fraudulent',
      ...over,
    });
    return answer.json<DisputeView>();
  };
  const lookup = async (id: string) => (await world.service(`/v1/disputes/${id}`)).json<DisputeView>();
  const code = (answer: Awaited<ReturnType<typeof post>>) => [
    answer.status,
    answer.json<ErrorView>().error.code,
  ];

  it('an ordered dispute has the ordered values', async () => {
    const dispute = await open({
      reason: 'not_received',
      stage: 'inquiry',
      amountCents: 500,
      dueInSeconds: 60,
    });
    expect(dispute).toMatchObject({
      reason: 'not_received',
      stage: 'inquiry',
      amountCents: 500,
      status: 'needsResponse',
    });
    expect(Date.parse(dispute.evidenceDueAt) - Date.parse(dispute.createdAt)).toBe(60_000);
    expect(await world.disputes(dispute.paymentId)).toEqual([dispute]);
    expect(await lookup(dispute.disputeId)).toEqual(dispute);
  });

  it('the same key opens one dispute, another body under it is 409', async () => {
    const { session } = await world.pay('4242424242424242');
    const body = { paymentId: session.paymentId, reason: 'fraudulent' };
    const key = `d-${session.paymentId}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post('/v1/simulate/disputes', body, key)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await world.disputes(session.paymentId)).toHaveLength(1);
    expect(code(await post('/v1/simulate/disputes', { ...body, reason: 'other' }, key))).toEqual([
      409,
      'idempotency_key_reused',
    ]);
  });

  it('a payment without a captured charge cannot be disputed, nor for more than was captured', async () => {
    const declined = await world.pay('4000000000000002');
    const order = { paymentId: declined.session.paymentId, reason: 'fraudulent' };
    expect(code(await post('/v1/simulate/disputes', order))).toEqual([409, 'payment_not_captured']);
    const paid = await world.pay('4242424242424242');
    const tooMuch = { paymentId: paid.session.paymentId, reason: 'fraudulent', amountCents: 2_501 };
    expect((await post('/v1/simulate/disputes', tooMuch)).status).toBe(400);
  });

  it.each([
    ['won', { text: 'here is winning_evidence indeed' }],
    ['lost', { text: 'a', more: 'losing_evidence' }],
  ])('evidence decides: %s', async (status, evidence) => {
    const { disputeId } = await open();
    const answer = await post(`/v1/disputes/${disputeId}/evidence`, { evidence });
    expect(answer.json()).toMatchObject({ status: 'underReview' });
    world.skewMs = 1_500;
    expect(await lookup(disputeId)).toMatchObject({ status });
  });

  it('other evidence stays under review; submitting it twice with one key is once, with another key 409', async () => {
    const { disputeId } = await open();
    const path = `/v1/disputes/${disputeId}/evidence`;
    await post(path, { evidence: { text: 'a receipt' } }, `e-${disputeId}`);
    expect((await post(path, { evidence: { text: 'a receipt' } }, `e-${disputeId}`)).status).toBe(200);
    expect(code(await post(path, { evidence: { text: 'a receipt' } }))).toEqual([
      409,
      'evidence_already_submitted',
    ]);
    world.skewMs = 60_000;
    expect(await lookup(disputeId)).toMatchObject({ status: 'underReview' });
  });

  it('150,000 characters of evidence are accepted', async () => {
    const { disputeId } = await open();
    const evidence = { one: 'é'.repeat(75_000), two: 'x'.repeat(75_000) };
    expect((await post(`/v1/disputes/${disputeId}/evidence`, { evidence })).status).toBe(200);
  });

  it('evidence after its deadline is 409', async () => {
    const { disputeId } = await open({ dueInSeconds: 10 });
    world.skewMs = 11_000;
    expect(code(await post(`/v1/disputes/${disputeId}/evidence`, { evidence: {} }))).toEqual([
      409,
      'evidence_past_due',
    ]);
  });

  it('accepting loses the dispute permanently', async () => {
    const { disputeId } = await open();
    const accept = (key: string) => post(`/v1/disputes/${disputeId}/accept`, {}, key);
    expect((await accept(`a-${disputeId}`)).json()).toMatchObject({ status: 'lost' });
    expect((await accept(`a-${disputeId}`)).json()).toMatchObject({ status: 'lost' });
    expect(code(await accept(`b-${disputeId}`))).toEqual([409, 'dispute_closed']);
    expect(code(await post(`/v1/disputes/${disputeId}/evidence`, { evidence: {} }))).toEqual([
      409,
      'dispute_closed',
    ]);
  });

  it.each(['won', 'lost', 'withdrawn'])('a dispute is resolved as ordered: %s', async (outcome) => {
    const { disputeId } = await open();
    const path = `/v1/simulate/disputes/${disputeId}/resolve`;
    expect((await post(path, { outcome }, `r-${disputeId}`)).json()).toMatchObject({ status: outcome });
    expect((await post(path, { outcome }, `r-${disputeId}`)).json()).toMatchObject({ status: outcome });
    expect(code(await post(path, { outcome: 'won' }))).toEqual([409, 'dispute_closed']);
    expect(await until(() => lookup(disputeId))).toMatchObject({ status: outcome });
  });

  it('an unknown dispute is 404, a call without a key 400', async () => {
    expect((await world.service('/v1/disputes/unknown')).status).toBe(404);
    expect((await post('/v1/disputes/unknown/evidence', { evidence: {} })).status).toBe(404);
    const { disputeId } = await open();
    expect((await world.service(`/v1/disputes/${disputeId}/accept`, { method: 'POST' })).status).toBe(400);
  });
});
