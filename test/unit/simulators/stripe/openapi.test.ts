import { call } from '../../../support/simulators.ts';
import { StripeWorld, type StripeObject } from '../../../support/stripe-dialect.ts';
import { describeWithGo, StripeOpenApi } from '../../../support/stripe-openapi.ts';

/** Every kind of answer, held against what Stripe publishes about its API. */
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

  const expectAllDescribed = (): void => {
    expect(problems).toEqual([]);
    expect(seen).toBeGreaterThan(0);
  };

  it('finds a member that Stripe does not know, and one that is missing', async () => {
    const { id } = await stripe.intent('4242424242424242');
    const intent = (await stripe.get(`/v1/payment_intents/${id}`)).json<StripeObject>();
    expectAllDescribed();
    const { status: _missing, ...withoutStatus } = intent;
    for (const wrong of [{ ...intent, stauts: 'x' }, withoutStatus, { ...intent, status: 'paid' }]) {
      expect(openApi.problemsOf('payment_intent', wrong)).not.toEqual([]);
    }
  });

  it('are described: account, balance, keys that are refused', async () => {
    await stripe.get('/v1/account');
    await stripe.get('/v1/balance');
    await stripe.get('/v1/balance', { key: 'sk_test_wrong' });
    expectAllDescribed();
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
    expectAllDescribed();
  });

  it('are described: a challenge that failed', async () => {
    const waiting = (await stripe.pay('4000000000003220')).json<
      StripeObject & { next_action: { redirect_to_url: { url: string } } }
    >();
    await call(waiting.next_action.redirect_to_url.url, { form: { result: 'fail' } });
    await stripe.get(`/v1/payment_intents/${waiting.id}`);
    expectAllDescribed();
  });

  it('are described: wrong parameters and objects that are not there', async () => {
    await stripe.post('/v1/payment_intents', { amount: 1, currency: 'usd' });
    await stripe.post('/v1/payment_intents', { currency: 'usd' });
    await stripe.get('/v1/payment_intents/pi_unknown');
    await stripe.get('/v1/payment_methods/pm_unknown');
    expectAllDescribed();
  });
});
