import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningShop } from './running-shop.ts';

/** What the checks need: the service, and how to start the shop anew. */
export interface Sample {
  name: string;
  service: { baseUrl: string; sandboxApiKey: string };
  /** Starts the shop on its old data; `secret`: of the webhook endpoint. */
  start: () => Promise<RunningShop>;
  /** Whether webhooks reach the shop. */
  setWebhooks: (on: boolean) => Promise<void>;
}

const callMs = 20_000;
const tries = 300;
const pauseMs = 100;

async function call(sample: Sample, method: string, path: string, body?: object): Promise<unknown> {
  const { baseUrl, sandboxApiKey } = sample.service;
  const answered = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${sandboxApiKey}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(callMs),
  });
  const { data } = (await answered.json()) as { data?: unknown };
  if (!answered.ok) throw new Error(`${method} ${path}: ${answered.status}`);
  return data;
}

/** Sends the form of an order, as a browser does; returns where the shop sends the customer. */
async function send(shop: RunningShop, order: string): Promise<string> {
  const answered = await fetch(`${shop.url}/orders/${order}`, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout(callMs),
  });
  if (answered.status !== 303) throw new Error(`the form was answered ${answered.status}`);
  return answered.headers.get('location') ?? '';
}

async function paymentsOf(sample: Sample, order: string): Promise<{ id: string }[]> {
  return (await call(sample, 'GET', `/v1/search/payments?reference=${order}`)) as { id: string }[];
}

async function pay(sample: Sample, order: string): Promise<void> {
  const [payment] = await paymentsOf(sample, order);
  await call(sample, 'POST', `/v1/sandbox/payments/${payment?.id}/outcome`, { outcome: 'paid' });
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < tries; round += 1) {
    if (await holds()) return;
    await sleep(pauseMs);
  }
  throw new Error(`${what} did not happen`);
}

async function isShipped(shop: RunningShop, order: string): Promise<boolean> {
  const answered = await fetch(`${shop.url}/orders/${order}`, { signal: AbortSignal.timeout(callMs) });
  return ((await answered.json()) as { status: string }).status === 'shipped';
}

function expectEqual(what: string, got: unknown, wanted: unknown): void {
  if (got !== wanted) throw new Error(`${what}: ${String(got)} instead of ${String(wanted)}`);
}

/** The guarantees of a sample, each with its check. They run in this order. */
export const checks: Readonly<Record<string, (sample: Sample) => Promise<void>>> = {
  'a form that is sent three times at once creates one payment': async (sample) => {
    const shop = await sample.start();
    try {
      const order = crypto.randomUUID();
      const addresses = await Promise.all([send(shop, order), send(shop, order), send(shop, order)]);
      expectEqual('addresses', new Set(addresses).size, 1);
      expectEqual('payments', (await paymentsOf(sample, order)).length, 1);
      await pay(sample, order);
    } finally {
      await shop.kill();
    }
  },
  'a webhook fulfills the order once, also when it arrives twice': async (sample) => {
    const shop = await sample.start();
    try {
      await sample.setWebhooks(true);
      const order = crypto.randomUUID();
      await send(shop, order);
      await pay(sample, order);
      await until('the shipment', () => isShipped(shop, order));
      const [payment] = await paymentsOf(sample, order);
      const query = `paymentId=${payment?.id}&type=payment.paid`;
      const [event] = (await call(sample, 'GET', `/v1/events?${query}`)) as { id: string }[];
      await call(sample, 'POST', `/v1/events/${event?.id}/redeliver`, {});
      await until('the second delivery', () => shop.webhooks() >= 2);
      expectEqual('shipments', shop.shipments(order), 1);
    } finally {
      await sample.setWebhooks(false);
      await shop.kill();
    }
  },
  'a webhook without a valid signature is refused and ships nothing': async (sample) => {
    const shop = await sample.start();
    try {
      const order = crypto.randomUUID();
      await send(shop, order);
      const [payment] = await paymentsOf(sample, order);
      const answered = await fetch(`${shop.url}/webhooks`, {
        method: 'POST',
        headers: {
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
          'webhook-signature': 'v1,AAAA',
        },
        body: JSON.stringify({ id: 'evt_1', type: 'payment.paid', data: { id: payment?.id } }),
        signal: AbortSignal.timeout(callMs),
      });
      expectEqual('status', answered.status, 400);
      expectEqual('shipments', shop.shipments(order), 0);
    } finally {
      await shop.kill();
    }
  },
  'a payment that was paid while the shop was killed is fulfilled at its start, once': async (sample) => {
    const order = crypto.randomUUID();
    const before = await sample.start();
    await send(before, order);
    await before.kill();
    await pay(sample, order);
    const after = await sample.start();
    try {
      await until('the shipment', () => isShipped(after, order));
      expectEqual('shipments', after.shipments(order), 1);
    } finally {
      await after.kill();
    }
  },
};
