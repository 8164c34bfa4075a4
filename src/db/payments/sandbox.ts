import type { Queryable } from '../server/database.ts';

/** Returns the latest attempt of a payment, or null. */
export async function latestAttempt(
  database: Queryable,
  paymentId: string,
): Promise<{ attemptNo: number; status: string } | null> {
  const { rows } = await database.query<{ attemptNo: number; status: string }>(
    `SELECT attempt_no AS "attemptNo", status FROM attempts WHERE payment_id = $1 ORDER BY attempt_no DESC LIMIT 1`,
    [paymentId],
  );
  return rows[0] ?? null;
}

export type WebhookFaultMode = 'timeout' | 'lostResponse' | 'error' | 'slow';

/** Stores a fault for the merchant's next webhook deliveries, or for those of one payment. */
export async function injectWebhookFault(
  transaction: Queryable,
  fault: { merchantId: string; paymentId: string | null; mode: WebhookFaultMode; count: number },
): Promise<void> {
  await transaction.query(
    `INSERT INTO sandbox_webhook_faults (merchant_id, payment_id, mode, turns_left) VALUES ($1, $2, $3, $4)`,
    [fault.merchantId, fault.paymentId, fault.mode, fault.count],
  );
}

/**
 * Uses one of the remaining times of the oldest fault that matches an event's delivery, and returns the
 * fault; null if there is none. For sandbox events only.
 */
export async function takeWebhookFault(
  database: Queryable,
  eventId: string,
): Promise<WebhookFaultMode | null> {
  const { rows } = await database.query<{ id: number; mode: WebhookFaultMode; left: number }>(
    `UPDATE sandbox_webhook_faults SET turns_left = turns_left - 1 WHERE id = (
       SELECT f.id FROM sandbox_webhook_faults f JOIN events e ON e.merchant_id = f.merchant_id
       WHERE e.id = $1 AND e.environment = 'sandbox' AND e.payment_id IS NOT NULL AND f.turns_left > 0
         AND (f.payment_id IS NULL OR f.payment_id = e.payment_id)
       ORDER BY f.id LIMIT 1 FOR UPDATE OF f SKIP LOCKED)
     RETURNING id, mode, turns_left AS left`,
    [eventId],
  );
  const [taken] = rows;
  if (taken?.left === 0) await database.query('DELETE FROM sandbox_webhook_faults WHERE id = $1', [taken.id]);
  return taken?.mode ?? null;
}
