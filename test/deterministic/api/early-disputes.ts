import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';
import { createPayment, orderAtNetwork, orderFor, untilStatus } from './scene-payment.ts';

/** Why these disputes are opened. Those of the clients that pay have another reason, and are counted. */
const reason = 'duplicate';

/** How long the network's answer to a charge is on its way, in ms: until the dispute has arrived. */
const answerMs = [200, 4_000] as const;

/** Plays a customer whose bank disputes a charge before the service knows that the charge was paid. */
export async function disputeAtOnce(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { random, context } = caller;
  const { scheduler, world, made } = context;
  const created = await createPayment(caller, { amountCents, isCustom: false });
  if (created === null) return;
  const { id } = created;
  made.disputed.add(id);
  const forget = world.network.meanwhile.add({
    request: new RegExp(`^POST /v1/charges ${id}:`),
    when: 'after',
    happens: async () => {
      await orderAtNetwork(caller, '/v1/simulate/disputes', { paymentId: id, reason });
      await scheduler.pause(...answerMs);
    },
  });
  await orderFor(caller, id, 'outcome', { outcome: 'paid' });
  forget();
  if (random.chance(0.5)) await untilStatus(caller, id, 'disputed');
}
