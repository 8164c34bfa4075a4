import type { ClientPlan } from '../../chaos/plan.ts';
import { frozenRunLost } from '../themes.ts';
import type { Caller } from './caller.ts';
import { createPayment, orderAtNetwork, orderFor, untilStatus } from './scene-payment.ts';

/**
 * Plays a developer who orders an outcome of a charge that the network has just decided otherwise, and one
 * whose network reports a state of a declined charge that this version does not know.
 */
export async function decideMeanwhile(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { random, client, context } = caller;
  const created = await createPayment(caller, { amountCents, isCustom: false });
  if (created === null) return;
  const { id } = created;
  const charge = `/v1/simulate/charges/${id}:1`;
  // A worker that is frozen for minutes would begin the charge after the orders, and nothing would decide it.
  if (!context.scheduler.isOfTheme(frozenRunLost) && random.chance(0.5)) {
    await orderFor(caller, id, 'outcome', { outcome: 'processing' });
    await orderAtNetwork(caller, charge, { outcome: 'captured' });
    await orderFor(caller, id, 'outcome', { outcome: 'failed' });
    await untilStatus(caller, id, 'paid');
    return;
  }
  await orderFor(caller, id, 'outcome', { outcome: 'failed', failureCode: 'lost_card' });
  await client.pause(500, 1_500);
  await orderAtNetwork(caller, `${charge}/misreport`, { status: 'settled_tomorrow' });
  await client.pause(1_000, 3_000);
  await orderAtNetwork(caller, `${charge}/misreport`, {});
}
