import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import type { DisputePlace } from '../db/disputes/dispute-reads.ts';
import type { MovementPlace } from '../db/movements/movements.ts';
import type { PaymentSearch, SearchPosition } from '../db/payments/payment-search.ts';
import type { Tenant } from '../db/payments/payments.ts';
import type { DeliveryPlace } from '../db/webhooks/delivery-reads.ts';
import type { EventPlace } from '../db/webhooks/event-lists.ts';

/**
 * A list that is read by cursor, with the filter of its rows. The cursor does not include the page size,
 * which may change from page to page.
 */
export interface CursorList<Place> {
  /** The table of the list's rows. */
  name: 'payments' | 'events' | 'webhook_deliveries' | 'disputes' | 'movements' | 'api_requests';
  filter: object;
  place: z.ZodType<Place>;
}

export const searchedPayments = (filter: PaymentSearch): CursorList<SearchPosition> => ({
  name: 'payments',
  filter,
  place: z.object({ createdUs: z.int(), id: z.string() }),
});

export const eventLog = (filter: object): CursorList<EventPlace> => ({
  name: 'events',
  filter,
  place: z.object({ createdUs: z.int(), position: z.int() }),
});

export const deliveriesTo = (endpointId: string, filter: object): CursorList<DeliveryPlace> => ({
  name: 'webhook_deliveries',
  filter: { ...filter, endpointId },
  place: z.object({ createdUs: z.int(), eventId: z.string() }),
});

const disputePlace = z.object({ us: z.int(), id: z.string() });

export const disputesByDeadline = (filter: object): CursorList<DisputePlace> => ({
  name: 'disputes',
  filter: { ...filter, order: 'deadline' },
  place: disputePlace,
});

export const movementsOf = (filter: object): CursorList<MovementPlace> => ({
  name: 'movements',
  filter,
  place: z.object({ bookedUs: z.int(), id: z.string() }),
});

export const requestLog = (): CursorList<{ id: string }> => ({
  name: 'api_requests',
  filter: {},
  place: z.object({ id: z.uuid() }),
});

/**
 * Returns the cursor of a place in a list. It is sealed, so that it is valid only for the tenant, list and
 * filter for which it was made, and does not reveal its content.
 */
export function sealCursor<Place>(
  keyring: Keyring,
  tenant: Tenant,
  list: CursorList<Place>,
  place: Place,
): string {
  return keyring.seal(JSON.stringify(place), contextOf(tenant, list)).toString('base64url');
}

/**
 * Returns the place that a cursor holds, or null for a cursor that was not made here for this tenant, list
 * and filter.
 */
export function openCursor<Place>(
  keyring: Keyring,
  tenant: Tenant,
  list: CursorList<Place>,
  cursor: string,
): Place | null {
  try {
    const text = keyring.open(Buffer.from(cursor, 'base64url'), contextOf(tenant, list));
    return list.place.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function contextOf({ merchantId, environment }: Tenant, { name, filter }: CursorList<unknown>) {
  const given = Object.entries(filter)
    .filter(([, value]) => value !== undefined && value !== null)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update(JSON.stringify(given)).digest('base64url');
  return sealContext.listCursor(name, `${environment}:${merchantId}:${hash}`);
}
