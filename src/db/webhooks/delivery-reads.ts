import type { DeliveryRef } from '../../domain/event.ts';
import type { Queryable } from '../server/database.ts';
import type { DeliveryStatus } from './deliveries.ts';
import { listedPage, secondsOf } from '../server/list-counts.ts';

/** A delivery with its latest tries, as merchants and operators read it. */
export interface DeliveryView extends DeliveryRef {
  type: string;
  status: DeliveryStatus;
  createdAt: Date;
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  attemptCount: number;
  attempts: {
    attemptNo: number;
    at: string;
    durationMs: number;
    statusCode: number | null;
    error: string | null;
    responseExcerpt: string | null;
  }[];
}

const shownAttempts = 20;

const deliveryColumns = `d.event_id AS "eventId", d.endpoint_id AS "endpointId", e.type, d.status,
    d.created_at AS "createdAt", CASE d.status WHEN 'pending' THEN d.due_at END AS "nextAttemptAt",
    CASE d.status WHEN 'delivered' THEN d.ended_at END AS "deliveredAt", d.attempt_count AS "attemptCount",
    coalesce((SELECT json_agg(json_build_object('attemptNo', a.attempt_no,
        'at', to_char(a.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'durationMs', a.duration_ms,
        'statusCode', a.status_code, 'error', a.error, 'responseExcerpt', a.response_excerpt) ORDER BY a.attempt_no DESC)
      FROM (SELECT * FROM webhook_attempts t WHERE t.event_id = d.event_id AND t.endpoint_id = d.endpoint_id
            ORDER BY t.attempt_no DESC LIMIT ${shownAttempts}) a), '[]') AS attempts`;

/**
 * Returns one page of the deliveries to an endpoint, newest first, with the count of all matches. `from`
 * inclusive, `until` exclusive, of the delivery's creation, both starts of UTC days. What it costs depends on
 * the page's size, not on its place nor on how much was delivered (ADR 0016).
 */
export async function listDeliveries(
  database: Queryable,
  endpointId: string,
  filter: {
    status: DeliveryStatus | null;
    from: Date | null;
    until: Date | null;
    page: number;
    perPage: number;
  },
): Promise<{ deliveries: DeliveryView[]; total: number }> {
  const page = await listedPage(
    database,
    `delivery_page($1, $2, $3, $4, $5, $6) AS l (total, listed)
       LEFT JOIN (webhook_deliveries d JOIN events e ON e.id = d.event_id)
         ON d.endpoint_id = $1 AND d.event_id = l.listed`,
    deliveryColumns,
    'd.created_at DESC, d.event_id DESC',
    [
      endpointId,
      filter.status,
      secondsOf(filter.from),
      secondsOf(filter.until),
      (filter.page - 1) * filter.perPage,
      filter.perPage,
    ],
  );
  return { deliveries: page.rows as DeliveryView[], total: page.total };
}

/** The deliveries of a payment's events, in the order of the events. */
export async function listPaymentDeliveries(database: Queryable, paymentId: string): Promise<DeliveryView[]> {
  const { rows } = await database.query<DeliveryView>(
    `SELECT ${deliveryColumns} FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
     WHERE e.payment_id = $1 ORDER BY e.sequence, d.endpoint_id LIMIT 200`,
    [paymentId],
  );
  return rows;
}
