import type { Queryable } from '../server/database.ts';
import { schedulePaymentCheckSoon } from './payment-checks.ts';

/**
 * Gives one caller at a time the lease of the customer's open step, for as long as a call may take, and
 * schedules a check of the result. Returns false when another caller holds the lease or the step is over.
 */
export async function takeActionLease(
  database: Queryable,
  paymentId: string,
  now: Date,
  leaseMs: number,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE attempts SET action_leased_until = $3
     WHERE payment_id = $1 AND status = 'requiresAction' AND (action_leased_until IS NULL OR action_leased_until < $2)`,
    [paymentId, now, new Date(now.getTime() + leaseMs)],
  );
  if (rowCount !== 1) return false;
  await schedulePaymentCheckSoon(database, paymentId);
  return true;
}

/** Ends the lease, so that the next caller can act on the step. */
export async function releaseActionLease(database: Queryable, paymentId: string): Promise<void> {
  await database.query(
    'UPDATE attempts SET action_leased_until = NULL WHERE payment_id = $1 AND action_leased_until IS NOT NULL',
    [paymentId],
  );
}
