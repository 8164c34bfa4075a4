import type { DeliveryRef, StartableDelivery, StoredEvent } from '../../domain/event.ts';
import type { Queryable } from '../server/database.ts';
import { anyRow } from '../server/due-work.ts';
import { eventColumns, passesFilterSql } from './events.ts';

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'canceled'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const startableColumns = `d.event_id AS "eventId", d.endpoint_id AS "endpointId", e.type, w.url,
  e.merchant_id AS "merchantId", e.environment`;

export const startableTables = `webhook_deliveries d JOIN events e ON e.id = d.event_id
  JOIN webhook_endpoints w ON w.id = d.endpoint_id`;

/**
 * Returns the pending deliveries of an event that have no workflow, and whose first try no process is making.
 */
export async function unstartedDeliveries(
  database: Queryable,
  eventId: string,
): Promise<StartableDelivery[]> {
  const { rows } = await database.query<StartableDelivery>(
    `SELECT ${startableColumns} FROM ${startableTables}
     WHERE d.event_id = $1 AND d.status = 'pending' AND d.started_at IS NULL AND d.leased_until IS NULL`,
    [eventId],
  );
  return rows;
}

/** A delivery to be started, with the number of failed starts in a row. */
export interface DueDelivery extends StartableDelivery {
  failures: number;
}

export const deliveriesAreDue = anyRow(
  `webhook_deliveries WHERE status = 'pending' AND next_check_at <= now() ORDER BY next_check_at`,
);

/**
 * Returns pending deliveries that seem to have no running workflow: never started although they were due some
 * seconds ago, or at least half a minute past their next try. They are in the order in which they are due.
 */
export async function dueDeliveries(database: Queryable, now: Date, limit: number): Promise<DueDelivery[]> {
  const { rows } = await database.query<DueDelivery>(
    `SELECT ${startableColumns}, d.check_failures AS failures FROM ${startableTables}
     WHERE d.status = 'pending' AND d.next_check_at <= $1 ORDER BY d.next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/** Stores when the start of a delivery is next retried after a failure. */
export async function recordDeliveryChecks(
  database: Queryable,
  checks: readonly (DeliveryRef & { at: Date; failures: number })[],
): Promise<void> {
  await database.query(
    `UPDATE webhook_deliveries d SET next_check_at = n.at, check_failures = n.failures
     FROM json_to_recordset($1) AS n ("eventId" text, "endpointId" uuid, at timestamptz, failures int)
     WHERE d.event_id = n."eventId" AND d.endpoint_id = n."endpointId" AND d.event_id = ANY ($2)`,
    [JSON.stringify(checks), checks.map(({ eventId }) => eventId)],
  );
}

/** How late a try of a delivery's workflow must be before its run is checked. docs/reliability.md. */
const missedAfterSql = "interval '30 seconds'";
/** When a run that was found, and that waits for a busy endpoint, is checked again. */
const waitingSql = "interval '2 minutes'";
/** When a run that was found with a workflow task is checked again, because it may turn out to be stuck. */
const busySql = "interval '15 seconds'";

/** Records that a delivery's workflow was started or signaled at an instant. */
export async function recordStarted(database: Queryable, ref: DeliveryRef, at: Date): Promise<void> {
  await database.query(
    `UPDATE webhook_deliveries SET started_at = $3, check_failures = 0,
       next_check_at = greatest(due_at, $3::timestamptz) + ${missedAfterSql}
     WHERE event_id = $1 AND endpoint_id = $2`,
    [ref.eventId, ref.endpointId, at],
  );
}

/** Records that a late delivery's run was found. `busy`: it may turn out to be stuck. */
export async function recordRunFound(database: Queryable, ref: DeliveryRef, busy: boolean): Promise<void> {
  await database.query(
    `UPDATE webhook_deliveries SET check_failures = 0,
       next_check_at = CASE WHEN $3 THEN clock_timestamp() + ${busySql}
         ELSE greatest(due_at, clock_timestamp()) + ${waitingSql} END
     WHERE event_id = $1 AND endpoint_id = $2 AND next_check_at <= clock_timestamp()`,
    [ref.eventId, ref.endpointId, busy],
  );
}

/**
 * Schedules a check of a pending delivery in 15 s, because its run may be stuck. Returns false for a delivery
 * that is not pending.
 */
export async function scheduleDeliveryCheckSoon(database: Queryable, ref: DeliveryRef): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE webhook_deliveries SET next_check_at = least(next_check_at, clock_timestamp() + ${busySql})
     WHERE event_id = $1 AND endpoint_id = $2 AND status = 'pending'`,
    [ref.eventId, ref.endpointId],
  );
  return rowCount === 1;
}

/** All facts that a try needs. */
export interface DeliveryToSend {
  status: DeliveryStatus;
  tries: number;
  attemptCount: number;
  dueAt: Date;
  endpointUrl: string;
  endpointUsable: boolean;
  /**
   * Ms for which another process may still be making the first try, by PostgreSQL's clock; 0 if none does.
   */
  leasedForMs: number;
  event: StoredEvent;
}

/** A DeliveryToSend as one row. */
export type DeliveryToSendRow = Omit<DeliveryToSend, 'event'> & StoredEvent;

export const toSendColumns = `d.status, d.tries, d.attempt_count AS "attemptCount", d.due_at AS "dueAt",
  w.url AS "endpointUrl", w.status = 'enabled' AND w.deleted_at IS NULL AS "endpointUsable",
  greatest(0, coalesce(extract(epoch FROM d.leased_until - clock_timestamp()), 0))::float8 * 1000 AS "leasedForMs",
  ${eventColumns}`;

/** Returns a delivery built from a row with at least `toSendColumns`. */
export function deliveryOf(row: DeliveryToSendRow): DeliveryToSend {
  const { status, tries, attemptCount, dueAt, endpointUrl, endpointUsable, leasedForMs } = row;
  const { id, type, environment, sequence, previousStatus, data, createdAt } = row;
  const event = { id, type, environment, sequence, previousStatus, data, createdAt };
  return { status, tries, attemptCount, dueAt, endpointUrl, endpointUsable, leasedForMs, event };
}

/** Returns a delivery with the facts for its try; null if its event is past its retention. */
export async function loadDelivery(database: Queryable, ref: DeliveryRef): Promise<DeliveryToSend | null> {
  const { rows } = await database.query<DeliveryToSendRow>(
    `SELECT ${toSendColumns} FROM ${startableTables} WHERE d.event_id = $1 AND d.endpoint_id = $2`,
    [ref.eventId, ref.endpointId],
  );
  return rows[0] ? deliveryOf(rows[0]) : null;
}

/**
 * The condition that a delivery has ended, and that the result $4 of a late try does not change its status.
 */
const staysEnded = `(status = 'delivered' OR (status = 'canceled' AND $4 <> 'delivered'))`;

/** A try, as it is stored. */
export interface AttemptRecord {
  attemptNo: number;
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  excerpt: string | null;
}

/**
 * Stores a try and the delivery's new state. A delivered one stays delivered. One that was canceled during
 * the try stays canceled, unless the endpoint accepted it.
 */
export async function recordAttempt(
  transaction: Queryable,
  ref: DeliveryRef,
  attempt: AttemptRecord,
  after: { status: DeliveryStatus; dueAt: Date; at: Date },
): Promise<void> {
  await transaction.query(
    `WITH changed AS (
       UPDATE webhook_deliveries SET tries = tries + 1, attempt_count = greatest(attempt_count, $3),
         status = CASE WHEN ${staysEnded} THEN status ELSE $4 END, due_at = $5,
         next_check_at = $5::timestamptz + ${missedAfterSql}, leased_until = NULL,
         ended_at = CASE WHEN ${staysEnded} THEN coalesce(ended_at, $6) WHEN $4 = 'pending' THEN NULL
           ELSE $6::timestamptz END
       WHERE event_id = $1 AND endpoint_id = $2
     )
     INSERT INTO webhook_attempts (event_id, endpoint_id, attempt_no, started_at, duration_ms, status_code, error,
       response_excerpt)
     VALUES ($1, $2, $3, $7, $8, $9, $10, $11)
     -- Two workers may have made the same try when the first one seemed dead; only one of the two rows is stored.
     ON CONFLICT DO NOTHING`,
    [
      ...[ref.eventId, ref.endpointId, attempt.attemptNo, after.status, after.dueAt, after.at],
      ...[attempt.startedAt, attempt.durationMs, attempt.statusCode, attempt.error, attempt.excerpt],
    ],
  );
}

/** Ends a pending delivery without a try. */
export async function endDelivery(
  database: Queryable,
  ref: DeliveryRef,
  status: 'failed' | 'canceled',
  at: Date,
): Promise<void> {
  await database.query(
    `UPDATE webhook_deliveries SET status = $3, ended_at = $4
     WHERE event_id = $1 AND endpoint_id = $2 AND status = 'pending'`,
    [ref.eventId, ref.endpointId, status, at],
  );
}

/**
 * Begins a new round of an event's deliveries: to the given endpoint if it is enabled, or to all enabled
 * endpoints that subscribe to its type. Without an endpoint, an event of no payment goes only to endpoints to
 * which it was sent before. Returns the deliveries whose workflows must be started or signaled.
 */
export async function renewDeliveries(
  database: Queryable,
  eventId: string,
  endpointId: string | null,
  at: Date,
): Promise<StartableDelivery[]> {
  const { rows } = await database.query<StartableDelivery>(
    `WITH renewed AS (
       INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at, created_at)
       SELECT e.id, w.id, $3, $3 FROM events e
       JOIN webhook_endpoints w ON w.merchant_id = e.merchant_id AND w.environment = e.environment
       WHERE e.id = $1 AND w.status = 'enabled' AND w.deleted_at IS NULL
         AND CASE WHEN $2::uuid IS NULL
           THEN ${passesFilterSql('e.type', 'w.events')}
             AND (e.payment_id IS NOT NULL OR EXISTS (
               SELECT FROM webhook_deliveries o WHERE o.event_id = e.id AND o.endpoint_id = w.id))
           ELSE w.id = $2 END
       ON CONFLICT (event_id, endpoint_id) DO UPDATE SET status = 'pending', tries = 0, due_at = excluded.due_at,
         started_at = NULL, ended_at = NULL, next_check_at = excluded.next_check_at
       RETURNING event_id, endpoint_id
     )
     SELECT ${startableColumns} FROM renewed d JOIN events e ON e.id = $1
       JOIN webhook_endpoints w ON w.id = d.endpoint_id`,
    [eventId, endpointId, at],
  );
  return rows;
}
