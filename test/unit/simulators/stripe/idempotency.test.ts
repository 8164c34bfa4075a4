import { randomUUID } from 'node:crypto';
import { until } from '../../../support/simulators.ts';
import {
  OTHER_SECRET_KEY,
  problemOf,
  SECRET_KEY,
  StripeWorld,
  type StripeObject,
} from '../../../support/stripe-dialect.ts';

const VISA = '4242424242424242';

describe('idempotency keys of the Stripe dialect', () => {
  let stripe: StripeWorld;
  beforeEach(async () => {
    stripe = await StripeWorld.start();
  });
  afterEach(() => stripe.stop());

  const create = (idempotencyKey: string, amount = 2500, key = SECRET_KEY) =>
    stripe.post('/v1/payment_intents', { amount, currency: 'usd' }, { idempotencyKey, key });

  it('answer the same call with the same answer, also after a restart', async () => {
    const key = randomUUID();
    const first = await create(key);
    const again = await create(key);
    expect(again.text).toBe(first.text);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(again.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'original-request': first.headers['request-id'],
    });
    await stripe.restart();
    expect((await create(key)).text).toBe(first.text);
  });

  it('refuse another body, and another path', async () => {
    const key = randomUUID();
    const { id } = (await create(key)).json<StripeObject>();
    for (const other of [
      await create(key, 2501),
      await stripe.post(`/v1/payment_intents/${id}/cancel`, {}, { idempotencyKey: key }),
    ]) {
      expect([other.status, problemOf(other).type]).toEqual([400, 'idempotency_error']);
    }
  });

  it('belong to an account', async () => {
    const key = randomUUID();
    const first = await create(key);
    const other = await create(key, 2500, OTHER_SECRET_KEY);
    expect(other.json<StripeObject>().id).not.toBe(first.json<StripeObject>().id);
  });

  it('keep a decline, but not a call with wrong parameters', async () => {
    const { id } = await stripe.intent('4000000000000002');
    const confirm = () => stripe.confirm(id, 'decline');
    const first = await confirm();
    expect(first.status).toBe(402);
    const again = await confirm();
    expect([again.status, again.text]).toEqual([402, first.text]);

    expect((await create('wrong', 1)).status).toBe(400);
    expect((await create('wrong', 100)).status).toBe(200);
  });

  it('keep a 500, with or without an effect: the same key returns it again', async () => {
    for (const mode of ['error', 'errorAfter']) {
      const { id } = await stripe.intent(VISA);
      expect((await stripe.order({ mode, on: 'payment_intents.confirm' })).status).toBe(204);
      const confirm = () => stripe.confirm(id);
      expect((await confirm()).status).toBe(500);
      const again = await confirm();
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([500, 'true']);
      expect(await stripe.statusOf(id)).toBe(mode === 'error' ? 'requires_confirmation' : 'succeeded');
    }
  });

  it('are in use while the first call runs, and give its answer afterwards', async () => {
    const { id } = await stripe.intent('4000000000007304');
    const confirm = () => stripe.confirm(id, 'slow');
    const first = confirm();
    await until(async () => (await stripe.statusOf(id)) === 'processing');
    const meanwhile = await confirm();
    expect([meanwhile.status, problemOf(meanwhile).code]).toEqual([409, 'idempotency_key_in_use']);
    stripe.skewMs = 5_000;
    await stripe.get(`/v1/payment_intents/${id}`);
    expect((await first).json<StripeObject>().status).toBe('succeeded');
    expect((await confirm()).text).toBe((await first).text);
  });

  it('give the answer of a slow call that a restart cut off', async () => {
    const { id } = await stripe.intent('4000000000007304');
    const confirm = () => stripe.confirm(id, 'slow');
    const first = confirm().catch(() => 'cut');
    await until(async () => (await stripe.statusOf(id)) === 'processing');
    await stripe.restart();
    expect(await first).toBe('cut');
    stripe.skewMs = 5_000;
    expect((await confirm()).json<StripeObject>().status).toBe('succeeded');
  });

  it('expire after a day', async () => {
    const first = await create('old');
    stripe.skewMs = 24 * 60 * 60_000;
    await stripe.restart();
    expect((await create('old')).json<StripeObject>().id).not.toBe(first.json<StripeObject>().id);
  });
});
