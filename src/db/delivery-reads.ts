import type { DeliveryRef } from '../domain/event.ts';
import type { Queryable } from './database.ts';
import type { DeliveryStatus } from './deliveries.ts';

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

const deliveryView = `SELECT d.event_id AS "eventId", d.endpoint_id AS "endpointId", e.type, d.status,
    d.created_at AS "createdAt", CASE d.status WHEN 'pending' THEN d.due_at END AS "nextAttemptAt",
    CASE d.status WHEN 'delivered' THEN d.ended_at END AS "deliveredAt", d.attempt_count AS "attemptCount",
    coalesce((SELECT json_agg(json_build_object('attemptNo', a.attempt_no,
        'at', to_char(a.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'durationMs', a.duration_ms,
        'statusCode', a.status_code, 'error', a.error, 'responseExcerpt', a.response_excerpt) ORDER BY a.attempt_no DESC)
      FROM (SELECT * FROM webhook_attempts t WHERE t.event_id = d.event_id AND t.endpoint_id = d.endpoint_id
            ORDER BY t.attempt_no DESC LIMIT ${shownAttempts}) a), '[]') AS attempts
  FROM webhook_deliveries d JOIN events e ON e.id = d.event_id`;

/**
 * Deliveries to an endpoint, newest first. `from` inclusive, `until` exclusive, of the delivery's creation.
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
  const where = `d.endpoint_id = $1 AND ($2::text IS NULL OR d.status = $2)
    AND ($3::timestamptz IS NULL OR d.created_at >= $3) AND ($4::timestamptz IS NULL OR d.created_at < $4)`;
  const values = [endpointId, filter.status, filter.from, filter.until];
  const counted = await database.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM webhook_deliveries d WHERE ${where}`,
    values,
  );
  const { rows } = await database.query<DeliveryView>(
    `${deliveryView} WHERE ${where} ORDER BY d.created_at DESC, d.event_id DESC LIMIT $5 OFFSET $6`,
    [...values, filter.perPage, (filter.page - 1) * filter.perPage],
  );
  return { deliveries: rows, total: counted.rows[0]?.total ?? 0 };
}

/** The deliveries of a payment's events, in the order of the events. */
export async function listPaymentDeliveries(database: Queryable, paymentId: string): Promise<DeliveryView[]> {
  const { rows } = await database.query<DeliveryView>(
    `${deliveryView} WHERE e.payment_id = $1 ORDER BY e.sequence, d.endpoint_id LIMIT 200`,
    [paymentId],
  );
  return rows;
}
