import { approveAction, browse } from '../../chaos/customer.ts';
import type { Call } from '../../chaos/history.ts';
import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';
import { captureCard, createPayment, orderFor, payWith, untilCheckout } from './scene-payment.ts';

/** A card with a challenge, and one that is declined after it. */
const challenged = '4000000000003220';
const declinedAfterwards = '4000008400001629';

const ways = ['soon', 'twice', 'late', 'unreachable', 'old link', 'after a return'] as const;

/**
 * Plays a shop that confirms its customers' steps itself: too early, twice at once, after the deadline, and
 * after its customer came back. Customers open the links of steps twice, and those of earlier attempts.
 */
export async function confirmSteps(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { random, client } = caller;
  const created = await createPayment(caller, { amountCents, isCustom: true });
  if (created === null) return;
  const { id } = created;
  const way = random.pick(ways);
  const link = await payToStep(caller, id, way === 'old link' ? declinedAfterwards : challenged);
  if (link === null) return;
  if (way === 'soon' || random.chance(0.3)) await confirm(caller, id);
  // The customer comes back without having taken the step.
  if (way === 'soon' || random.chance(0.3)) await open(`${link}/return`);
  if (way === 'late') {
    caller.context.made.movedDeadline.add(id);
    await orderFor(caller, id, 'advance-clock', { bySeconds: 30 });
    await confirm(caller, id);
    return;
  }
  if (way === 'unreachable') loseLookups(caller, id);
  await takeStep(caller, link, way === 'after a return' || way === 'unreachable');
  await Promise.all(way === 'twice' ? [confirm(caller, id), confirm(caller, id)] : [confirm(caller, id)]);
  await confirm(caller, id);
  if (way === 'old link' && !client.isOver) {
    const later = await payToStep(caller, id, challenged);
    await open(link);
    await open(`${link}/return`);
    if (later !== null) await takeStep(caller, later, false);
    await confirm(caller, id);
  }
}

/** Confirms the step, if the shop may do so itself. Otherwise its customers' return does. */
async function confirm({ client, shop }: Caller, id: string): Promise<Call | null> {
  if (!shop.customActions) return null;
  const path = `/v1/payments/${id}/confirm`;
  return client.callWithRetries({ op: 'confirm', method: 'POST', path, body: {} });
}

/** Pays with a card up to the step of its customer. Returns the step's link, null when there is none. */
async function payToStep(caller: Caller, id: string, number: string): Promise<string | null> {
  const { client } = caller;
  const card = await captureCard(caller, id, number);
  if (card === null) return null;
  await payWith(caller, id, card);
  const status = await untilCheckout(caller, id, ['requiresAction', 'failed_retryable', 'paid', 'expired']);
  if (status !== 'requiresAction') return null;
  const path = `/v1/payments/${id}/checkout`;
  const checkout = await client.callWithRetries({ op: 'checkout', method: 'GET', path });
  return checkout?.data?.actionUrl ?? null;
}

/** Takes the step at the network, until its page answers. */
async function takeStep({ client }: Caller, link: string, comesBack: boolean): Promise<void> {
  for (let tries = 0; tries < 10 && !client.isOver; tries += 1) {
    try {
      return await approveAction(
        link,
        () => comesBack,
        async () => undefined,
      );
    } catch {
      await client.pause(100, 500);
    }
  }
}

/** Opens a page of the service as a browser does. A page that does not answer is left. */
const open = (url: string): Promise<unknown> => browse(url).catch(() => undefined);

/** Loses the request with which an API asks the network whether the customer has taken the step. */
function loseLookups({ context }: Caller, id: string): void {
  const { meanwhile } = context.world.network;
  meanwhile.add({
    request: new RegExp(`^GET /v1/charges/${id}`),
    when: 'before',
    happens: () => Promise.reject(new Error('the network was not reached')),
  });
}
