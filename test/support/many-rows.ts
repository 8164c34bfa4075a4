import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../../src/db/server/database.ts';

/** Creates a merchant that owns the rows of the other functions here. */
export async function ownerOfMany(database: Database): Promise<string> {
  const id = randomUUID();
  // Written without the service's own code, because the schema may be an earlier one.
  await database.query(`INSERT INTO merchants (id, name, status) VALUES ($1, 'shop', 'active')`, [id]);
  return id;
}

/** The common values of the payments. Ages in seconds before now. */
export interface ManyPayments {
  count: number;
  ageSeconds: number;
  started?: boolean;
  /** Paid and final. */
  final?: boolean;
}

/**
 * Inserts payments of one age by one statement, each a millisecond younger than the one before; their
 * deadline is half an hour after their creation. Returns their ids, oldest first.
 */
export async function manyPayments(
  database: Database,
  merchantId: string,
  { count, ageSeconds, started = true, final = false }: ManyPayments,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `INSERT INTO payments (id, merchant_id, environment, checkout_mode, reference, amount_cents, currency, metadata,
       success_url, cancel_url, offered_methods, locale, checkout_url_sealed, checkout_token_hash, vault_id,
       created_at, expires_at, capture_expires_at, workflow_started_at, status, checkout_status, paid_at,
       finalized_at)
     SELECT gen_random_uuid(), $1, 'sandbox', 'hosted', 'order', 2500, 'USD', '{}', 'https://shop.example/s',
       'https://shop.example/c', '{card}', 'en', '\\x00', sha256(gen_random_uuid()::text::bytea),
       substr(md5(gen_random_uuid()::text), 1, 30), t, t + interval '30 minutes', t + interval '30 minutes',
       CASE WHEN $4 THEN t END, CASE WHEN $5 THEN 'paid' ELSE 'pending' END,
       CASE WHEN $5 THEN 'paid' ELSE 'open' END, CASE WHEN $5 THEN t END, CASE WHEN $5 THEN t END
     FROM (SELECT now() - $3 * interval '1 second' + n * interval '1 millisecond' AS t
           FROM generate_series(1, $2) AS n) AS ages
     RETURNING id, created_at`,
    [merchantId, count, ageSeconds, started, final],
  );
  return rows.map(({ id }) => id);
}

/**
 * Inserts one refund of each payment. With `status` pending it is submitted and due; succeeded refunds are
 * not checked any more.
 */
export async function manyRefunds(
  database: Database,
  paymentIds: readonly string[],
  status: 'pending' | 'succeeded',
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, status, metadata, created_at,
       submit_after, submitted_at, succeeded_at, next_check_at)
     SELECT gen_random_uuid(), merchant_id, environment, id, 500, $2, '{}', created_at, created_at, created_at,
       CASE WHEN $2 = 'succeeded' THEN created_at END, CASE WHEN $2 = 'pending' THEN now() - interval '1 minute' END
     FROM payments WHERE id = ANY ($1) RETURNING id`,
    [paymentIds, status],
  );
  return rows.map(({ id }) => id);
}

/** Creates the partitions of the months before this one, for events of the past. */
export async function makePastMonths(database: Queryable, count: number): Promise<void> {
  await database.query(
    `SELECT create_event_partitions((now() - ago * interval '1 month')::date)
     FROM generate_series(1, $1::int) AS ago`,
    [count],
  );
}

/** Types that {@link manyEvents} uses in turn. Every hundredth event has a type of its own. */
export const manyEventTypes = ['payment.created', 'payment.paid', 'refund.created', 'refund.succeeded'];
export const rareEventType = 'dispute.opened';

/**
 * Inserts events without a payment by one statement, in the order of the log. Their creation times are spread
 * over the `overSeconds` before `ageSeconds` ago, and do not follow that order.
 */
export async function manyEvents(
  database: Queryable,
  merchantId: string,
  { count, ageSeconds, overSeconds = 1 }: { count: number; ageSeconds: number; overSeconds?: number },
): Promise<void> {
  await database.query(
    `INSERT INTO events (id, merchant_id, environment, payment_id, sequence, type, data, created_at, position)
     SELECT first_event_id(at) || lpad(nextval('events_position')::text, 9, '0'), $1, 'sandbox', NULL, 0,
       CASE WHEN n % 100 = 0 THEN $6 ELSE ($5::text[])[n % 4 + 1] END, '{"id":"x"}', at, nextval('events_position')
     FROM generate_series(1, $2::bigint) AS n,
       LATERAL (SELECT now() - ($3 + $4 * ((n * 7919) % $2) / $2::float8) * interval '1 second' AS at) AS t`,
    [merchantId, count, ageSeconds, overSeconds, manyEventTypes, rareEventType],
  );
}

/** Creates an endpoint that subscribes to every event and has received none. */
export async function endpointOfMany(database: Queryable, merchantId: string): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO webhook_endpoints (id, merchant_id, environment, url, secret_sealed, created_at, updated_at)
     VALUES ($1, $2, 'sandbox', 'https://shop.example/hook', '\\x00', now(), now())`,
    [id, merchantId],
  );
  return id;
}

/**
 * Inserts deliveries to an endpoint by one statement, each of its own event, created in the `overSeconds`
 * before now. Every hundredth failed, every fiftieth is pending, the others arrived.
 */
export async function manyDeliveries(
  database: Queryable,
  endpointId: string,
  { count, overSeconds }: { count: number; overSeconds: number },
): Promise<void> {
  await database.query(
    `WITH made AS (
       INSERT INTO events (id, merchant_id, environment, payment_id, sequence, type, data, created_at, position)
       SELECT first_event_id(at) || lpad(nextval('events_position')::text, 9, '0'), w.merchant_id, w.environment,
         NULL, 0, 'payment.paid', '{"id":"x"}', at, nextval('events_position')
       FROM webhook_endpoints w, generate_series(1, $2::bigint) AS n,
         LATERAL (SELECT now() - $3 * ((n * 7919) % $2) / $2::float8 * interval '1 second' AS at) AS t
       WHERE w.id = $1
       RETURNING id, position, created_at
     )
     INSERT INTO webhook_deliveries (event_id, endpoint_id, status, due_at, created_at, ended_at)
     SELECT id, $1, s.status, created_at, created_at, CASE WHEN s.status <> 'pending' THEN created_at END
     FROM made, LATERAL (SELECT CASE WHEN position % 100 = 0 THEN 'failed' WHEN position % 50 = 0 THEN 'pending'
       ELSE 'delivered' END) AS s (status)`,
    [endpointId, count, overSeconds],
  );
}

/**
 * Inserts disputes of one payment by one statement, created in the `overSeconds` before now and due a week
 * later in another order. Every hundredth needs a response.
 */
export async function manyDisputes(
  database: Queryable,
  merchantId: string,
  { paymentId, count, overSeconds }: { paymentId: string; count: number; overSeconds: number },
): Promise<void> {
  await database.query(
    `INSERT INTO disputes (id, merchant_id, environment, payment_id, provider_reference, amount_cents, reason, stage,
       status, resolution, closed_at, evidence_due_at, created_at)
     SELECT gen_random_uuid(), $1, 'sandbox', $2, 'dp_' || gen_random_uuid(), 500, 'fraudulent', 'chargeback',
       CASE WHEN n % 100 = 0 THEN 'needsResponse' ELSE 'lost' END,
       CASE WHEN n % 100 <> 0 THEN 'decided' END, CASE WHEN n % 100 <> 0 THEN now() END,
       now() + interval '7 days' - $4 * ((n * 7919) % $3) / $3::float8 * interval '1 second',
       now() - $4 * n / $3::float8 * interval '1 second'
     FROM generate_series(1, $3::bigint) AS n`,
    [merchantId, paymentId, count, overSeconds],
  );
}

/**
 * Inserts requests of a merchant's sandbox, one a second until now, each about its own payment. Every
 * hundredth was refused, none unavailable.
 */
export async function manyRequests(database: Database, merchantId: string, count: number): Promise<void> {
  // In slices, so that no statement takes long, even on a busy machine.
  const slice = 10_000;
  for (let from = 0; from < count; from += slice) {
    await database.query(
      `INSERT INTO api_requests (id, merchant_id, environment, at, method, route, status, error_code, ms, key_id,
       payment_id)
     SELECT (lpad(to_hex(trunc(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
         || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
       $1, 'sandbox', at, 'GET', '/v1/payments/:id', CASE WHEN n % 100 = 0 THEN 404 ELSE 200 END,
       CASE WHEN n % 100 = 0 THEN 'not_found' END, 3, 'abcdefgh', gen_random_uuid()
     FROM generate_series($2::int + 1, $3::int) AS n, LATERAL (SELECT now() - n * interval '1 second' AS at) AS t`,
      [merchantId, from, Math.min(from + slice, count)],
    );
  }
}
