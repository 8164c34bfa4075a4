import type { RefundRecord } from '../../domain/refund.ts';
import type { Queryable } from '../server/database.ts';

/** A refund as its checks need it. */
export interface DueRefund extends Pick<
  RefundRecord,
  'id' | 'merchantId' | 'environment' | 'amountCents' | 'submitAfter' | 'succeededAt'
> {
  /** In a row. */
  failures: number;
}

const columns = `id, merchant_id AS "merchantId", environment, amount_cents AS "amountCents",
  submit_after AS "submitAfter", succeeded_at AS "succeededAt", check_failures AS failures`;

/** A pending refund is given to its run this long, in ms: then its workflow is missing. */
const graceMs = 15_000;

/**
 * Writes down when a refund is next checked, null for never, and forgets failed checks. While it is pending
 * its own run checks first.
 */
export async function scheduleRefundLook(database: Queryable, id: string, at: Date | null): Promise<void> {
  await database.query(
    `UPDATE refunds SET check_failures = 0,
       next_check_at = $2::timestamptz
         + CASE WHEN status = 'pending' THEN $3 * interval '1 millisecond' ELSE interval '0' END
     WHERE id = $1`,
    [id, at, graceMs],
  );
}

/**
 * Refunds that are due, in the order in which they are: `pending` ones, which no run has checked when it
 * should have; `succeeded` ones, which may have come back.
 */
export async function dueRefunds(
  database: Queryable,
  status: 'pending' | 'succeeded',
  now: Date,
  limit: number,
): Promise<DueRefund[]> {
  // Each status has a partial index of its own: the word stands in the text, where the planner sees it.
  const { rows } = await database.query<DueRefund>(
    `SELECT ${columns} FROM refunds WHERE status = '${status}' AND next_check_at <= $1
     ORDER BY next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}
