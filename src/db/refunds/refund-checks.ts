import type { RefundRecord } from '../../domain/refund.ts';
import type { Queryable } from '../server/database.ts';
import { anyRow } from '../server/due-work.ts';

/** A refund as its check reads it. */
export interface DueRefund extends Pick<
  RefundRecord,
  'id' | 'merchantId' | 'environment' | 'amountCents' | 'submitAfter' | 'succeededAt'
> {
  /** Failed checks in a row. */
  failures: number;
}

const columns = `id, merchant_id AS "merchantId", environment, amount_cents AS "amountCents",
  submit_after AS "submitAfter", succeeded_at AS "succeededAt", check_failures AS failures`;

/**
 * How long a pending refund is left to its workflow run, in ms. After that, its workflow counts as missing.
 */
const graceMs = 15_000;

/**
 * Stores when a refund is next checked (null: never again), and resets its failed checks. While the refund is
 * pending, its own run checks it first.
 */
export async function scheduleRefundCheck(database: Queryable, id: string, at: Date | null): Promise<void> {
  await database.query(
    `UPDATE refunds SET check_failures = 0,
       next_check_at = $2::timestamptz
         + CASE WHEN status = 'pending' THEN $3 * interval '1 millisecond' ELSE interval '0' END
     WHERE id = $1`,
    [id, at, graceMs],
  );
}

/**
 * Schedules a check of a pending refund in 15 s: a callback announced its change, or its run may be stuck. A
 * run that acts on it schedules its own next check. Returns false for a refund that is not pending.
 */
export async function scheduleRefundCheckSoon(database: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE refunds SET next_check_at = least(next_check_at, clock_timestamp() + $2 * interval '1 millisecond')
     WHERE id = $1 AND status = 'pending'`,
    [id, graceMs],
  );
  return rowCount === 1;
}

const refundsAreDue = (status: 'pending' | 'succeeded') =>
  anyRow(`refunds WHERE status = '${status}' AND next_check_at <= now() ORDER BY next_check_at`);
export const pendingRefundsAreDue = refundsAreDue('pending');
export const succeededRefundsAreDue = refundsAreDue('succeeded');

/**
 * Returns the due refunds, in the order in which they are due: `pending` ones whose run did not check them in
 * time, and `succeeded` ones, which may have been returned.
 */
export async function dueRefunds(
  database: Queryable,
  status: 'pending' | 'succeeded',
  now: Date,
  limit: number,
): Promise<DueRefund[]> {
  // Each status has its own partial index, so the status is a literal in the text, which the planner can see.
  const { rows } = await database.query<DueRefund>(
    `SELECT ${columns} FROM refunds WHERE status = '${status}' AND next_check_at <= $1
     ORDER BY next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/** Schedules checks of the payment's succeeded refunds, due at once: one of them may have been returned. */
export async function scheduleSucceededRefundChecks(
  database: Queryable,
  paymentId: string,
  now: Date,
): Promise<void> {
  await database.query(
    `UPDATE refunds SET next_check_at = $2 WHERE payment_id = $1 AND status = 'succeeded'`,
    [paymentId, now],
  );
}
