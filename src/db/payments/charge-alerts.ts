import type { Queryable } from '../server/database.ts';
import { raiseBoundedAlert } from '../server/operator-alerts.ts';

/** Why a charge of the network cannot be processed: the code that the alert contains. */
export type ChargeProblem = 'unknown_state' | 'other_currency' | 'other_amount' | 'future_instant';

/** The name under which alerts about charges are raised; the subject is the payment's id. */
export const unreadableCharges = 'unreadable charges';
/**
 * How far a provider's instant may be in the future, as a PostgreSQL interval. One further ahead is not
 * trusted.
 */
export const maxClockSkew = '2 minutes';
/**
 * The maximum number of open alerts about charges. A provider that changed all its answers is one cause, not
 * thousands.
 */
const maxAlerts = 1_000;

/** Raises an alert for a charge that this build cannot read, or that contradicts the request. */
export async function alertChargeProblem(
  database: Queryable,
  paymentId: string,
  detail: ChargeProblem,
): Promise<void> {
  const { rows } = await database.query<{ merchantId: string; now: Date }>(
    'SELECT merchant_id AS "merchantId", clock_timestamp() AS now FROM payments WHERE id = $1',
    [paymentId],
  );
  const [payment] = rows;
  if (!payment) return;
  const { merchantId, now } = payment;
  const alert = { sweep: unreadableCharges, subject: paymentId, merchantId, detail, since: now };
  await raiseBoundedAlert(database, alert, maxAlerts);
}

/**
 * Clears a payment's alert, because its charge was read without a problem. An alert about an instant stays.
 */
export async function clearChargeAlert(database: Queryable, paymentId: string): Promise<void> {
  await database.query(
    `UPDATE operator_alerts SET cleared_at = clock_timestamp()
     WHERE sweep = $1 AND subject = $2 AND cleared_at IS NULL AND detail <> 'future_instant'`,
    [unreadableCharges, paymentId],
  );
}
