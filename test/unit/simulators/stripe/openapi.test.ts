import { call } from '../../../support/simulators.ts';
import { SECRET_KEY, StripeWorld, type StripeObject } from '../../../support/stripe-dialect.ts';
import { describeWithGo, StripeOpenApi } from '../../../support/stripe-openapi.ts';

/** Checks every kind of answer against Stripe's published description of its API. */
describeWithGo('answers of the Stripe dialect', () => {
  let openApi: StripeOpenApi;
  let stripe: StripeWorld;
  const problems: string[] = [];
  let seen = 0;

  beforeAll(async () => {
    openApi = await StripeOpenApi.load();
    stripe = await StripeWorld.start({}, (answer) => {
      seen += 1;
      problems.push(...openApi.problems(answer));
    });
  });
  afterAll(() => stripe.stop());
  beforeEach(() => {
    problems.length = 0;
    seen = 0;
  });

  /** Returns the faults of the answers since the last test; reports when there were no answers. */
  const found = (): string[] => (seen === 0 ? ['no answer was seen'] : problems);

  it('finds unknown and missing members', async () => {
    const { id } = await stripe.intent('4242424242424242');
    const intent = (await stripe.get(`/v1/payment_intents/${id}`)).json<StripeObject>();
    expect(found()).toEqual([]);
    const { status: _missing, ...withoutStatus } = intent;
    for (const wrong of [{ ...intent, stauts: 'x' }, withoutStatus, { ...intent, status: 'paid' }]) {
      expect(openApi.problemsOf('payment_intent', wrong)).not.toEqual([]);
    }
  });

  it('are described: account, balance, keys that are refused', async () => {
    await stripe.get('/v1/account');
    await stripe.get('/v1/balance');
    await stripe.get('/v1/balance', { key: 'sk_test_wrong' });
    expect(found()).toEqual([]);
  });

  it('are described: balance transactions and payouts', async () => {
    await stripe.pay('4242424242424242');
    await call(`${stripe.url}/simulate/payouts`, { json: { amountCents: 900 }, key: SECRET_KEY });
    const listed = await stripe.get('/v1/balance_transactions?limit=5&expand[]=data.source');
    const [payout] = listed.json<{ data: { source: StripeObject }[] }>().data;
    await stripe.get(`/v1/payouts/${payout?.source.id}`);
    expect(found()).toEqual([]);
  });

  it.each([
    '4242424242424242',
    '5555555555554444',
    '378282246310005',
    '4000000000000002',
    '4000000000000119',
    '4100000000000019',
    '4000000000003220',
  ])('are described: a payment with %s, its charge, its list', async (number) => {
    const answer = await stripe.pay(number);
    const { id } =
      answer.status === 200
        ? answer.json<StripeObject>()
        : answer.json<{ error: { payment_intent: StripeObject } }>().error.payment_intent;
    await stripe.get(`/v1/payment_intents/${id}?expand[]=latest_charge.refunds&expand[]=payment_method`);
    await stripe.get('/v1/payment_intents?limit=2&expand[]=data.latest_charge');
    await stripe.post(`/v1/payment_intents/${id}/cancel`);
    await stripe.post(`/v1/payment_intents/${id}/confirm`);
    expect(found()).toEqual([]);
  });

  it('are described: a challenge that failed', async () => {
    const waiting = (await stripe.pay('4000000000003220')).json<
      StripeObject & { next_action: { redirect_to_url: { url: string } } }
    >();
    await call(waiting.next_action.redirect_to_url.url, { form: { result: 'fail' } });
    await stripe.get(`/v1/payment_intents/${waiting.id}`);
    expect(found()).toEqual([]);
  });

  it('are described: wrong parameters and objects that are not there', async () => {
    await stripe.post('/v1/payment_intents', { amount: 1, currency: 'usd' });
    await stripe.post('/v1/payment_intents', { currency: 'usd' });
    await stripe.get('/v1/payment_intents/pi_unknown');
    await stripe.get('/v1/payment_methods/pm_unknown');
    expect(found()).toEqual([]);
  });

  it('are described: refunds in every state', async () => {
    for (const number of ['4242424242424242', '4000000000007726', '4000000000005126']) {
      const { id } = (await stripe.pay(number)).json<StripeObject>();
      const refund = (await stripe.post('/v1/refunds', { payment_intent: id })).json<StripeObject>();
      await stripe.post('/v1/refunds', { payment_intent: id });
      stripe.skewMs += 3_001;
      await stripe.get(`/v1/refunds/${refund.id}?expand[]=charge&expand[]=payment_intent`);
      await stripe.post(`/v1/refunds/${refund.id}/cancel`);
      await stripe.get(`/v1/refunds?payment_intent=${id}`);
      await stripe.get(`/v1/payment_intents/${id}?expand[]=latest_charge.refunds`);
    }
    expect(found()).toEqual([]);
  });

  it('are described: disputes from their opening to their end', async () => {
    for (const number of ['4000000000000259', '4000000000001976', '4000000000002685']) {
      const { id } = (await stripe.pay(number)).json<StripeObject>();
      stripe.skewMs += 1_001;
      const list = await stripe.get(`/v1/disputes?payment_intent=${id}&expand[]=data.charge`);
      const [dispute] = list.json<{ data: StripeObject[] }>().data;
      const evidence = { uncategorized_text: 'winning_evidence', customer_name: 'Ada' };
      await stripe.post(`/v1/disputes/${dispute?.id}`, { evidence, submit: false });
      await stripe.post(`/v1/disputes/${dispute?.id}`, { submit: true });
      stripe.skewMs += 1_001;
      await stripe.get(`/v1/disputes/${dispute?.id}`);
      await stripe.post(`/v1/disputes/${dispute?.id}/close`);
    }
    expect(found()).toEqual([]);
  });

  it('are described: webhook endpoints, and events with what is in them', async () => {
    const url = 'http://127.0.0.1:9/hook';
    const made = await stripe.post('/v1/webhook_endpoints', { url, enabled_events: ['*'] });
    const { id } = made.json<StripeObject>();
    await stripe.get(`/v1/webhook_endpoints/${id}`);
    await stripe.get('/v1/webhook_endpoints');
    await stripe.delete(`/v1/webhook_endpoints/${id}`);
    await stripe.pay('4000000000000259');
    stripe.skewMs += 1_001;
    await stripe.get('/v1/disputes');
    const list = await stripe.get('/v1/events?limit=100');
    const events = list.json<{ data: { id: string; type: string; data: { object: StripeObject } }[] }>().data;
    await stripe.get(`/v1/events/${events[0]?.id}`);
    const wrong = events.flatMap(({ data: { object } }) =>
      openApi.problemsOf(String(object['object']), object),
    );
    expect(wrong).toEqual([]);
    expect(new Set(events.map(({ type }) => type))).toContain('charge.dispute.created');
    expect(found()).toEqual([]);
  });

  it('are described: a key in use, a key with another body, too many calls, an outage', async () => {
    const body = { amount: 100, currency: 'usd' };
    await stripe.post('/v1/payment_intents', body, { idempotencyKey: 'once' });
    await stripe.post('/v1/payment_intents', { ...body, amount: 200 }, { idempotencyKey: 'once' });
    for (const mode of ['conflict', 'rateLimited', 'unavailable', 'error', 'errorAfter']) {
      await call(`${stripe.url}/simulate/faults`, { json: { mode }, key: SECRET_KEY });
      await stripe.post('/v1/payment_intents', body);
    }
    expect(found()).toEqual([]);
  });
});
