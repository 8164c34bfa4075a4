import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';
import { captureCard, createPayment, payWith, untilCheckout } from './scene-payment.ts';

const number = '4242424242424242';

/**
 * Plays a shop that mixes up two customers: it pays with the card that was captured for another payment, also
 * under the reference of its own, and then with the right one.
 */
export async function payWithWrongCard(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { random } = caller;
  const other = await createPayment(caller, { amountCents, isCustom: true });
  const others = other && (await captureCard(caller, other.id, number));
  const created = await createPayment(caller, { amountCents, isCustom: true });
  if (created === null || others === null) return;
  const { id } = created;
  const card = await captureCard(caller, id, number);
  if (card === null) return;
  const { captureReference } = random.chance(0.5) ? card : others;
  await payWith(caller, id, { cardToken: others.cardToken, captureReference });
  if ((await untilCheckout(caller, id, ['open', 'paid', 'failed_retryable', 'expired'])) === 'paid') return;
  await payWith(caller, id, card);
}
