import type { Caller } from './caller.ts';
import { slowReceiver } from './endpoint-client.ts';

/** Plays a developer who sends an event again while its first try still waits for a slow receiver. */
export async function redeliverAtOnce(caller: Caller): Promise<void> {
  const { client, random } = caller;
  const url = `${slowReceiver}/${caller.index}`;
  const created = await caller.change('POST', '/v1/webhook-endpoints', { url, events: ['payment.*'] });
  const id = /"id":"([^"]+)"/.exec(created?.result === 'ok' ? created.text : '')?.[1];
  if (id === undefined) return;
  const path = `/v1/webhook-endpoints/${id}`;
  for (let tests = random.between(2, 3); tests > 0 && !client.isOver; tests -= 1) {
    const testing = caller.change('POST', `${path}/test`);
    await client.pause(20, 200);
    const { text } = await caller.read(`${path}/deliveries?limit=3`);
    const tested = await (random.chance(0.5) ? testing : null);
    const eventId = /evt_\w{24}/.exec(`${text} ${tested?.text ?? ''}`)?.[0];
    if (eventId !== undefined) {
      await caller.change('POST', `/v1/events/${eventId}/redeliver`, { endpointId: id });
    }
    await testing;
  }
  await caller.change('PATCH', path, { status: 'disabled' });
}
