import type { DeliveryRef, StartableDelivery } from '../../domain/event.ts';
import type { Queryable } from '../server/database.ts';
import {
  type DeliveryToSend,
  type DeliveryToSendRow,
  deliveryOf,
  startableColumns,
  toSendColumns,
} from './deliveries.ts';

/**
 * How long a process may take for a first try. Longer than the try, the slowest sandbox fault and the
 * statements together, so that no second try begins while the first is still being sent.
 */
const leaseSql = "interval '15 seconds'";

/** A delivery whose first try this process makes. */
export interface LeasedDelivery extends StartableDelivery {
  delivery: DeliveryToSend;
}

/**
 * Takes the lease of the event's deliveries that are due and were never tried, and returns them. Until its
 * lease ends, each delivery is returned to one caller only.
 */
export async function leaseFirstTries(database: Queryable, eventId: string): Promise<LeasedDelivery[]> {
  const { rows } = await database.query<StartableDelivery & DeliveryToSendRow>(
    `WITH leased AS (
       UPDATE webhook_deliveries SET leased_until = clock_timestamp() + ${leaseSql},
         next_check_at = clock_timestamp() + ${leaseSql}
       WHERE event_id = $1 AND status = 'pending' AND attempt_count = 0 AND started_at IS NULL
         AND leased_until IS NULL AND due_at <= clock_timestamp()
       RETURNING *
     )
     SELECT ${startableColumns}, ${toSendColumns}
     -- By the id itself, so that only the partition of its month is planned.
     FROM leased d JOIN events e ON e.id = $1 JOIN webhook_endpoints w ON w.id = d.endpoint_id`,
    [eventId],
  );
  return rows.map((row) => {
    const { endpointId, type, url, merchantId, environment } = row;
    return { eventId, endpointId, type, url, merchantId, environment, delivery: deliveryOf(row) };
  });
}

/** Ends the lease of a first try that this process does not make. */
export async function releaseFirstTry(database: Queryable, ref: DeliveryRef): Promise<void> {
  await database.query(
    'UPDATE webhook_deliveries SET leased_until = NULL WHERE event_id = $1 AND endpoint_id = $2',
    [ref.eventId, ref.endpointId],
  );
}
