import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import type { DisputePosition } from '../db/disputes/dispute-reads.ts';
import type { MovementPosition } from '../db/movements/movements.ts';
import type { PaymentSearch, SearchPosition } from '../db/payments/payment-search.ts';
import type { Tenant } from '../db/payments/payments.ts';
import type { DeliveryPosition } from '../db/webhooks/delivery-reads.ts';
import type { EventPosition } from '../db/webhooks/event-lists.ts';

/**
 * A list that is read by cursor, with the filter of its rows. The cursor does not include the page size,
 * which may change from page to page.
 */
export interface CursorList<Position> {
  /** The table of the list's rows. */
  name: 'payments' | 'events' | 'webhook_deliveries' | 'disputes' | 'movements' | 'api_requests';
  filter: object;
  position: z.ZodType<Position>;
}

/** Returns the list of the payments that match a search. */
export const searchedPayments = (filter: PaymentSearch): CursorList<SearchPosition> => ({
  name: 'payments',
  filter,
  position: z.object({ createdUs: z.int(), id: z.string() }),
});

/** Returns the list of the events that match a filter. */
export const eventLog = (filter: object): CursorList<EventPosition> => ({
  name: 'events',
  filter,
  position: z.object({ createdUs: z.int(), position: z.int() }),
});

/** Returns the list of the deliveries to an endpoint that match a filter. */
export const deliveriesTo = (endpointId: string, filter: object): CursorList<DeliveryPosition> => ({
  name: 'webhook_deliveries',
  filter: { ...filter, endpointId },
  position: z.object({ createdUs: z.int(), eventId: z.string() }),
});

const disputePosition = z.object({ us: z.int(), id: z.string() });

/** Returns the list of the disputes that match a filter, ordered by deadline. */
export const disputesByDeadline = (filter: object): CursorList<DisputePosition> => ({
  name: 'disputes',
  filter: { ...filter, order: 'deadline' },
  position: disputePosition,
});

/** Returns the list of the movements that match a filter. */
export const movementsOf = (filter: object): CursorList<MovementPosition> => ({
  name: 'movements',
  filter,
  position: z.object({ bookedUs: z.int(), id: z.string() }),
});

/** Returns the list of the requests of the request log. */
export const requestLog = (): CursorList<{ id: string }> => ({
  name: 'api_requests',
  filter: {},
  position: z.object({ id: z.uuid() }),
});

/**
 * Returns the cursor of a place in a list. It is sealed, so that it is valid only for the tenant, list and
 * filter for which it was made, and does not reveal its content.
 */
export function sealCursor<Position>(
  keyring: Keyring,
  tenant: Tenant,
  list: CursorList<Position>,
  position: Position,
): string {
  return keyring.seal(JSON.stringify(position), contextOf(tenant, list)).toString('base64url');
}

/**
 * Returns the position that a cursor holds, or null for a cursor that was not made here for this tenant, list
 * and filter.
 */
export function openCursor<Position>(
  keyring: Keyring,
  tenant: Tenant,
  list: CursorList<Position>,
  cursor: string,
): Position | null {
  try {
    const text = keyring.open(Buffer.from(cursor, 'base64url'), contextOf(tenant, list));
    return list.position.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Returns the seal context of a tenant's list with its filter; the order of the filter's fields is ignored.
 */
function contextOf({ merchantId, environment }: Tenant, { name, filter }: CursorList<unknown>) {
  const given = Object.entries(filter)
    .filter(([, value]) => value !== undefined && value !== null)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update(JSON.stringify(given)).digest('base64url');
  return sealContext.listCursor(name, `${environment}:${merchantId}:${hash}`);
}
