import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../src/db/server/database.ts';

/** The rows of a payment whose money was taken. */
export interface PlantedPayment {
  /** When the money was taken, in ISO 8601. */
  at: string;
  amountCents?: number;
  method?: 'card' | 'wallet' | 'pix';
  /** Status of its attempt: `paid`, or `declined` although the provider took the money. */
  status?: 'paid' | 'declined';
  late?: boolean;
}

/** Inserts a payment of a merchant's sandbox with one attempt. Returns its id. */
export async function plantPayment(
  database: Queryable,
  merchantId: string,
  { at, amountCents = 2500, method = 'card', status = 'paid', late = false }: PlantedPayment,
): Promise<string> {
  const id = randomUUID();
  const isPaid = status === 'paid';
  await database.query(
    `INSERT INTO payments (id, merchant_id, environment, checkout_mode, reference, amount_cents, currency, metadata,
       success_url, cancel_url, offered_methods, locale, checkout_url_sealed, checkout_token_hash, vault_id,
       created_at, expires_at, capture_expires_at, workflow_started_at, status, checkout_status, method, paid_at,
       finalized_at)
     SELECT $1, $2, 'sandbox', 'custom', 'order', $4, 'USD', '{}', 'https://shop.example/s', 'https://shop.example/c',
       '{card}', 'en', '\\x00', sha256(gen_random_uuid()::text::bytea), substr(md5(gen_random_uuid()::text), 1, 30),
       t - interval '1 minute', t + interval '30 minutes', t + interval '30 minutes', t,
       CASE WHEN $6 THEN 'paid' ELSE 'pending' END, CASE WHEN $6 THEN 'paid' ELSE 'failed_retryable' END, $5,
       CASE WHEN $6 THEN t + interval '1 second' END, t + interval '1 second'
     FROM (SELECT $3::timestamptz AS t) AS instant`,
    [id, merchantId, at, amountCents, method, isPaid],
  );
  await plantAttempt(database, id, { at, method, status, late });
  return id;
}

/** Inserts the first attempt of a payment. */
export async function plantAttempt(
  database: Queryable,
  paymentId: string,
  { at, method = 'card', status = 'paid', late = false }: PlantedPayment,
): Promise<void> {
  await database.query(
    `INSERT INTO attempts (payment_id, attempt_no, method, status, started_at, claimed_at, answer, captured_at,
       resolved_at, late)
     SELECT $1, 1, $2, $3, t, t, CASE WHEN $5 THEN 'captured' ELSE 'declined' END, CASE WHEN $5 THEN t END,
       t + interval '1 second', CASE WHEN $5 THEN $6::boolean END FROM (SELECT $4::timestamptz AS t) AS instant`,
    [paymentId, method, status, at, status === 'paid', late],
  );
}

/** Inserts a refund that succeeded `at` and failed late at `failedAt`. Returns its id. */
export async function plantRefund(
  database: Queryable,
  paymentId: string,
  { at, amountCents, failedAt = null }: { at: string | null; amountCents: number; failedAt?: string | null },
): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, status, failure_code, metadata,
       created_at, submit_after, submitted_at, succeeded_at, failed_at)
     SELECT $1, p.merchant_id, p.environment, p.id, $3,
       CASE WHEN $5::timestamptz IS NOT NULL THEN 'failed' WHEN $4::timestamptz IS NULL THEN 'pending' ELSE 'succeeded' END,
       CASE WHEN $5 IS NOT NULL THEN 'refund_rejected' END, '{}', p.created_at, p.created_at, p.created_at, $4, $5
     FROM payments p WHERE p.id = $2`,
    [id, paymentId, amountCents, at, failedAt],
  );
  return id;
}

/** Inserts a dispute of the whole payment. Returns its id. */
export async function plantDispute(
  database: Queryable,
  paymentId: string,
  {
    at,
    stage = 'chargeback',
    ended = null,
  }: { at: string; stage?: string; ended?: { status: 'won' | 'lost'; at: string } | null },
): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO disputes (id, merchant_id, environment, payment_id, provider_reference, amount_cents, reason, stage,
       status, resolution, evidence_due_at, created_at, closed_at)
     SELECT $1::uuid, p.merchant_id, p.environment, p.id, 'dp_' || $1::uuid, p.amount_cents, 'fraudulent', $4,
       coalesce($5, 'needsResponse'), CASE WHEN $5 IS NOT NULL THEN 'decided' END, t + interval '7 days', t, $6
     FROM payments p, (SELECT $3::timestamptz AS t) AS instant WHERE p.id = $2`,
    [id, paymentId, at, stage, ended?.status ?? null, ended?.at ?? null],
  );
  return id;
}
