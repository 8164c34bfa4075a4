import { randomUUID } from 'node:crypto';
import { call } from '../../../support/simulators.ts';
import {
  OTHER_SECRET_KEY,
  problemOf,
  SECRET_KEY,
  StripeWorld,
  type StripeObject,
} from '../../../support/stripe-dialect.ts';

const VISA = '4242424242424242';

describe('refunds and disputes of the Stripe dialect', () => {
  let stripe: StripeWorld;
  beforeEach(async () => {
    stripe = await StripeWorld.start();
  });
  afterEach(() => stripe.stop());

  const paid = async (number: string, paymentId = randomUUID()) =>
    (await stripe.pay(number, 2500, { metadata: { paymentId } })).json<
      StripeObject & { latest_charge: string }
    >();
  const refund = (intentId: string, more: Record<string, string | number> = {}, idempotencyKey?: string) =>
    stripe.post(
      '/v1/refunds',
      { payment_intent: intentId, ...more },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );
  const disputeOf = async (intentId: string) => {
    stripe.skewMs += 1_001;
    const list = await stripe.get(`/v1/disputes?payment_intent=${intentId}`);
    const [dispute] = list.json<{ data: StripeObject[] }>().data;
    if (!dispute) throw new Error('no dispute was opened');
    return dispute;
  };

  it('refunds in parts, never more than was paid, and shows it in the charge and the ledger', async () => {
    const paymentId = randomUUID();
    const intent = await paid(VISA, paymentId);
    const first = (await refund(intent.id, { amount: 1000 }, 'refund-1')).json<StripeObject>();
    expect(first).toMatchObject({ status: 'succeeded', amount: 1000, charge: intent.latest_charge });
    expect((await refund(intent.id, { amount: 1000 }, 'refund-1')).json<StripeObject>().id).toBe(first.id);
    expect((await refund(intent.id, { amount: 1501 })).status).toBe(400);
    expect((await refund(intent.id)).json<StripeObject>()).toMatchObject({ amount: 1500 });
    expect(problemOf(await refund(intent.id)).code).toBe('charge_already_refunded');
    const charge = await stripe.get(`/v1/charges/${intent.latest_charge}?expand[]=refunds`);
    expect(charge.json<StripeObject>()).toMatchObject({ amount_refunded: 2500, refunded: true });
    const ledger = await call(`${stripe.url}/ledger?paymentId=${paymentId}`);
    expect(ledger.json<{ refunds: object[] }>().refunds).toMatchObject([
      { key: 'refund-1', amountCents: 1000, status: 'succeeded' },
      { key: null, amountCents: 1500, status: 'succeeded' },
    ]);
  });

  it('leaves a refund of 7726 pending at first, and lets one of 5126 fail later', async () => {
    const pending = (await refund((await paid('4000000000007726')).id)).json<StripeObject>();
    const failing = (await refund((await paid('4000000000005126')).id)).json<StripeObject>();
    expect([pending.status, failing.status]).toEqual(['pending', 'succeeded']);
    expect((await stripe.post(`/v1/refunds/${pending.id}/cancel`)).status).toBe(400);
    stripe.skewMs = 3_001;
    const read = async (id: string) => (await stripe.get(`/v1/refunds/${id}`)).json<StripeObject>();
    expect(await read(pending.id)).toMatchObject({ status: 'succeeded' });
    expect(await read(failing.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'expired_or_canceled_card',
    });
    expect((await stripe.get(`/v1/refunds/${failing.id}`, { key: OTHER_SECRET_KEY })).status).toBe(404);
  });

  it('frees the amount of a refund that failed', async () => {
    const intent = await paid('4000000000005126');
    await refund(intent.id);
    stripe.skewMs = 3_001;
    expect((await refund(intent.id)).status).toBe(200);
  });

  it('refuses to refund what was not paid', async () => {
    const { id } = await stripe.intent(VISA);
    expect((await refund(id)).status).toBe(400);
    expect((await stripe.post('/v1/refunds', { amount: 1 })).status).toBe(400);
  });

  it.each([
    ['winning_evidence', 'won'],
    ['losing_evidence', 'lost'],
  ])(
    'opens a dispute over 0259 and decides it by the words of the evidence: %s',
    async (evidenceText, status) => {
      const intent = await paid('4000000000000259');
      const dispute = await disputeOf(intent.id);
      expect(dispute).toMatchObject({ status: 'needs_response', reason: 'fraudulent', amount: 2500 });
      expect(problemOf(await refund(intent.id)).code).toBe('charge_disputed');

      const draft = await stripe.post(`/v1/disputes/${dispute.id}`, {
        evidence: { product_description: 'A kettle' },
        submit: false,
      });
      expect(draft.json<StripeObject>()).toMatchObject({
        status: 'needs_response',
        evidence: { product_description: 'A kettle' },
        evidence_details: { has_evidence: true, submission_count: 0 },
      });
      const submitted = await stripe.post(`/v1/disputes/${dispute.id}`, {
        evidence: { uncategorized_text: evidenceText },
        submit: true,
      });
      expect(submitted.json<StripeObject>()).toMatchObject({
        status: 'under_review',
        evidence: { product_description: 'A kettle', uncategorized_text: evidenceText },
      });
      expect((await stripe.post(`/v1/disputes/${dispute.id}/close`)).status).toBe(400);
      stripe.skewMs += 1_001;
      expect((await stripe.get(`/v1/disputes/${dispute.id}`)).json<StripeObject>().status).toBe(status);
    },
  );

  it('accepts long evidence up to the documented limit', async () => {
    const dispute = await disputeOf((await paid('4000000000000259')).id);
    const update = (texts: string[]) =>
      stripe.post(`/v1/disputes/${dispute.id}`, {
        evidence: Object.fromEntries(
          texts.map((text, at) => [
            [
              'uncategorized_text',
              'product_description',
              'refund_policy_disclosure',
              'access_activity_log',
              'cancellation_rebuttal',
              'refund_refusal_explanation',
              'service_documentation',
              'shipping_address',
            ][at] ?? '',
            text,
          ]),
        ),
        submit: false,
      });
    expect((await update(Array.from({ length: 7 }, () => 'é'.repeat(20_000)))).status).toBe(200);
    expect((await update(Array.from({ length: 8 }, () => 'é'.repeat(20_000)))).status).toBe(400);
  });

  it('loses a dispute that is accepted, and accepts no evidence after its deadline', async () => {
    const accepted = await disputeOf((await paid('4000000000000259')).id);
    const closed = await stripe.post(`/v1/disputes/${accepted.id}/close`);
    expect(closed.json<StripeObject>().status).toBe('lost');
    const late = await disputeOf((await paid('4000000000000259')).id);
    stripe.skewMs += 7 * 24 * 60 * 60_000;
    expect((await stripe.post(`/v1/disputes/${late.id}`, { submit: true })).status).toBe(400);
  });

  it('opens an inquiry that moves no money', async () => {
    const intent = await paid('4000000000001976');
    expect(await disputeOf(intent.id)).toMatchObject({
      status: 'warning_needs_response',
      is_charge_refundable: true,
    });
    expect((await refund(intent.id)).status).toBe(200);
  });

  it('opens and decides disputes on order', async () => {
    const intent = await paid(VISA);
    const opened = await call(`${stripe.url}/simulate/disputes`, {
      json: { paymentIntent: intent.id, reason: 'product_not_received', amountCents: 900 },
      key: SECRET_KEY,
    });
    const dispute = opened.json<StripeObject>();
    expect(dispute).toMatchObject({ reason: 'product_not_received', amount: 900 });
    const decided = await call(`${stripe.url}/simulate/disputes/${dispute.id}`, {
      json: { status: 'won' },
      key: SECRET_KEY,
    });
    expect(decided.json<StripeObject>().status).toBe('won');
  });
});
