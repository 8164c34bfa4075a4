/**
 * The shop's orders: in memory, and in an append-only file that survives a crash or a restart. Each line is one fact:
 *
 *   {"order":"order-1","amountCents":2500}      the order was placed
 *   {"order":"order-1","paymentId":"…"}         its payment was created
 *   {"order":"order-1","shipped":true}          it left the warehouse: the line is the shipment
 *
 * One process may use a file. A shop with several processes keeps its orders in a database, where one conditional
 * UPDATE does the same (fulfill.sql).
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

/** Opens the orders stored in `path`, which is created when it does not exist. */
export function openOrders(path) {
  const orders = new Map();
  for (const fact of readFacts(path)) apply(fact);
  const file = openSync(path, 'a', 0o600);

  function apply({ order, ...facts }) {
    orders.set(order, { ...orders.get(order), reference: order, ...facts });
  }
  /** Stores a fact durably (fsync) before it counts. */
  function append(fact) {
    writeSync(file, `${JSON.stringify(fact)}\n`);
    fsyncSync(file);
    apply(fact);
  }

  return {
    find: (reference) => orders.get(reference),
    place: (reference, amountCents) => append({ order: reference, amountCents }),
    assignPayment: (reference, paymentId) => append({ order: reference, paymentId }),
    /**
     * Ships the order of a payment that was read with status `paid`, once: the check and the stored line are one step,
     * because nothing here waits. Returns whether this call shipped it.
     */
    fulfill({ id, reference, amountCents }) {
      const order = orders.get(reference);
      if (!order || order.shipped || order.paymentId !== id || order.amountCents !== amountCents)
        return false;
      append({ order: reference, shipped: true });
      return true;
    },
    /** Returns the ids of the payments whose orders are not shipped. */
    openPayments: () =>
      [...orders.values()]
        .filter(({ paymentId, shipped }) => paymentId && !shipped)
        .map(({ paymentId }) => paymentId),
    countShipped: () => [...orders.values()].filter(({ shipped }) => shipped).length,
    close: () => closeSync(file),
  };
}

/** Returns the facts of a file. Cuts off a last line without its end: a crash interrupted it, so it does not count. */
function readFacts(path) {
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) truncateSync(path, end);
  const lines = bytes.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}
