import type { PaymentRecord } from '../domain/payment.ts';
import type { Queryable } from './database.ts';

type FollowedPayment = Pick<PaymentRecord, 'merchantId' | 'environment' | 'amountCents'>;

export interface UnattendedRefund extends FollowedPayment {
  id: string;
  submitAfterMs: number;
}

export interface UnattendedDispute extends FollowedPayment {
  id: string;
  reference: string;
}

/**
 * Pending refunds whose workflow may be missing, and marks them as looked at: some seconds after they were
 * due to be submitted, then every minute. Several sweepers share the work.
 */
export async function unattendedRefunds(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<UnattendedRefund[]> {
  const { rows } = await database.query<Omit<UnattendedRefund, 'submitAfterMs'> & { submitAfter: Date }>(
    `UPDATE refunds SET swept_at = $1::timestamptz WHERE id IN (
       SELECT id FROM refunds WHERE status = 'pending'
         AND coalesce(swept_at + interval '1 minute', submit_after + interval '15 seconds') < $1::timestamptz
       ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id, merchant_id AS "merchantId", environment, amount_cents AS "amountCents",
       submit_after AS "submitAfter"`,
    [now, limit],
  );
  return rows.map(({ submitAfter, ...refund }) => ({ ...refund, submitAfterMs: submitAfter.getTime() }));
}

/** Open disputes whose workflow may be missing: looked at every five minutes. */
export async function unattendedDisputes(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<UnattendedDispute[]> {
  const { rows } = await database.query<UnattendedDispute>(
    `UPDATE disputes SET swept_at = $1::timestamptz WHERE id IN (
       SELECT id FROM disputes WHERE closed_at IS NULL AND coalesce(swept_at, created_at) < $1::timestamptz - interval '5 minutes'
       ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id, merchant_id AS "merchantId", environment, amount_cents AS "amountCents",
       provider_reference AS reference`,
    [now, limit],
  );
  return rows;
}

/**
 * Paid payments for whose disputes the network is to be asked, because a callback may have been lost: a
 * minute after they were paid, then whenever their age has doubled, at least weekly, for 120 days. Marks them
 * as asked.
 */
export async function paymentsDueForDisputes(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<(FollowedPayment & { id: string })[]> {
  const { rows } = await database.query<FollowedPayment & { id: string }>(
    `UPDATE payments SET disputes_due_at = CASE
         WHEN $1::timestamptz - paid_at > interval '120 days' THEN 'infinity'::timestamptz
         ELSE $1::timestamptz - interval '1 minute' + least(interval '7 days', greatest(interval '1 minute', $1::timestamptz - paid_at)) END
     WHERE id IN (
       SELECT id FROM payments WHERE paid_at IS NOT NULL
         AND coalesce(disputes_due_at, paid_at) < $1::timestamptz - interval '1 minute'
       ORDER BY coalesce(disputes_due_at, paid_at) LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id, merchant_id AS "merchantId", environment, amount_cents AS "amountCents"`,
    [now, limit],
  );
  return rows;
}
