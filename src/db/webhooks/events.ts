import { randomBase62 } from '../../crypto/secrets.ts';
import type { StoredEvent } from '../../domain/event.ts';
import { eventIdAt, eventIdPattern, randomPart } from '../../domain/event-id.ts';
import type { PaymentRecord, PaymentView } from '../../domain/payment.ts';
import type { Environment } from '../../domain/statuses.ts';
import type { LastStatement, Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/**
 * Returns the SQL condition that the type `type` passes the filters `filters` (text[]; NULL lets all pass).
 */
export const passesFilterSql = (type: string, filters: string): string =>
  `(${filters} IS NULL OR ${type} = ANY (${filters}) OR split_part(${type}, '.', 1) || '.*' = ANY (${filters}))`;

/** The columns of a StoredEvent of `events e`. */
export const eventColumns = `e.id, e.type, e.environment, e.sequence, e.previous_status AS "previousStatus", e.data,
  e.created_at AS "createdAt"`;

/** A new event of a payment or of a merchant. */
export interface NewEvent {
  payment: Pick<PaymentRecord, 'merchantId' | 'environment'> & {
    /** Null for an event of the merchant as a whole. */
    id: string | null;
  };
  type: string;
  /** Rises by one per payment. */
  sequence: number;
  /** The workflow transition that created it, so that a repeated commit finds it; null for other sources. */
  stateSeq: number | null;
  previousStatus: string | null;
  data: PaymentView | Record<string, unknown>;
  at: Date;
}

/**
 * Adds an event to the log, with one pending delivery for each endpoint that currently subscribes to its
 * type. Must run in the transaction of the change that the event reports, as late as possible, because it
 * locks the merchant's position in the log until the commit. Returns its id, `evt_…`, and the number of
 * deliveries.
 */
export async function insertEvent(
  transaction: Queryable,
  event: NewEvent,
): Promise<{ id: string; deliveries: number }> {
  const { id, text, values } = insertion(event);
  const { rowCount } = await transaction.query(text, values);
  return { id, deliveries: rowCount ?? 0 };
}

/**
 * Adds the event and commits in the same round trip, so that the merchant's position in the log is locked no
 * longer than the commit takes.
 */
export async function insertEventAndCommit(
  lastStatement: LastStatement,
  event: NewEvent,
): Promise<{ id: string; deliveries: number }> {
  const { id, text, values } = insertion(event);
  const { rowCount } = await lastStatement({ text, values });
  return { id, deliveries: rowCount ?? 0 };
}

function insertion(event: NewEvent) {
  const id = newEventId(event.at);
  return {
    id,
    text: `WITH event AS (
       INSERT INTO events (id, merchant_id, environment, payment_id, sequence, state_seq, type, previous_status, data,
         created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       RETURNING id, merchant_id, environment, type, created_at
     )
     INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at, created_at)
     SELECT event.id, w.id, now(), now() FROM event JOIN webhook_endpoints w
       ON w.merchant_id = event.merchant_id AND w.environment = event.environment
     WHERE w.status = 'enabled' AND w.deleted_at IS NULL AND ${passesFilterSql('event.type', 'w.events')}`,
    values: [
      id,
      event.payment.merchantId,
      event.payment.environment,
      event.payment.id,
      event.sequence,
      event.stateSeq,
      event.type,
      event.previousStatus,
      JSON.stringify(event.data),
      event.at.toISOString(),
    ],
  };
}

/** Returns the id of a new event that happened at an instant, which is stored as its `created_at`. */
export const newEventId = (at: Date): string => eventIdAt(at, randomBase62(randomPart));

/** Returns whether a text has the form of an event's id. */
export const isEventId = (text: string): boolean => eventIdPattern.test(text);

/** Adds an event that belongs to no payment, with its delivery to one endpoint. Returns its id. */
export async function insertEndpointEvent(
  database: Queryable,
  event: Tenant & { endpointId: string; type: string; data: Record<string, unknown>; at: Date },
): Promise<string> {
  const id = newEventId(event.at);
  await database.query(
    `WITH event AS (
       INSERT INTO events (id, merchant_id, environment, payment_id, sequence, type, data, created_at)
       VALUES ($1, $2, $3, NULL, 0, $4, $5, $6) RETURNING id
     )
     INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at, created_at) SELECT id, $7, now(), now() FROM event`,
    [
      id,
      event.merchantId,
      event.environment,
      event.type,
      JSON.stringify(event.data),
      event.at,
      event.endpointId,
    ],
  );
  return id;
}

/** Returns the events of a payment in order, without their data. */
export async function listPaymentEvents(
  database: Queryable,
  paymentId: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await database.query<Record<string, unknown>>(
    `SELECT id, type, sequence, previous_status AS "previousStatus", created_at AS "createdAt"
     FROM events WHERE payment_id = $1 ORDER BY sequence`,
    [paymentId],
  );
  return rows;
}

/** Returns the tenant's event, or null. */
export async function findEvent(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<StoredEvent | null> {
  const { rows } = await database.query<StoredEvent>(
    `SELECT ${eventColumns} FROM events e WHERE e.id = $1 AND e.merchant_id = $2 AND e.environment = $3`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/** Returns an event by its id alone. For operators. */
export async function loadEvent(
  database: Queryable,
  id: string,
): Promise<(StoredEvent & { merchantId: string; environment: Environment }) | null> {
  const { rows } = await database.query<StoredEvent & { merchantId: string }>(
    `SELECT ${eventColumns}, e.merchant_id AS "merchantId" FROM events e WHERE e.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}
