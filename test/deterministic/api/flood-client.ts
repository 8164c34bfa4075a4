import type { Caller } from './caller.ts';

/** Reads that are sent at once: more than the limit of a payment's reads admits. */
const atOnce = 60;

/** Plays a script that reads one payment many times at once. The rate limit refuses some of the reads. */
export async function floodReads(caller: Caller): Promise<void> {
  const { ids } = await caller.list('/v1/payments?perPage=5');
  const [id] = ids;
  if (id === undefined) return;
  await Promise.all(Array.from({ length: atOnce }, () => caller.read(`/v1/payments/${id}`)));
  await caller.client.pause(100, 400);
  await caller.read(`/v1/payments/${id}`);
}
