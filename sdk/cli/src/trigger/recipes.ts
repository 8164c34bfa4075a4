import { randomUUID } from 'node:crypto';
import type { CardPayments, Dispute, Event, EventType, Refund } from '../../../typescript/src/index.ts';

/** The result of a recipe: the payment whose event to wait for, or the event itself. */
type Made = { paymentId: string } | { event: Event };
type Recipe = (cp: CardPayments) => Promise<Made>;

/** The last reminder comes six hours before the deadline. */
const reminderSeconds = 6 * 3_600;

async function newPayment({ payments }: CardPayments): Promise<string> {
  const order = {
    amountCents: 2500,
    currency: 'USD',
    reference: `trigger-${randomUUID().slice(0, 8)}`,
    successUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/cart',
  } as const;
  return (await payments.create(order, { idempotencyKey: randomUUID() })).id;
}

async function paid(cp: CardPayments): Promise<string> {
  const id = await newPayment(cp);
  await cp.sandbox.setOutcome(id, { outcome: 'paid' });
  return id;
}

async function refund(cp: CardPayments, amountCents = 2500): Promise<Refund & { paymentId: string }> {
  const paymentId = await paid(cp);
  const made = await cp.refunds.create(paymentId, { amountCents }, { idempotencyKey: randomUUID() });
  return { ...made, paymentId };
}

async function dispute(
  cp: CardPayments,
  fields: { stage?: 'inquiry'; dueInSeconds?: number } = {},
): Promise<Dispute & { paymentId: string }> {
  const paymentId = await paid(cp);
  return { ...(await cp.sandbox.openDispute(paymentId, { reason: 'fraudulent', ...fields })), paymentId };
}

const ofPayment =
  (make: (cp: CardPayments, id: string) => Promise<unknown>): Recipe =>
  async (cp) => {
    const paymentId = await newPayment(cp);
    await make(cp, paymentId);
    return { paymentId };
  };

const ofRefund =
  (outcome: 'succeeded' | 'failed', amountCents?: number): Recipe =>
  async (cp) => {
    const { id, paymentId } = await refund(cp, amountCents);
    await cp.sandbox.settleRefund(id, { outcome });
    return { paymentId };
  };

const ofDispute =
  (outcome: 'won' | 'lost' | 'withdrawn'): Recipe =>
  async (cp) => {
    const { id, paymentId } = await dispute(cp);
    await cp.sandbox.resolveDispute(id, { outcome });
    return { paymentId };
  };

/** A challenge that fails: the customer may try again. */
const challengeFails = ofPayment(async ({ sandbox }, id) => {
  await sandbox.setOutcome(id, { outcome: 'requiresAction', method: 'card' });
  await sandbox.answerChallenge(id, { result: 'failed' });
});

async function testEndpoint({ webhookEndpoints }: CardPayments): Promise<Made> {
  for await (const endpoint of webhookEndpoints.list()) {
    if (endpoint.status === 'enabled') return { event: await webhookEndpoints.test(endpoint.id) };
  }
  // Without a receiver the event is in the log, and its delivery fails.
  const { id } = await webhookEndpoints.create({ url: 'https://receiver.invalid/webhook' });
  try {
    return { event: await webhookEndpoints.test(id) };
  } finally {
    await webhookEndpoints.delete(id);
  }
}

/** Every type except the one that only many declined cards cause. */
type Triggered = Exclude<EventType, 'risk.cardTesting'>;

/** The recipe of each type of event in the sandbox. */
const recipes: Readonly<Record<Triggered, Recipe>> = {
  'payment.pending': challengeFails,
  'payment.requiresAction': ofPayment(({ sandbox }, id) =>
    sandbox.setOutcome(id, { outcome: 'requiresAction', method: 'card' }),
  ),
  'payment.paid': ofPayment(({ sandbox }, id) => sandbox.setOutcome(id, { outcome: 'paid' })),
  'payment.failed': ofPayment(({ sandbox }, id) => sandbox.setOutcome(id, { outcome: 'failed' })),
  'payment.refunded': ofRefund('succeeded'),
  'payment.partiallyRefunded': ofRefund('succeeded', 1000),
  'payment.disputed': async (cp) => ({ paymentId: (await dispute(cp)).paymentId }),
  'payment.disputeWon': ofDispute('won'),
  'payment.disputeLost': ofDispute('lost'),
  'payment.unexpectedCapture': ofPayment(async ({ sandbox }, id) => {
    await sandbox.setOutcome(id, { outcome: 'failed' });
    await sandbox.setOutcome(id, { outcome: 'unexpectedCapture' });
  }),
  'refund.created': async (cp) => ({ paymentId: (await refund(cp)).paymentId }),
  'refund.succeeded': ofRefund('succeeded'),
  'refund.failed': ofRefund('failed'),
  'refund.canceled': async (cp) => {
    const { id, paymentId } = await refund(cp);
    await cp.refunds.cancel(id);
    return { paymentId };
  },
  'dispute.created': async (cp) => ({ paymentId: (await dispute(cp)).paymentId }),
  'dispute.updated': async (cp) => {
    const { id, paymentId } = await dispute(cp, { stage: 'inquiry' });
    await cp.sandbox.resolveDispute(id, { outcome: 'escalated' });
    return { paymentId };
  },
  'dispute.underReview': async (cp) => {
    const { id, paymentId } = await dispute(cp);
    await cp.disputes.stageEvidence(id, { evidence: { shipping: 'signed by the customer' } });
    await cp.disputes.submit(id);
    return { paymentId };
  },
  'dispute.won': ofDispute('won'),
  'dispute.lost': ofDispute('lost'),
  'dispute.withdrawn': ofDispute('withdrawn'),
  'dispute.evidenceDueSoon': async (cp) => {
    const { paymentId } = await dispute(cp, { dueInSeconds: reminderSeconds + 2 });
    return { paymentId };
  },
  'endpoint.test': testEndpoint,
};

/** Every type of event that can be triggered. */
export const triggerTypes = Object.keys(recipes) as Triggered[];

/** Returns the event type that a text names; undefined when there is none. */
export const triggerType = (text: string): Triggered | undefined => triggerTypes.find((one) => one === text);

/** Creates real objects in the sandbox that must cause an event of the type. */
export const runRecipe = (type: Triggered, cp: CardPayments): Promise<Made> => recipes[type](cp);
