import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';
import { slowReceiver } from './endpoint-client.ts';
import { createPayment, orderFor } from './scene-payment.ts';

/** How often the events of the payment are read until there is one. */
const maxReads = 40;

/**
 * Plays a developer whose receiver is slow, and who sends the event of a payment again while the service
 * still waits for the answer to its first try.
 */
export async function redeliverAtOnce(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { client } = caller;
  const url = `${slowReceiver}/${caller.index}`;
  const created = await caller.change('POST', '/v1/webhook-endpoints', { url, events: ['payment.*'] });
  const endpointId = /"id":"([^"]+)"/.exec(created?.result === 'ok' ? created.text : '')?.[1];
  if (endpointId === undefined) return;
  const payment = await createPayment(caller, { amountCents, isCustom: false });
  if (payment !== null) {
    const paying = orderFor(caller, payment.id, 'outcome', { outcome: 'paid' });
    for (let reads = 0; reads < maxReads && !client.isOver; reads += 1) {
      const { ids } = await caller.list(`/v1/events?paymentId=${payment.id}&limit=5`);
      const [eventId] = ids;
      if (eventId !== undefined) {
        const again = { op: 'change', method: 'POST', path: `/v1/events/${eventId}/redeliver` } as const;
        await client.call({ ...again, body: { endpointId }, isAnyShape: true });
        break;
      }
      await client.pause(10, 60);
    }
    await paying;
  }
  await client.pause(500, 3_000);
  await caller.change('PATCH', `/v1/webhook-endpoints/${endpointId}`, { status: 'disabled' });
}
