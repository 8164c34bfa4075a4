import type { Tenant } from './payments.ts';
import type { Queryable } from '../server/database.ts';
import type { HashedEvent } from '../../crypto/event-seal.ts';

/** A payment of a customer whose data is to be erased. */
export interface CustomersPayment {
  id: string;
  environment: Tenant['environment'];
  /** Why the payment must not be changed yet; null if nothing about it is open. */
  open: 'payment' | 'dispute' | null;
}

/**
 * Returns payments of a merchant by the customer's e-mail address, at most `limit`, locked until the commit.
 */
export async function lockPaymentsOf(
  transaction: Queryable,
  merchantId: string,
  email: string,
  limit: number,
): Promise<CustomersPayment[]> {
  const { rows } = await transaction.query<CustomersPayment>(
    `SELECT p.id, p.environment,
       CASE WHEN p.finalized_at IS NULL THEN 'payment'
            WHEN EXISTS (SELECT FROM disputes d WHERE d.payment_id = p.id AND d.closed_at IS NULL) THEN 'dispute'
       END AS open
     FROM payments p
     WHERE p.id IN (
       SELECT t.payment_id FROM payment_search_terms t
       WHERE t.merchant_id = $1 AND t.environment IN ('sandbox', 'live') AND t.kind = 'email' AND t.term = lower($2))
     ORDER BY p.id LIMIT $3 FOR UPDATE OF p`,
    [merchantId, email, limit],
  );
  return rows;
}

/** Returns how many payments of a customer cannot be erased yet. */
export async function countOpenPayments(
  database: Queryable,
  merchantId: string,
  email: string,
): Promise<number> {
  const { rows } = await database.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM payments p
     WHERE p.id IN (
       SELECT t.payment_id FROM payment_search_terms t
       WHERE t.merchant_id = $1 AND t.environment IN ('sandbox', 'live') AND t.kind = 'email' AND t.term = lower($2))
     AND (p.finalized_at IS NULL
       OR EXISTS (SELECT FROM disputes d WHERE d.payment_id = p.id AND d.closed_at IS NULL))`,
    [merchantId, email],
  );
  return rows[0]?.open ?? 0;
}

/**
 * Removes the customer's data from these payments and from everything stored about them. Amounts, statuses,
 * instants and references stay. Must run in a transaction of the owner.
 */
export async function eraseTexts(transaction: Queryable, paymentIds: readonly string[]): Promise<void> {
  await transaction.query(`SELECT set_config('card_payments.erasing', 'on', true)`);
  for (const statement of [
    `UPDATE payments SET customer_email = NULL, customer_name = NULL, customer_private_sealed = NULL, metadata = '{}',
       description = NULL, line_items = NULL WHERE id = ANY ($1::uuid[])`,
    `UPDATE refunds SET metadata = '{}' WHERE payment_id = ANY ($1::uuid[])`,
    `UPDATE disputes SET evidence = '{}' WHERE payment_id = ANY ($1::uuid[])`,
    `DELETE FROM dispute_files
     WHERE dispute_id IN (SELECT id FROM disputes WHERE payment_id = ANY ($1::uuid[]))`,
    `DELETE FROM payment_search_terms t USING payments p WHERE p.id = ANY ($1::uuid[]) AND t.payment_id = p.id
       AND t.merchant_id = p.merchant_id AND t.environment = p.environment AND t.kind = 'email'`,
    `DELETE FROM api_requests r USING payments p WHERE p.id = ANY ($1::uuid[]) AND r.payment_id = p.id
       AND r.merchant_id = p.merchant_id AND r.environment = p.environment`,
    `DELETE FROM mails WHERE payment_id = ANY ($1::uuid[])`,
    `UPDATE webhook_attempts SET response_excerpt = NULL
     WHERE response_excerpt IS NOT NULL AND event_id IN (SELECT id FROM events WHERE payment_id = ANY ($1::uuid[]))`,
  ]) {
    await transaction.query(statement, [paymentIds]);
  }
}

/** Returns the data of all events of these payments, as text. */
export async function eventTexts(
  transaction: Queryable,
  paymentIds: readonly string[],
): Promise<{ id: string; data: string }[]> {
  const { rows } = await transaction.query<{ id: string; data: string }>(
    'SELECT id, data::text AS data FROM events WHERE payment_id = ANY ($1::uuid[])',
    [paymentIds],
  );
  return rows;
}

/** Replaces the data of events. Returns the events as they are hashed from now on, with their owners. */
export async function replaceEventTexts(
  transaction: Queryable,
  events: readonly { id: string; data: string }[],
): Promise<(HashedEvent & Tenant)[]> {
  const { rows } = await transaction.query<HashedEvent & Tenant>(
    `UPDATE events e SET data = n.data::json
     FROM unnest($1::text[], $2::text[]) AS n (id, data) WHERE e.id = n.id
     RETURNING e.id, e.position, e.payment_id AS "paymentId", e.sequence, e.state_seq AS "stateSeq", e.type,
       e.previous_status AS "previousStatus", e.data::text AS data,
       (extract(epoch FROM e.created_at) * 1000000)::bigint::text AS "createdAt",
       e.merchant_id AS "merchantId", e.environment`,
    [events.map(({ id }) => id), events.map(({ data }) => data)],
  );
  return rows;
}

/** Stores the signed hashes of events that were erased. */
export async function insertErasedEvents(
  transaction: Queryable,
  events: readonly { id: string; hash: string; signature: Buffer }[],
): Promise<void> {
  await transaction.query(
    `INSERT INTO erased_events (event_id, hash, signature)
     SELECT id, decode(hash, 'hex'), signature FROM unnest($1::text[], $2::text[], $3::bytea[]) AS n (id, hash, signature)
     ON CONFLICT (event_id) DO UPDATE SET hash = EXCLUDED.hash, signature = EXCLUDED.signature`,
    [events.map(({ id }) => id), events.map(({ hash }) => hash), events.map(({ signature }) => signature)],
  );
}

/** Returns the signed hashes of those events among these that were erased. */
export async function erasedEvents(
  database: Queryable,
  ids: readonly string[],
): Promise<Map<string, { hash: string; signature: Buffer }>> {
  const { rows } = await database.query<{ id: string; hash: string; signature: Buffer }>(
    `SELECT event_id AS id, encode(hash, 'hex') AS hash, signature FROM erased_events WHERE event_id = ANY ($1)`,
    [ids],
  );
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** Returns when the customer with this keyed hash was last erased; null: never. */
export async function erasedAt(
  database: Queryable,
  merchantId: string,
  hashes: readonly string[],
): Promise<Date | null> {
  const { rows } = await database.query<{ at: Date }>(
    `SELECT at FROM audit_entries WHERE merchant_id = $1 AND action = 'customer.erased' AND subject_id = ANY ($2)
     ORDER BY sequence DESC LIMIT 1`,
    [merchantId, hashes],
  );
  return rows[0]?.at ?? null;
}
