import { Refusal } from './server.ts';

/** One order for trouble: the next `count` calls (of `paymentId`, when given) behave as `mode` says. */
export interface Fault<Mode extends string> {
  mode: Mode;
  count: number;
  paymentId?: string | undefined;
}

const MAX_ORDERS = 100;

/** Faults to come, in memory only: a restart forgets them. */
export class Faults<Mode extends string> {
  #orders: Fault<Mode>[] = [];

  add(order: Fault<Mode>): void {
    if (this.#orders.length >= MAX_ORDERS)
      throw new Refusal(409, 'too_many_faults', 'Clear the waiting faults first.');
    this.#orders.push({ ...order });
  }

  /** Uses up one turn of the oldest order that fits this payment, or gives null. */
  take(paymentId: string): Mode | null {
    const order = this.#orders.find((each) => each.paymentId === undefined || each.paymentId === paymentId);
    if (!order) return null;
    order.count -= 1;
    if (order.count <= 0) this.#orders = this.#orders.filter((each) => each !== order);
    return order.mode;
  }

  list(): readonly Fault<Mode>[] {
    return this.#orders;
  }

  clear(): void {
    this.#orders = [];
  }
}
