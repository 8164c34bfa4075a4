import { z } from 'zod';
import { Refusal } from './server.ts';

/**
 * One injected fault: the next `count` sandbox calls of `merchantId`, of `paymentId`, or of both fail as
 * `mode` names. At least one of the two is given.
 */
export interface Fault<Mode extends string> {
  mode: Mode;
  count: number;
  merchantId?: string | undefined;
  paymentId?: string | undefined;
  /** The kind of call; any when absent. */
  on?: string | undefined;
}

/** The owner of a call that a fault may affect. */
export interface CallOwner {
  merchantId: string;
  environment: string;
  paymentId: string;
  /** The kind of call, where the simulator distinguishes kinds. */
  on?: string;
}

const MAX_ORDERS = 10_000;
const MAX_ORDERS_OF_ONE = 100;

/** Returns the schema of an order. An order without merchant and payment would affect all merchants. */
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

/** The waiting faults, in memory only: a restart drops them. They never affect a live call. */
export class Faults<Mode extends string> {
  #orders: Fault<Mode>[] = [];

  /** Adds a fault. Refuses 409 `too_many_faults`, counted for each merchant. */
  add(order: Fault<Mode>): void {
    const ofSameMerchant = this.#orders.filter(({ merchantId }) => merchantId === order.merchantId).length;
    if (ofSameMerchant >= MAX_ORDERS_OF_ONE || this.#orders.length >= MAX_ORDERS)
      throw new Refusal(409, 'too_many_faults', 'Clear the waiting faults first.');
    this.#orders.push({ ...order });
  }

  /** Uses one count of the oldest fault that matches this call and returns its mode, or null. */
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

  /** Clears the faults of one merchant; of all when absent. */
  clear(merchantId?: string): void {
    this.#orders =
      merchantId === undefined ? [] : this.#orders.filter((order) => order.merchantId !== merchantId);
  }
}
