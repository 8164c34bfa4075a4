import type { Caller } from './caller.ts';

/** Reads that are sent at once: more than the limit of a payment's reads admits. */
const atOnce = 60;
/** CSVs that are read at once: more than one merchant may. */
const csvsAtOnce = 5;

/**
 * Plays a script that reads the status of one payment many times at once. The rate limit refuses some of the
 * reads.
 */
export async function floodReads(caller: Caller): Promise<void> {
  const created = await caller.keyed('create', '/v1/payments', {
    ...{ amountCents: 1_500, currency: 'USD', reference: `flood-${caller.index}`, checkoutMode: 'custom' },
    ...{ successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' },
  });
  const id = created?.result === 'ok' ? created.data?.id : undefined;
  if (id === undefined) return;
  const path = `/v1/payments/${id}/status`;
  await Promise.all(Array.from({ length: atOnce }, () => caller.read(path)));
  await Promise.all(Array.from({ length: csvsAtOnce }, () => caller.read('/v1/search/payments', 'text/csv')));
  await caller.client.pause(100, 400);
  await caller.read(path);
}
