import { createStripe, createStripeAgent } from '../../../src/providers/stripe/client.ts';
import { createStripeNetwork } from '../../../src/providers/stripe/network.ts';
import type { ChargeRequest } from '../../../src/providers/ports.ts';
import { call } from '../../support/simulators.ts';
import { OTHER_SECRET_KEY, SECRET_KEY, StripeWorld } from '../../support/stripe-dialect.ts';

const publishableKey = 'pk_test_51DialectAccount0';
const paymentId = '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11';

describe('a wallet at Stripe', () => {
  const agent = createStripeAgent();
  let world: StripeWorld;
  beforeAll(async () => {
    world = await StripeWorld.start();
  });
  afterAll(async () => {
    await agent.close();
    await world.stop();
  });

  const network = (secretKey = SECRET_KEY) =>
    createStripeNetwork({
      stripe: createStripe({ secretKey, apiBase: world.url, agent }),
      publishableKey,
      makePaymentMethod: () => Promise.reject(new Error('the vault has no part in a wallet')),
    });
  const press = async (wallet: string, key = publishableKey) =>
    call(`${world.url}/stripe-js/payment_methods`, { method: 'POST', form: { key, wallet } });
  const attempt = (walletToken: string, no = 1): ChargeRequest => ({
    key: `${paymentId}:${no}`,
    paymentId,
    merchantId: 'mer_1',
    environment: 'sandbox',
    amountCents: 2_500,
    method: 'wallet',
    walletToken,
    customer: { name: null, email: null, documentNumber: null, phone: null },
    checkoutExpiresAt: new Date(Date.now() + 30 * 60_000).toISOString(),
    returnUrl: 'http://127.0.0.1:9/return',
    providerReference: null,
  });

  it.each(['apple_pay', 'google_pay'])('charges the payment method that %s made', async (wallet) => {
    const { id } = (await press(wallet)).json<{ id: string }>();
    const request = attempt(id, wallet === 'apple_pay' ? 1 : 2);
    const prepared = await network().prepare?.(request);
    expect(prepared).toMatchObject({ status: 'prepared', card: { brand: 'visa', last4: '4242' } });
    const { providerReference } = prepared as { providerReference: string };
    expect(await network().charge({ ...request, providerReference })).toMatchObject({ status: 'captured' });
    const books = (await world.get(`/ledger?paymentId=${paymentId}`)).json<{
      charges: { attemptId: string; card: object }[];
    }>();
    expect(books.charges.find(({ attemptId }) => attemptId === request.key)).toMatchObject({
      status: 'captured',
      card: { brand: 'visa', wallet: { type: wallet } },
    });
  });

  it('rejects a payment method that no wallet made, of another account, and an unknown one', async () => {
    const typed = await world.method('4242424242424242');
    const { id: wallet } = (await press('google_pay')).json<{ id: string }>();
    const rejected = { status: 'token_rejected' };
    expect(await network().prepare?.(attempt(typed))).toEqual(rejected);
    expect(await network(OTHER_SECRET_KEY).prepare?.(attempt(wallet))).toEqual(rejected);
    expect(await network().prepare?.(attempt('pm_0000000000000000'))).toEqual(rejected);
  });

  it('makes no payment method under a secret key, or without a wallet', async () => {
    expect((await press('google_pay', SECRET_KEY)).status).toBe(401);
    expect((await press('card')).status).toBe(400);
  });

  it('is made with the test card that was ordered, once', async () => {
    await call(`${world.url}/simulate/wallet`, { json: { number: '4000000000000002' }, key: SECRET_KEY });
    const last4 = async () => (await press('google_pay')).json<{ card: { last4: string } }>().card.last4;
    expect([await last4(), await last4()]).toEqual(['0002', '4242']);
  });
});
