import { z } from 'zod';
import { Refusal } from '../server.ts';
import type { Charge } from './records.ts';

/**
 * The merchant of an order. The service always names it. An order without it, from the holder of the service
 * key, applies to any sandbox payment. No order applies to a live payment.
 */
export const orderedBy = { merchantId: z.string().min(1).max(128).optional() };

export interface OrderedBy {
  merchantId?: string | undefined;
}

/** Whether an order applies to what belongs to `owner`. */
export function isOrderFor(order: OrderedBy, owner: { merchantId: string; environment: string }): boolean {
  if (owner.environment !== 'sandbox') return false;
  return order.merchantId === undefined || order.merchantId === owner.merchantId;
}

/**
 * Refuses 409 `not_in_this_sandbox` when the order must not change this charge or its refunds and disputes.
 */
export function requireOwn(order: OrderedBy, charge: Charge | undefined): void {
  // A tombstone has no merchant, and it is final for every merchant.
  if (charge === undefined || charge.bodyHash === null || isOrderFor(order, charge)) return;
  throw new Refusal(409, 'not_in_this_sandbox', 'This is no sandbox charge of this merchant.');
}
