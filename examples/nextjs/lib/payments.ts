import { CardPayments, CardPaymentsError } from '@card-payments/sdk';
import { findOrder, insertOrder, markClosed, markShipped, pendingOrders, storePayment } from './orders';

export const priceCents = 2500;

const recoverMs = 2_000;

// Made at the first call: the settings are not there while Next.js builds.
let client: CardPayments | undefined;
const cp = (): CardPayments => (client ??= new CardPayments());

/** Stores the order and returns the address that the customer goes to. Any number of calls make one payment. */
export async function placeOrder(id: string): Promise<string> {
  await insertOrder(id, priceCents);
  return (await startPayment(id)) ?? thanksUrl(id);
}

/**
 * Returns the address of the checkout page; null once it is closed. The key is the order's id, so that a
 * repetition after a crash finds the same payment. Its id is stored before the customer can pay.
 */
async function startPayment(id: string): Promise<string | null> {
  const order = await findOrder(id);
  if (order === null) return null;
  const payment = await cp().payments.createOnce(id, {
    amountCents: order.amountCents,
    currency: 'USD',
    reference: id,
    successUrl: thanksUrl(id),
    cancelUrl: `${shopUrl()}/`,
  });
  await storePayment(id, payment.id);
  return payment.checkoutUrl;
}

/** Reads the payment and fulfills its order. Any number of calls, at once or later, fulfill it once. */
export async function fulfillIfPaid(paymentId: string): Promise<void> {
  const payment = await cp().payments.retrieve(paymentId);
  if (payment.status !== 'paid') return;
  if (await markShipped(payment.reference, payment.id, payment.amountCents)) {
    console.log(`shipping ${payment.reference}`);
  }
}

/** Checks every open order, to find what webhooks, answers or this process lost. */
export async function reconcile(): Promise<void> {
  for (const order of await pendingOrders()) {
    try {
      if (order.paymentId === null) {
        await startPayment(order.id);
        continue;
      }
      await fulfillIfPaid(order.paymentId);
      const outcome = await cp().payments.recover(order.paymentId, { timeoutMs: recoverMs });
      if (outcome.status === 'failed' || outcome.status === 'expired') await markClosed(order.id);
    } catch (error) {
      // One order that cannot be read must not stop the others.
      if (!(error instanceof CardPaymentsError)) throw error;
    }
  }
}

const shopUrl = (): string => process.env.SHOP_URL ?? 'http://127.0.0.1:3001';
const thanksUrl = (id: string): string => `${shopUrl()}/thanks/${id}`;
