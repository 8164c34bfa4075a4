import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';
import { createPayment, orderFor } from './scene-payment.ts';

/**
 * Plays a customer whose checkout ends while the vault registers the access for a card: the time is over, or
 * the customer has paid in another way. The shop then asks for the access again.
 */
export async function captureAtTheEnd(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { random, client, context } = caller;
  const created = await createPayment(caller, { amountCents, isCustom: true });
  if (created === null) return;
  const { id } = created;
  const end = random.pick([
    () => orderFor(caller, id, 'outcome', { outcome: 'paid' }),
    () => orderFor(caller, id, 'advance-clock', { bySeconds: 30 }),
  ]);
  context.made.movedDeadline.add(id);
  const forget = context.world.network.meanwhile.add({
    request: /^PUT \/service\/sessions\//,
    when: random.pick(['before', 'after']),
    happens: end,
  });
  const capture = { op: 'capture', method: 'POST', path: `/v1/payments/${id}/capture` } as const;
  await client.callWithRetries(capture);
  forget();
  await client.call(capture);
}
