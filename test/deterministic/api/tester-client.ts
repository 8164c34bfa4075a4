import type { ClientPlan } from '../../chaos/plan.ts';
import { runClient } from '../../chaos/workload.ts';
import type { Caller } from './caller.ts';

/** A card that is declined each time, and may be tried again. */
const declinedCard = '4000000000000002';

/** Plays a thief who tries stolen cards at a shop, which refuses further ones after some declines. */
export async function testCards({ shop, random, context, index }: Caller, plan: ClientPlan): Promise<void> {
  for (let payments = 2; payments > 0; payments -= 1) {
    const card = { ...plan, index, seed: random.between(1, 2 ** 31), startMs: 0, card: declinedCard };
    await runClient({ ...card, behaviour: 'pays' }, { ...context.workload, apiKey: shop.apiKey });
  }
}
