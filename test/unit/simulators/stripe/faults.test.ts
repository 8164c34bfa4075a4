import { randomUUID } from 'node:crypto';
import { call, until } from '../../../support/simulators.ts';
import {
  LIVE_SECRET_KEY,
  OTHER_SECRET_KEY,
  problemOf,
  SECRET_KEY,
  StripeWorld,
  type StripeObject,
} from '../../../support/stripe-dialect.ts';

const VISA = '4242424242424242';

describe('faults injected into the Stripe dialect', () => {
  let stripe: StripeWorld;
  beforeAll(async () => {
    stripe = await StripeWorld.start();
  });
  afterAll(() => stripe.stop());

  /** Confirms, disconnects once the intent has that status, and returns the answer. */
  async function unanswered(id: string, status: string): Promise<string> {
    const asked = async () =>
      (await call(`${stripe.url}/stats`)).json<{ calls: Record<string, number> }>().calls[
        'payment_intents.confirm'
      ] ?? 0;
    const before = await asked();
    const leaving = new AbortController();
    const outcome = stripe.confirm(id, undefined, leaving.signal).then(
      () => 'answered',
      () => 'no answer',
    );
    await until(async () => (await asked()) > before && (await stripe.statusOf(id)) === status);
    leaving.abort();
    return outcome;
  }

  it.each([
    ['timeout', 'requires_confirmation'],
    ['noAnswer', 'succeeded'],
    ['lostResponse', 'succeeded'],
    ['halfBody', 'succeeded'],
  ])('%s: no answer, and the intent is %s', async (mode, status) => {
    const { id } = await stripe.intent(VISA);
    await stripe.order({ mode, on: 'payment_intents.confirm' });
    expect(await unanswered(id, status)).toBe('no answer');
    const answer = await stripe.confirm(id);
    expect([answer.status, answer.json<StripeObject>().status]).toEqual([200, 'succeeded']);
  });

  it.each([
    ['unavailable', 503],
    ['rateLimited', 429],
    ['conflict', 409],
    ['html', 502],
  ])('%s: %d without an effect, and the same key works afterwards', async (mode, status) => {
    const { id } = await stripe.intent(VISA);
    await stripe.order({ mode, on: 'payment_intents.confirm' });
    const answer = await stripe.confirm(id);
    expect(answer.status).toBe(status);
    expect(answer.headers['retry-after']).toBe(mode === 'rateLimited' ? '2' : undefined);
    expect(await stripe.statusOf(id)).toBe('requires_confirmation');
    expect((await stripe.confirm(id)).status).toBe(200);
  });

  it('notJson: the call has its effect, and the 200 cannot be parsed', async () => {
    const { id } = await stripe.intent(VISA);
    await stripe.order({ mode: 'notJson', on: 'payment_intents.confirm' });
    const answer = await stripe.confirm(id);
    expect(() => answer.json()).toThrow('JSON');
    expect(await stripe.statusOf(id)).toBe('succeeded');
  });

  it('affect one payment when it is named, one account always, and never live', async () => {
    const paymentId = randomUUID();
    await stripe.order({ mode: 'unavailable', on: 'payment_intents.create', paymentId });
    const create = (metadata: Record<string, string>, key = SECRET_KEY) =>
      stripe.post('/v1/payment_intents', { amount: 100, currency: 'usd', metadata }, { key });
    expect((await create({ paymentId: randomUUID() })).status).toBe(200);
    expect((await create({ paymentId }, OTHER_SECRET_KEY)).status).toBe(200);
    expect((await create({ paymentId }, LIVE_SECRET_KEY)).status).toBe(200);
    expect((await create({ paymentId })).status).toBe(503);
    expect((await create({ paymentId })).status).toBe(200);
    expect((await stripe.order({ mode: 'error' }, LIVE_SECRET_KEY)).status).toBe(403);
  });

  it('7205: no answer, and captured after the checkout ended', async () => {
    const checkoutExpiresAt = new Date(Date.now() + 60_000).toISOString();
    const { id } = await stripe.intent('4000000000007205', 2500, { metadata: { checkoutExpiresAt } });
    expect(await unanswered(id, 'processing')).toBe('no answer');
    expect((await stripe.confirm(id)).json<StripeObject>().status).toBe('processing');
    const cancel = await stripe.post(`/v1/payment_intents/${id}/cancel`);
    expect(problemOf(cancel).code).toBe('payment_intent_unexpected_state');
    stripe.skewMs = 62_001;
    expect(await stripe.statusOf(id)).toBe('succeeded');
    stripe.skewMs = 0;
  });

  it.each([
    ['4000000000007007', 'succeeded'],
    ['4000000000007106', 'requires_payment_method'],
  ])('%s: the connection is cut; the intent is %s', async (number, status) => {
    const { id } = await stripe.intent(number);
    expect(await unanswered(id, status)).toBe('no answer');
  });

  it('include an account that may not accept cards, as /v1/account shows', async () => {
    const key = 'sk_test_51NoCapability0000SecretOfTheTests';
    await call(`${stripe.url}/simulate/account`, { method: 'PUT', json: { cardPayments: 'inactive' }, key });
    const account = (await stripe.get('/v1/account', { key })).json<StripeObject>();
    expect(account['capabilities']).toMatchObject({ card_payments: 'inactive' });
    const create = await stripe.post('/v1/payment_intents', { amount: 100, currency: 'usd' }, { key });
    expect(create.status).toBe(400);
  });
});
