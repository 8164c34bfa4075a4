import type { DeliveryRef } from '../../domain/event.ts';
import type { Tenant } from '../payments/payments.ts';
import type { Queryable } from '../server/database.ts';
import type { DeliveryStatus } from './deliveries.ts';
import { type CursorPage, cursorPage, instantSql, microsecondsSql } from '../server/cursor-page.ts';

/** A delivery with its latest tries, as merchants and operators read it. */
export interface DeliveryView extends DeliveryRef {
  type: string;
  /** The payment of the event, with the merchant's reference; null if the event belongs to no payment. */
  payment: { id: string; reference: string } | null;
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
    (SELECT json_build_object('id', p.id, 'reference', p.reference) FROM payments p
      WHERE p.id = e.payment_id) AS payment,
    CASE d.status WHEN 'delivered' THEN d.ended_at END AS "deliveredAt", d.attempt_count AS "attemptCount",
    coalesce((SELECT json_agg(json_build_object('attemptNo', a.attempt_no,
        'at', to_char(a.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'durationMs', a.duration_ms,
        'statusCode', a.status_code, 'error', a.error, 'responseExcerpt', a.response_excerpt) ORDER BY a.attempt_no DESC)
      FROM (SELECT * FROM webhook_attempts t WHERE t.event_id = d.event_id AND t.endpoint_id = d.endpoint_id
            ORDER BY t.attempt_no DESC LIMIT ${shownAttempts}) a), '[]') AS attempts`;

/** The conditions of a list of deliveries; null: any value. */
export interface DeliveryFilter {
  status: DeliveryStatus | null;
  /** Created at this instant or later. */
  from: Date | null;
  /** Created before this instant. */
  until: Date | null;
}

/** A position in the deliveries of an endpoint. */
export interface DeliveryPosition {
  /** Creation, in microseconds since the epoch. */
  createdUs: number;
  eventId: string;
}

/**
 * Returns up to `limit` matching deliveries to an endpoint, newest first, ties broken by the event's id, and
 * the position after the last one. The cost of a page depends on its size, not on its position nor on the
 * number of deliveries. ADR 0016.
 */
export async function listDeliveries(
  database: Queryable,
  endpointId: string,
  filter: DeliveryFilter,
  after: DeliveryPosition | null,
  limit: number,
): Promise<CursorPage<DeliveryView, DeliveryPosition>> {
  const values: unknown[] = [endpointId];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const where = ['t.endpoint_id = $1'];
  if (filter.status !== null) where.push(`t.status = ${value(filter.status)}`);
  if (filter.from !== null) where.push(`t.created_at >= ${value(filter.from)}`);
  // A position lies before `until`. With both conditions PostgreSQL may scan from one to the other.
  if (filter.until !== null && after === null) where.push(`t.created_at < ${value(filter.until)}`);
  if (after !== null) {
    where.push(
      `(t.created_at, t.event_id) < (${instantSql(value(after.createdUs))}, ${value(after.eventId)})`,
    );
  }
  // Not prepared, because the best index depends on the values. Events and tries are read for the page only.
  const { rows } = await database.query<DeliveryView & DeliveryPosition>({
    text: `SELECT ${deliveryColumns}, ${microsecondsSql('d.created_at')} AS "createdUs"
      FROM (SELECT * FROM webhook_deliveries t WHERE ${where.join(' AND ')}
            ORDER BY t.created_at DESC, t.event_id DESC LIMIT ${value(limit + 1)}) d
      JOIN events e ON e.id = d.event_id
      ORDER BY d.created_at DESC, d.event_id DESC`,
    values,
  });
  const page = cursorPage(rows, limit, ({ createdUs, eventId }): DeliveryPosition => ({
    createdUs,
    eventId,
  }));
  return { rows: page.rows.map(({ createdUs: _createdUs, ...delivery }) => delivery), next: page.next };
}

/** Returns the deliveries of a payment's events, in the order of the events. */
export async function listPaymentDeliveries(database: Queryable, paymentId: string): Promise<DeliveryView[]> {
  const { rows } = await database.query<DeliveryView>(
    `SELECT ${deliveryColumns} FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
     WHERE e.payment_id = $1 ORDER BY e.sequence, d.endpoint_id LIMIT 200`,
    [paymentId],
  );
  return rows;
}

/** Returns the deliveries of an event of the tenant, by endpoint. */
export async function listEventDeliveries(
  database: Queryable,
  tenant: Tenant,
  eventId: string,
): Promise<DeliveryView[]> {
  const { rows } = await database.query<DeliveryView>(
    `SELECT ${deliveryColumns} FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
     WHERE e.id = $1 AND e.merchant_id = $2 AND e.environment = $3 ORDER BY d.created_at, d.endpoint_id LIMIT 50`,
    [eventId, tenant.merchantId, tenant.environment],
  );
  return rows;
}

/** Returns those of the given deliveries whose event is the tenant's. */
export async function ownDeliveries(
  database: Queryable,
  tenant: Tenant,
  given: readonly DeliveryRef[],
): Promise<DeliveryRef[]> {
  const { rows } = await database.query<DeliveryRef>(
    `SELECT d.event_id AS "eventId", d.endpoint_id AS "endpointId"
     FROM unnest($3::text[], $4::uuid[]) AS g (event_id, endpoint_id)
       JOIN webhook_deliveries d USING (event_id, endpoint_id) JOIN events e ON e.id = d.event_id
     WHERE e.merchant_id = $1 AND e.environment = $2`,
    [
      tenant.merchantId,
      tenant.environment,
      given.map(({ eventId }) => eventId),
      given.map(({ endpointId }) => endpointId),
    ],
  );
  return rows;
}
