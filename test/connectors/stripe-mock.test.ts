import { randomUUID } from 'node:crypto';
import type { ChargeRequest } from '../../src/providers/ports.ts';
import { createStripe, createStripeAgent } from '../../src/providers/stripe/client.ts';
import { createStripeDisputes } from '../../src/providers/stripe/disputes.ts';
import { createStripeNetwork } from '../../src/providers/stripe/network.ts';
import { createStripeRefunds } from '../../src/providers/stripe/refunds.ts';
import { StripeMock } from '../support/stripe-mock.ts';
import { describeWithGo } from '../support/stripe-openapi.ts';

/** Every request of the connector, checked by Stripe's own mock, which knows each parameter of each call. */
describeWithGo('requests of the Stripe connector', () => {
  let mock: StripeMock;
  const agent = createStripeAgent();
  const open = () => createStripe({ secretKey: 'sk_test_123', apiBase: mock.url, agent });

  beforeAll(async () => {
    mock = await StripeMock.start();
  });
  afterAll(async () => {
    await agent.close();
    await mock.stop();
  });

  /** The mock remembers nothing: what it answers is about objects of its own, and proves nothing to us. */
  const doubted = async (call: Promise<unknown>) => {
    const outcome = await call.then((value) => JSON.stringify(value), String);
    expect(outcome).toMatch(/another|not confirmed|unreadable|neither/);
  };

  it('are all accepted', async () => {
    const stripe = open();
    const paymentId = randomUUID();
    const attempt: ChargeRequest = {
      key: `${paymentId}:1`,
      paymentId,
      merchantId: randomUUID(),
      environment: 'sandbox',
      amountCents: 2500,
      method: 'card',
      cardToken: 'token',
      cardReference: 'reference',
      providerReference: 'pi_123',
      customer: { name: null, email: null, documentNumber: null, phone: null },
      checkoutExpiresAt: new Date(0).toISOString(),
      returnUrl: 'https://shop.example/return',
    };
    const network = createStripeNetwork({
      stripe,
      publishableKey: 'pk_test_123',
      makePaymentMethod: async () => ({ status: 'made', paymentMethod: 'pm_card_visa', card: null }),
    });
    expect(await network.prepare?.(attempt)).toMatchObject({ status: 'prepared' });
    await doubted(network.charge(attempt));
    await doubted(network.lookup(attempt));
    await doubted(network.cancel(attempt));
    const refunds = createStripeRefunds(stripe);
    const refund = {
      key: randomUUID(),
      paymentId,
      chargeKey: attempt.key,
      chargeReference: 'pi_123',
      amountCents: 100,
    };
    await doubted(refunds.refund(refund));
    expect(await refunds.lookupRefund(refund)).toBeNull();
    await refunds.elsewhere?.listNewRefunds(null);
    await refunds.elsewhere?.listNewRefunds('re_123');
    await refunds.elsewhere?.listRefundsBehind('re_123', new Date());
    expect(await refunds.elsewhere?.refundsOf('pi_123')).toHaveLength(1);
    const disputes = createStripeDisputes(stripe);
    await disputes.listDisputeChanges(null);
    await disputes.listDisputeChanges('evt_123');
    await disputes.readDispute('du_123');
    await disputes.submitEvidence('du_123', 'key', { productDescription: 'A book', anything: 'else' });
    await disputes.acceptDispute('du_123', 'other key');
    await stripe.accounts.retrieveCurrent();

    const { refused, kinds } = mock.verdict();
    expect(refused).toEqual([]);
    expect(kinds).toEqual([
      'GET /v1/account',
      'GET /v1/disputes/:id',
      'GET /v1/events',
      'GET /v1/payment_intents/:id',
      'GET /v1/refunds',
      'POST /v1/disputes/:id',
      'POST /v1/disputes/:id/close',
      'POST /v1/payment_intents',
      'POST /v1/payment_intents/:id/cancel',
      'POST /v1/payment_intents/:id/confirm',
      'POST /v1/refunds',
    ]);
  });

  it('are refused with a parameter that Stripe does not know', async () => {
    const before = mock.calls.length;
    await expect(open().refunds.create({ paymnt_intent: 'pi_123' } as never)).rejects.toThrow(
      /paymnt_intent|parameter|valid/i,
    );
    expect(mock.calls.slice(before)).toMatchObject([{ status: 400 }]);
  });
});
