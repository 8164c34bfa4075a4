import type { Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/** The figures of the payments that were created on one UTC day. */
export interface DayFigures {
  day: string;
  payments: number;
  /** Of these, the paid and failed payments. Abandoned and open payments are in neither count. */
  decided: number;
  paid: number;
  paidCents: number;
}

/**
 * Returns the figures of the last `days` UTC days up to `now`, oldest first, including days without payments.
 */
export async function paymentFigures(
  database: Queryable,
  tenant: Tenant,
  now: Date,
  days: number,
): Promise<DayFigures[]> {
  const { rows } = await database.query<DayFigures>(
    `SELECT to_char(d.day, 'YYYY-MM-DD') AS day, coalesce(f.payments, 0)::int AS payments,
       coalesce(f.decided, 0)::int AS decided, coalesce(f.paid, 0)::int AS paid,
       coalesce(f.cents, 0)::bigint AS "paidCents"
     FROM generate_series(date_trunc('day', $3::timestamptz AT TIME ZONE 'UTC') - make_interval(days => $4 - 1),
       date_trunc('day', $3::timestamptz AT TIME ZONE 'UTC'), interval '1 day') AS d (day)
     LEFT JOIN (
       SELECT date_trunc('day', created_at AT TIME ZONE 'UTC') AS day, count(*) AS payments,
         count(*) FILTER (WHERE paid_at IS NOT NULL OR status = 'failed') AS decided, count(paid_at) AS paid,
         sum(amount_cents) FILTER (WHERE paid_at IS NOT NULL) AS cents
       FROM payments
       WHERE merchant_id = $1 AND environment = $2
         AND created_at >= (date_trunc('day', $3::timestamptz AT TIME ZONE 'UTC') - make_interval(days => $4 - 1))
           AT TIME ZONE 'UTC'
       GROUP BY 1
     ) f ON f.day = d.day ORDER BY d.day`,
    [tenant.merchantId, tenant.environment, now, days],
  );
  return rows;
}

/** The most items of one kind that the first page lists. */
const mostListed = 10;

/** Returns the payments whose outcome has been unknown since before `since`, the longest first. */
export async function undecidedPayments(
  database: Queryable,
  tenant: Tenant,
  since: Date,
): Promise<{ id: string; reference: string; since: Date }[]> {
  const { rows } = await database.query<{ id: string; reference: string; since: Date }>(
    `SELECT p.id, p.reference, a.first_unknown_at AS since FROM payments p JOIN attempts a ON a.payment_id = p.id
     WHERE p.merchant_id = $1 AND p.environment = $2 AND p.finalized_at IS NULL AND p.checkout_status = 'processing'
       AND a.resolved_at IS NULL AND a.first_unknown_at <= $3
     ORDER BY a.first_unknown_at LIMIT ${mostListed}`,
    [tenant.merchantId, tenant.environment, since],
  );
  return rows;
}

/**
 * Returns the late successes among the payments created since an instant, newest first: payments that were
 * paid, and their money was taken, after their checkout closed.
 */
export async function latePayments(
  database: Queryable,
  tenant: Tenant,
  since: Date,
): Promise<{ id: string; reference: string; paidAt: Date }[]> {
  const { rows } = await database.query<{ id: string; reference: string; paidAt: Date }>(
    `SELECT id, reference, paid_at AS "paidAt" FROM payments
     WHERE merchant_id = $1 AND environment = $2 AND created_at >= $3 AND paid_at IS NOT NULL AND status = 'paid' AND checkout_status = 'expired'
       AND NOT EXISTS (SELECT FROM attempts a WHERE a.payment_id = payments.id AND a.status = 'paid' AND NOT a.late)
     ORDER BY created_at DESC LIMIT ${mostListed}`,
    [tenant.merchantId, tenant.environment, since],
  );
  return rows;
}
