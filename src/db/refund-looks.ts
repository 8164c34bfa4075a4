import type { RefundRecord } from '../domain/refund.ts';
import type { Queryable } from './database.ts';
import type { NextLook } from './next-look.ts';

/** A refund as its looks need it. */
export interface DueRefund extends Pick<
  RefundRecord,
  'id' | 'merchantId' | 'environment' | 'amountCents' | 'submitAfter' | 'succeededAt'
> {
  /** In a row. */
  failures: number;
}

const columns = `id, merchant_id AS "merchantId", environment, amount_cents AS "amountCents",
  submit_after AS "submitAfter", succeeded_at AS "succeededAt", look_failures AS failures`;

/** A pending refund is given to its run this long, in ms: then its workflow is missing. */
const graceMs = 15_000;

/**
 * Writes down when a refund is next looked at, null for never, and forgets failed looks. While it is pending
 * its own run looks first.
 */
export async function scheduleRefundLook(database: Queryable, id: string, at: Date | null): Promise<void> {
  await database.query(
    `UPDATE refunds SET look_failures = 0,
       next_look_at = $2::timestamptz
         + CASE WHEN status = 'pending' THEN $3 * interval '1 millisecond' ELSE interval '0' END
     WHERE id = $1`,
    [id, at, graceMs],
  );
}

/** Pending refunds that no run has looked at when it should have, in the order in which they are due. */
export async function duePendingRefunds(database: Queryable, now: Date, limit: number): Promise<DueRefund[]> {
  const { rows } = await database.query<DueRefund>(
    `SELECT ${columns} FROM refunds WHERE status = 'pending' AND next_look_at <= $1
     ORDER BY next_look_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/** Refunds that succeeded and may have come back, in the order in which they are due. */
export async function dueSucceededRefunds(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<DueRefund[]> {
  const { rows } = await database.query<DueRefund>(
    `SELECT ${columns} FROM refunds WHERE status = 'succeeded' AND next_look_at <= $1
     ORDER BY next_look_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/** Writes down when each of these refunds is next looked at, unless its run has done so since `now`. */
export async function postponeRefundLooks(
  database: Queryable,
  looks: readonly NextLook[],
  now: Date,
): Promise<void> {
  await database.query(
    `UPDATE refunds r SET next_look_at = n.at, look_failures = n.failures
     FROM json_to_recordset($1) AS n (id uuid, at timestamptz, failures int)
     WHERE r.id = n.id AND r.id = ANY ($2) AND r.next_look_at <= $3`,
    [JSON.stringify(looks), looks.map(({ id }) => id), now],
  );
}
