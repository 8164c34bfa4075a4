import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';
import { createPayment, orderAtNetwork, orderFor } from './scene-payment.ts';

/** Plays a network that reports a state of a declined charge that this version does not know. */
export async function decideMeanwhile(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { client } = caller;
  const created = await createPayment(caller, { amountCents, isCustom: false });
  if (created === null) return;
  const { id } = created;
  const charge = `/v1/simulate/charges/${id}:1`;
  await orderFor(caller, id, 'outcome', { outcome: 'failed', failureCode: 'lost_card' });
  await client.pause(500, 1_500);
  await orderAtNetwork(caller, `${charge}/misreport`, { status: 'settled_tomorrow' });
  await client.pause(1_000, 3_000);
  await orderAtNetwork(caller, `${charge}/misreport`, {});
}
