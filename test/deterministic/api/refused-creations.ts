import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';
import { createWrongly } from './wrong-orders.ts';

/** Plays a developer whose payments the settings of the shop or its provider do not allow. */
export const createRefused = (caller: Caller, { amountCents }: ClientPlan): Promise<void> =>
  createWrongly(caller, {
    ...{ amountCents, currency: 'USD', reference: `refused-${caller.index}`, checkoutMode: 'hosted' },
    ...{ successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' },
  });
