import { z } from 'zod';
import { Refusal } from './server.ts';

/**
 * One order for trouble: the next `count` sandbox calls of `merchantId`, of `paymentId`, or of both, behave
 * as `mode` says. One of the two is always named.
 */
export interface Fault<Mode extends string> {
  mode: Mode;
  count: number;
  merchantId?: string | undefined;
  paymentId?: string | undefined;
  /** Which kind of call; any when left out. */
  on?: string | undefined;
}

/** Whose call it is that a fault may strike. */
export interface CallOwner {
  merchantId: string;
  environment: string;
  paymentId: string;
  /** What kind of call it is, where the simulator tells kinds apart. */
  on?: string;
}

const MAX_ORDERS = 10_000;
const MAX_ORDERS_OF_ONE = 100;

/** The body of an order. Refuses one that names neither a merchant nor a payment: it would strike anybody. */
export function faultOrder<Mode extends string>(modes: readonly [Mode, ...Mode[]]) {
  return z
    .object({
      mode: z.enum(modes),
      count: z.int().min(1).max(1_000),
      merchantId: z.string().min(1).max(128).optional(),
      paymentId: z.string().min(1).max(128).optional(),
    })
    .refine(({ merchantId, paymentId }) => merchantId !== undefined || paymentId !== undefined, {
      path: ['merchantId'],
    });
}

/** Faults to come, in memory only: a restart forgets them. They never strike a live call. */
export class Faults<Mode extends string> {
  #orders: Fault<Mode>[] = [];

  /** Refuses 409 `too_many_faults`, for each merchant by itself. */
  add(order: Fault<Mode>): void {
    const ofSameMerchant = this.#orders.filter(({ merchantId }) => merchantId === order.merchantId).length;
    if (ofSameMerchant >= MAX_ORDERS_OF_ONE || this.#orders.length >= MAX_ORDERS)
      throw new Refusal(409, 'too_many_faults', 'Clear the waiting faults first.');
    this.#orders.push({ ...order });
  }

  /** Uses up one turn of the oldest order that fits this call, or gives null. */
  take(call: CallOwner): Mode | null {
    if (call.environment !== 'sandbox') return null;
    const order = this.#orders.find(
      ({ merchantId, paymentId, on }) =>
        (merchantId ?? call.merchantId) === call.merchantId &&
        (paymentId ?? call.paymentId) === call.paymentId &&
        (on ?? call.on) === call.on,
    );
    if (!order) return null;
    order.count -= 1;
    if (order.count <= 0) this.#orders = this.#orders.filter((each) => each !== order);
    return order.mode;
  }

  list(): readonly Fault<Mode>[] {
    return this.#orders;
  }

  /** Forgets the orders of one merchant; of all when left out. */
  clear(merchantId?: string): void {
    this.#orders =
      merchantId === undefined ? [] : this.#orders.filter((order) => order.merchantId !== merchantId);
  }
}
