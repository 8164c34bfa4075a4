import { randomUUID } from 'node:crypto';
import { call } from '../../../support/simulators.ts';
import {
  LIVE_SECRET_KEY,
  OTHER_SECRET_KEY,
  cardForm,
  problemOf,
  SECRET_KEY,
  StripeWorld,
  type StripeObject,
} from '../../../support/stripe-dialect.ts';

const VISA = '4242424242424242';

describe('the Stripe dialect', () => {
  let stripe: StripeWorld;
  beforeAll(async () => {
    stripe = await StripeWorld.start();
  });
  afterAll(() => stripe.stop());

  const ledgerOf = async (paymentId: string) =>
    (await call(`${stripe.url}/ledger?paymentId=${paymentId}`)).json<{
      charges: { attemptId: string; amountCents: number; status: string }[];
    }>().charges;

  it('creates an intent that moves no money, and confirms it once', async () => {
    const paymentId = randomUUID();
    const created = await stripe.intent(VISA, 2500, { metadata: { paymentId, attempt: '1' } });
    expect(created).toMatchObject({ status: 'requires_confirmation', amount: 2500, latest_charge: null });
    expect(await ledgerOf(paymentId)).toEqual([]);

    const confirmed = await stripe.post(`/v1/payment_intents/${created.id}/confirm`, {
      expand: ['latest_charge'],
    });
    expect(confirmed.status).toBe(200);
    expect(confirmed.json<StripeObject>()).toMatchObject({
      status: 'succeeded',
      amount_received: 2500,
      latest_charge: { object: 'charge', paid: true, payment_method_details: { card: { last4: '4242' } } },
    });
    const again = await stripe.post(`/v1/payment_intents/${created.id}/confirm`);
    expect(again.status).toBe(400);
    expect(problemOf(again)).toMatchObject({
      code: 'payment_intent_unexpected_state',
      payment_intent: { id: created.id, status: 'succeeded' },
    });
    expect(await ledgerOf(paymentId)).toMatchObject([
      { attemptId: `${paymentId}:1`, amountCents: 2500, status: 'captured' },
    ]);
  });

  it('captures a declined or canceled intent by order, and no other', async () => {
    const order = (id: string) =>
      call(`${stripe.url}/simulate/payment_intents/${id}/capture`, {
        json: {},
        headers: { authorization: `Bearer ${SECRET_KEY}` },
      });
    const paymentId = randomUUID();
    const metadata = { paymentId, attempt: '1' };
    const declined = await stripe.intent('4000000000000002', 2500, { metadata });
    expect((await order(declined.id)).status).toBe(400);
    await stripe.post(`/v1/payment_intents/${declined.id}/confirm`);
    await stripe.post(`/v1/payment_intents/${declined.id}/cancel`);
    expect((await order(declined.id)).json()).toMatchObject({ status: 'succeeded', amount_received: 2500 });
    expect((await ledgerOf(paymentId)).filter(({ status }) => status === 'captured')).toHaveLength(1);
    expect((await order(declined.id)).status).toBe(400);
  });

  it.each([
    ['4000000000000002', { code: 'card_declined', decline_code: 'generic_decline' }],
    ['4000000000009987', { code: 'card_declined', decline_code: 'lost_card' }],
    ['4000000000009979', { code: 'card_declined', decline_code: 'stolen_card' }],
    ['4100000000000019', { code: 'card_declined', decline_code: 'fraudulent' }],
    ['4000000000000119', { code: 'processing_error' }],
    ['4000000000000069', { code: 'expired_card' }],
    ['4000000000000127', { code: 'incorrect_cvc' }],
  ])('declines %s with 402 and leaves the intent without a payment method', async (number, error) => {
    const answer = await stripe.pay(number);
    expect(answer.status).toBe(402);
    expect(problemOf(answer)).toMatchObject({
      type: 'card_error',
      ...error,
      payment_intent: { status: 'requires_payment_method', payment_method: null, last_payment_error: error },
    });
  });

  it('declines 9995 once for a payment and pays it under its next intent', async () => {
    const metadata = { paymentId: randomUUID() };
    const first = await stripe.pay('4000000000009995', 2500, { metadata });
    expect(problemOf(first)).toMatchObject({ decline_code: 'insufficient_funds' });
    expect((await stripe.pay('4000000000009995', 2500, { metadata })).status).toBe(200);
    const other = await stripe.pay('4000000000009995', 2500, { metadata: { paymentId: randomUUID() } });
    expect(other.status).toBe(402);
  });

  it('cancels an intent that was not paid, and refuses it for one that was', async () => {
    const { id } = await stripe.intent(VISA);
    const canceled = await stripe.post(`/v1/payment_intents/${id}/cancel`, {
      cancellation_reason: 'abandoned',
    });
    expect(canceled.json<StripeObject>()).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'abandoned',
    });
    expect((await stripe.post(`/v1/payment_intents/${id}/confirm`)).status).toBe(400);

    const paid = (await stripe.pay(VISA)).json<StripeObject>();
    const refused = await stripe.post(`/v1/payment_intents/${paid.id}/cancel`);
    expect(problemOf(refused).code).toBe('payment_intent_unexpected_state');
  });

  it('sends the customer to a challenge and completes the intent there', async () => {
    const waiting = (await stripe.pay('4000000000003220')).json<
      StripeObject & { next_action: { redirect_to_url: { url: string } } }
    >();
    expect(waiting).toMatchObject({
      status: 'requires_action',
      next_action: { type: 'redirect_to_url', redirect_to_url: { return_url: 'http://127.0.0.1:9/return' } },
    });
    const { url } = waiting.next_action.redirect_to_url;
    expect((await call(url)).text).toContain('challenge-approve');
    const back = await call(url, { form: { result: 'approve' } });
    expect(back.status).toBe(303);
    expect(back.headers['location']).toContain(`http://127.0.0.1:9/return?payment_intent=${waiting.id}`);
    const paid = (
      await stripe.get(`/v1/payment_intents/${waiting.id}?expand[]=latest_charge`)
    ).json<StripeObject>();
    expect(paid).toMatchObject({
      status: 'succeeded',
      next_action: null,
      latest_charge: { payment_method_details: { card: { three_d_secure: { result: 'authenticated' } } } },
    });
  });

  it.each([
    ['a failed challenge', '4000000000003220', 'fail'],
    ['a challenge of 4000008400001629', '4000008400001629', 'approve'],
  ])('%s declines with payment_intent_authentication_failure', async (_what, number, result) => {
    const waiting = (await stripe.pay(number)).json<
      StripeObject & { next_action: { redirect_to_url: { url: string } } }
    >();
    await call(waiting.next_action.redirect_to_url.url, { form: { result } });
    const failed = (await stripe.get(`/v1/payment_intents/${waiting.id}`)).json<StripeObject>();
    expect(failed).toMatchObject({
      status: 'requires_payment_method',
      latest_charge: null,
      last_payment_error: { code: 'payment_intent_authentication_failure' },
    });
  });

  it.each([
    [49, 'amount_too_small'],
    [100_000_000, 'amount_too_large'],
  ])('refuses %d cents', async (amount, code) => {
    const answer = await stripe.post('/v1/payment_intents', { amount, currency: 'usd' });
    expect([answer.status, problemOf(answer).code]).toEqual([400, code]);
  });

  it.each([
    [{ currency: 'usd' }, 'amount', 'parameter_missing'],
    [{ amount: 100, currency: 'usd', amout: 1 }, 'amout', 'parameter_unknown'],
    [{ amount: 'many', currency: 'usd' }, 'amount', undefined],
    [{ amount: 100, currency: 'eur' }, 'currency', undefined],
  ])('names the wrong parameter of %j', async (body, param, code) => {
    const answer = await stripe.post('/v1/payment_intents', body);
    expect([answer.status, problemOf(answer).param, problemOf(answer).code]).toEqual([400, param, code]);
  });

  it('accepts a whole card from the vault proxy only, and only published test cards', async () => {
    const direct = await stripe.post('/v1/payment_methods', cardForm(VISA));
    expect([direct.status, problemOf(direct).type]).toEqual([402, 'invalid_request_error']);
    const real = await stripe.post('/v1/payment_methods', cardForm('4539578763621486'), {
      headers: { 'x-card-proxy-key': 'proxy-key-for-tests-0001' },
    });
    expect([real.status, problemOf(real).decline_code]).toEqual([402, 'test_mode_live_card']);
    expect(real.text).not.toContain('4539578763621486');
  });

  it.each([
    ['paid', VISA, 200],
    ['declined', '4000000000000002', 402],
    ['left open', '4000000000003220', 200],
  ])('uses a payment method for one intent, %s or not', async (_how, number, status) => {
    const method = await stripe.method(number);
    const body = { amount: 100, currency: 'usd', payment_method: method, confirm: true };
    expect((await stripe.post('/v1/payment_intents', body)).status).toBe(status);
    expect((await stripe.post('/v1/payment_intents', body)).status).toBe(400);
  });

  it.each([
    ['another account', OTHER_SECRET_KEY],
    ['live mode', LIVE_SECRET_KEY],
  ])('shows nothing to %s', async (_who, key) => {
    const { id } = await stripe.intent(VISA);
    const unknown = await stripe.get('/v1/payment_intents/pi_000000000000000000000000', { key });
    const foreign = await stripe.get(`/v1/payment_intents/${id}`, { key });
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(id, 'ID')).toBe(
      unknown.text.replaceAll('pi_000000000000000000000000', 'ID'),
    );
    expect((await stripe.post(`/v1/payment_intents/${id}/confirm`, {}, { key })).status).toBe(404);
  });

  it.each([
    ['no key', {}],
    ['a malformed key', { authorization: 'Bearer sk_test_short' }],
    ['an expired key', { authorization: 'Bearer sk_test_51DialectAccount0SecretExpired' }],
    ['a publishable key', { authorization: 'Bearer pk_test_51DialectAccount0SecretOfTheTests' }],
  ])('refuses %s without quoting it', async (_what, headers) => {
    const answer = await call(`${stripe.url}/v1/account`, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers['request-id']).toMatch(/^req_/);
    expect(answer.text).not.toContain('DialectAccount');
  });

  it('answers with the requested version, and refuses an unknown one', async () => {
    const asked = { headers: { 'stripe-version': '2024-06-20' } };
    expect((await stripe.get('/v1/balance', asked)).headers['stripe-version']).toBe('2024-06-20');
    const wrong = { headers: { 'stripe-version': 'newest' } };
    expect((await stripe.get('/v1/balance', wrong)).status).toBe(400);
  });

  it("answers an unknown address in Stripe's format", async () => {
    const answer = await stripe.get('/v1/customers');
    expect([answer.status, problemOf(answer).type]).toEqual([404, 'invalid_request_error']);
  });

  it.each(['metadata[a][b]=1&metadata[a]=2', `${'x[y]'.repeat(9)}=1`, 'amount[__proto__][polluted]=1'])(
    'refuses a malformed form: %s',
    async (body) => {
      const answer = await call(`${stripe.url}/v1/payment_intents`, {
        method: 'POST',
        key: SECRET_KEY,
        form: Object.fromEntries(new URLSearchParams(body)),
      });
      expect(answer.status).toBe(400);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );

  it('accepts the key as the user of Basic authentication too, and each key of an account', async () => {
    const basic = Buffer.from(`${SECRET_KEY}:`).toString('base64');
    const answer = await call(`${stripe.url}/v1/account`, { headers: { authorization: `Basic ${basic}` } });
    const { id } = answer.json<StripeObject>();
    expect(id).toBe('acct_1DialectAccount0');
    const other = await stripe.get('/v1/account', { key: 'sk_test_51DialectAccount0AnotherSecret00' });
    expect(other.json<StripeObject>().id).toBe(id);
  });
});
