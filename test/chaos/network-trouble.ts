import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from './plan.ts';

/** How long to wait for a killed network, in ms. */
const waitMs = 30_000;

/**
 * Sends an order to a network. One order has its effect once under its key, however often it is sent. Throws
 * when the network does not accept it within half a minute.
 */
export type OrderAtNetwork = (path: string, body: object, idempotencyKey?: string) => Promise<void>;

/** Returns the function that sends orders to a network. */
export function networkOrders(url: string, key: string): OrderAtNetwork {
  return async (path, body, idempotencyKey = randomUUID()) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    };
    const untilMs = Date.now() + waitMs;
    for (;;) {
      const response = await fetch(url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(5_000),
      }).catch(() => null);
      if (response?.ok) return;
      if (Date.now() > untilMs || (response !== null && response.status < 500)) {
        throw new Error(`the network took no order ${path}: ${response?.status} ${await response?.text()}`);
      }
      await sleep(250);
    }
  };
}

/** Faults that a network is ordered to make itself, without a proxy. */
export interface NetworkTrouble {
  /** Orders the plan's faults of the network's webhooks and calls. A killed network forgets them. */
  injectTrouble: (plan: Pick<Plan, 'hints' | 'calls'>) => Promise<void>;
  /** Ends the faults. Messages that were held back still arrive, late. */
  endTrouble: () => Promise<void>;
}

/** Returns the orders of the Stripe dialect, for the account of `secretKey`. */
export function stripeTrouble(url: string, secretKey: string, note: (line: string) => void): NetworkTrouble {
  const order = async (method: 'POST' | 'DELETE', path: string, body?: object): Promise<void> => {
    const untilMs = Date.now() + waitMs;
    for (;;) {
      try {
        const response = await fetch(url + path, {
          method,
          headers: {
            authorization: `Bearer ${secretKey}`,
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(5_000),
        });
        if (response.ok) return;
        throw new Error(`the network took no order: ${response.status} ${await response.text()}`);
      } catch (error) {
        if (Date.now() > untilMs) throw error;
        await sleep(250);
      }
    }
  };
  return {
    injectTrouble: async ({ hints, calls }) => {
      for (const { mode, count, afterSeconds } of hints) {
        note(`webhooks: the next ${count} ${mode}`);
        const late = mode === 'late' ? { afterSeconds } : {};
        await order('POST', '/simulate/webhooks', { mode, count, ...late });
      }
      for (const { mode, on, count } of calls) {
        note(`${on}: the next ${count} ${mode}`);
        await order('POST', '/simulate/faults', { mode, on, count });
      }
    },
    endTrouble: async () => {
      await order('DELETE', '/simulate/webhooks');
      await order('DELETE', '/simulate/faults');
    },
  };
}

/** The other networks have only the faults of their proxies. */
export const noTrouble: NetworkTrouble = {
  injectTrouble: async () => undefined,
  endTrouble: async () => undefined,
};
