import { z } from 'zod';
import { StripeError } from './errors.ts';
import type { StoredEvent } from './records.ts';

const modes = ['late', 'doubled', 'reordered', 'forged', 'replayed', 'lost'] as const;
export type WebhookTrouble = (typeof modes)[number];

/** A fault in the next `count` deliveries of an account's events, of one type where it is named. */
export const webhookOrderBody = z.strictObject({
  mode: z.enum(modes),
  count: z.coerce.number().int().min(1).max(1_000).default(1),
  type: z.string().min(1).max(100).optional(),
  afterSeconds: z.coerce.number().int().min(1).max(86_400).default(5),
});
type WebhookOrder = z.infer<typeof webhookOrderBody> & { accountId: string };

const MAX_ORDERS = 1_000;

/** Faults of webhooks, in memory only: a restart drops them. They never affect live events. */
export class WebhookOrders {
  #orders: WebhookOrder[] = [];

  add(order: WebhookOrder): void {
    if (this.#orders.length >= MAX_ORDERS) {
      throw new StripeError(409, {
        type: 'invalid_request_error',
        message: 'Too many orders wait: clear them.',
      });
    }
    this.#orders.push({ ...order });
  }

  /** Uses one turn of the oldest order that matches the event and returns its fault, or null. */
  take(event: StoredEvent): { mode: WebhookTrouble; afterSeconds: number } | null {
    if (event.live) return null;
    const order = this.#orders.find(
      ({ accountId, type }) => accountId === event.accountId && (type ?? event.type) === event.type,
    );
    if (!order) return null;
    order.count -= 1;
    if (order.count <= 0) this.#orders = this.#orders.filter((each) => each !== order);
    return order;
  }

  clear(accountId: string): void {
    this.#orders = this.#orders.filter((order) => order.accountId !== accountId);
  }
}
