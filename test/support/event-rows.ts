import { randomBase62 } from '../../src/crypto/secrets.ts';
import type { Queryable } from '../../src/db/server/database.ts';
import { recordAttempt } from '../../src/db/webhooks/deliveries.ts';
import { insertEvent } from '../../src/db/webhooks/events.ts';
import type { DeliveryRef } from '../../src/domain/event.ts';

/** The tables that are partitioned by the month of an event. */
export const eventTables = ['events', 'webhook_deliveries', 'webhook_attempts'] as const;

/** Whose event it is, where it is delivered, and when it happens. */
interface Happening {
  merchantId: string;
  endpointId: string;
  at: Date;
}

/** Stores an event of an instant, with a delivery that was tried once. Returns its id. */
export async function eventAt(
  database: Queryable,
  { merchantId, endpointId, at, paymentId }: Happening & { paymentId: string | null },
): Promise<string> {
  const { id } = await insertEvent(database, {
    payment: { merchantId, environment: 'sandbox', id: paymentId },
    ...{ type: 'risk.cardTesting', sequence: 0, stateSeq: null, previousStatus: null, data: {}, at },
  });
  await tryOnce(database, { eventId: id, endpointId });
  return id;
}

/** Stores such an event with the statement and the random id of an earlier build. Returns its id. */
export async function eventOfEarlierBuild(
  database: Queryable,
  { merchantId, endpointId, at, id = `evt_a${randomBase62(23)}` }: Happening & { id?: string },
): Promise<string> {
  await database.query(
    `WITH event AS (
       INSERT INTO events (id, merchant_id, environment, payment_id, sequence, type, data, created_at)
       VALUES ($1, $2, $3, NULL, 0, $4, $5, $6) RETURNING id
     )
     INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at, created_at) SELECT id, $7, now(), now() FROM event`,
    [id, merchantId, 'sandbox', 'endpoint.test', '{}', at, endpointId],
  );
  await tryOnce(database, { eventId: id, endpointId });
  return id;
}

/** Stores the first try of a delivery, which failed. */
export function tryOnce(database: Queryable, ref: DeliveryRef): Promise<void> {
  const now = new Date();
  return recordAttempt(
    database,
    ref,
    { attemptNo: 1, startedAt: now, durationMs: 1, statusCode: 500, error: null, excerpt: null },
    { status: 'pending', dueAt: now, at: now },
  );
}

/** Returns the partitions that contain an event, its delivery and its try. */
export async function homesOfEvent(database: Queryable, id: string): Promise<string[]> {
  const { rows } = await database.query<{ home: string }>(
    `SELECT tableoid::regclass::text AS home FROM events WHERE id = $1
     UNION ALL SELECT tableoid::regclass::text FROM webhook_deliveries WHERE event_id = $1
     UNION ALL SELECT tableoid::regclass::text FROM webhook_attempts WHERE event_id = $1`,
    [id],
  );
  return rows.map(({ home }) => home);
}
