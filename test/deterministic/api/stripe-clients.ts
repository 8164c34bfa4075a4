import { payOnPage } from '../../chaos/page-client.ts';
import { readLedger } from '../../chaos/ledger.ts';
import { chargeThatPaid } from '../../chaos/made.ts';
import { networkOrders } from '../../chaos/network-trouble.ts';
import type { ClientPlan } from '../../chaos/plan.ts';
import { origins, stripeCredentials } from '../providers.ts';
import type { Caller } from './caller.ts';
import { captureCard, createPayment, orderAtNetwork, payWith, untilCheckout } from './scene-payment.ts';

/** Cards of wallets, with relative frequencies: paid, declined, with a challenge. */
const walletCards = [
  ['4242424242424242', 3],
  ['4000000000000002', 1],
  ['4000000000003220', 1],
] as const;

/** Plays a customer who pays with Apple Pay or Google Pay on a hosted page of a shop at Stripe. */
export async function payByWallet(caller: Caller, plan: ClientPlan): Promise<void> {
  const { random, client } = caller;
  const created = await createPayment(caller, { amountCents: plan.amountCents, isCustom: false });
  if (created === null) return;
  const card = random.weighted(walletCards);
  await payOnPage(client, { ...plan, card }, random, created.checkoutUrl, async () => {
    // A manipulated page may send anything.
    if (random.chance(0.2)) return 'pm_card_of_no_wallet';
    await orderAtNetwork(caller, '/simulate/wallet', { number: card });
    return makeWalletToken(random.pick(['apple_pay', 'google_pay'])).catch(() => null);
  });
}

/** Makes a payment method from a wallet, as Stripe.js does in the customer's browser. */
async function makeWalletToken(wallet: string): Promise<string | null> {
  const response = await fetch(`${origins.stripe}/stripe-js/payment_methods`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key: stripeCredentials.publishableKey, wallet }).toString(),
  });
  const made = (await response.json()) as { id?: string };
  return made.id ?? null;
}

/** Pays once with a card; returns the checkout's status afterwards, null when it is not known in time. */
async function payOnce(caller: Caller, id: string, number: string): Promise<string | null> {
  const card = await captureCard(caller, id, number);
  if (card === null) return null;
  await payWith(caller, id, card);
  return untilCheckout(caller, id, ['paid', 'failed_retryable', 'requiresAction', 'expired']);
}

/** A card whose refunds succeed at first and fail later. */
const refundFailsLater = '4000000000005126';

/** How long to wait for the failure of a refund, in ms. */
const failsWithinMs = 25_000;

/**
 * Plays a shop whose refund fails at Stripe after it succeeded, and who gives the money back in Stripe's own
 * dashboard, before the service has noticed the failure.
 */
export async function refundInBothPlaces(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { client, context, random } = caller;
  const created = await createPayment(caller, { amountCents, isCustom: true });
  if (created === null) return;
  const { id } = created;
  if ((await payOnce(caller, id, refundFailsLater)) !== 'paid') return;
  client.untilMs = context.workload.refundUntilMs;
  const key = caller.newKey('refund');
  const path = `/v1/payments/${id}/refunds`;
  const body = random.chance(0.5) ? {} : { amountCents: Math.ceil(amountCents * 0.7) };
  await client.callWithRetries({ op: 'refund', method: 'POST', path, body, key });
  const untilMs = Date.now() + failsWithinMs;
  while (Date.now() < untilMs && !client.isOver) {
    const ledger = await readLedger(context.world.provider, id).catch(() => null);
    const paid = ledger && chargeThatPaid(ledger, context.made);
    if (paid && ledger.refunds.some(({ status }) => status === 'failed')) {
      return refundElsewhere(caller, id, paid);
    }
    await client.pause(5, 20);
  }
}

async function refundElsewhere(
  { context }: Caller,
  id: string,
  { chargeId, amountCents }: { chargeId: string; amountCents: number },
): Promise<void> {
  const { networkUrl, networkKey } = context.world.provider;
  const key = `elsewhere-${id}`;
  // Recorded before the order, which may have its effect without an answer.
  context.made.refundedElsewhere.add(key);
  const order = `/v1/refunds?charge=${chargeId}&amount=${amountCents}`;
  await networkOrders(networkUrl, networkKey)(order, {}, key).catch((error: unknown) =>
    context.scheduler.note(`not refunded: ${String(error)}`),
  );
}
