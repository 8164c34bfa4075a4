import { sendCard } from '../../chaos/customer.ts';
import type { Call } from '../../chaos/history.ts';
import { networkOrders } from '../../chaos/network-trouble.ts';
import type { Caller } from './caller.ts';

/** Creates a payment of a scene; returns its id, null when it was not created in time. */
export async function createPayment(
  caller: Caller,
  { amountCents, isCustom }: { amountCents: number; isCustom: boolean },
): Promise<{ id: string; checkoutUrl: string } | null> {
  const created = await caller.keyed('create', '/v1/payments', {
    amountCents,
    currency: 'USD',
    reference: `scene-${caller.index}`,
    successUrl: 'https://shop.example/ok',
    cancelUrl: 'https://shop.example/no',
    checkoutMode: isCustom ? 'custom' : 'hosted',
  });
  const { id, checkoutUrl } = created?.data ?? {};
  if (created?.result !== 'ok' || id === undefined) return null;
  caller.client.paymentId = id;
  return { id, checkoutUrl: checkoutUrl ?? '' };
}

/** How often an order without an answer is sent again, and how often a scene lets a payment be paid. */
const maxOrders = 3;
const maxPays = 3;

/**
 * Sends an order of the sandbox about a payment. Without an answer, its effect is to be read: the key of an
 * order that was cut off is in progress for longer than a scene lasts.
 */
export async function orderFor(caller: Caller, id: string, verb: string, body: object): Promise<Call> {
  const path = `/v1/sandbox/payments/${id}/${verb}`;
  const request = { op: 'order', method: 'POST', path, body, key: caller.newKey('order') } as const;
  let answer = await caller.client.call(request);
  for (let tries = 1; tries < maxOrders && answer.result === 'unknown'; tries += 1) {
    await caller.client.pause(100, 400);
    answer = await caller.client.call(request);
  }
  return answer;
}

/** Creates a payment and lets the sandbox pay it; returns its id, null when it was not paid in time. */
export async function paidPayment(caller: Caller, amountCents: number): Promise<string | null> {
  const { client, context } = caller;
  const created = await createPayment(caller, { amountCents, isCustom: false });
  if (created === null) return null;
  const { id } = created;
  client.untilMs = context.workload.refundUntilMs;
  for (let tries = 0; tries < maxPays; tries += 1) {
    await orderFor(caller, id, 'outcome', { outcome: 'paid' });
    if (await untilStatus(caller, id, 'paid')) return id;
  }
  return null;
}

/** Reads a payment until it has a status; false when it has none of this status in time. */
export async function untilStatus(caller: Caller, id: string, status: string): Promise<boolean> {
  for (let reads = 0; reads < 8 && !caller.client.isOver; reads += 1) {
    const { data } = await caller.client.get('read', `/v1/payments/${id}`);
    if (data?.status === status) return true;
    if (data?.status !== undefined && data.status !== 'pending') return false;
    await caller.client.pause(200, 700);
  }
  return false;
}

/** Captures a card of a custom payment; returns what pay needs, null when the vault took none. */
export async function captureCard(
  { client }: Caller,
  id: string,
  number: string,
): Promise<{ cardToken: string; captureReference: string } | null> {
  const path = `/v1/payments/${id}/capture`;
  const access = (await client.callWithRetries({ op: 'capture', method: 'POST', path }))?.data?.capture;
  return access ? client.observed('card', () => sendCard(access, number, () => client.isOver)) : null;
}

/** Pays with a captured card; returns the answer, also one that is not known. */
export const payWith = ({ client }: Caller, id: string, card: object): Promise<Call> =>
  client.call({ op: 'pay', method: 'POST', path: `/v1/payments/${id}/pay`, body: card });

/** Reads a checkout until it has one of these statuses; returns it, null when it has none in time. */
export async function untilCheckout(
  { client }: Caller,
  id: string,
  statuses: readonly string[],
): Promise<string | null> {
  while (!client.isOver) {
    const { data } = await client.get('status', `/v1/payments/${id}/status`);
    if (data?.status !== undefined && statuses.includes(data.status)) return data.status;
    await client.pause(150, 600);
  }
  return null;
}

/** Sends an order to the network that moves the money, as a person in its own dashboard does. */
export async function orderAtNetwork({ context }: Caller, path: string, body: object): Promise<void> {
  const { networkUrl, networkKey } = context.world.provider;
  await networkOrders(networkUrl, networkKey)(path, body).catch((error: unknown) =>
    context.scheduler.note(`the network took no order: ${String(error)}`),
  );
}
