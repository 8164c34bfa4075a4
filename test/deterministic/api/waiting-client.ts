import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';
import { createPayment } from './scene-payment.ts';

/** The kind of fault that stops an API while calls wait in it, as the line of faults names it. */
const stopFault = 'api stopped while calls wait';

/** Plays a shop whose calls wait for a change of a payment while the API is deployed again. */
export async function waitThroughDeploy(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { client, context } = caller;
  const { world, scheduler } = context;
  const created = await createPayment(caller, { amountCents, isCustom: true });
  if (created === null) return;
  const path = `/v1/payments/${created.id}`;
  const waits = Promise.all([
    caller.read(`${path}?waitSeconds=9`),
    caller.read(`${path}/status?waitSeconds=9`),
  ]);
  await client.pause(200, 900);
  const api = world.running().find(({ name }) => name.startsWith('api'));
  if (api !== undefined && scheduler.troubled && scheduler.allows(stopFault)) {
    scheduler.met(stopFault);
    world.stop(api);
  }
  await waits;
  await caller.read(`${path}?waitSeconds=2`);
}
