import type { SimulatedOutcome } from '../domain/sandbox.ts';
import type { PaymentMethod } from '../domain/statuses.ts';
import type { Queryable } from './database.ts';

/** The latest attempt of a payment, or null. */
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

/** Keeps what an attempt in the customer's place is to become. Repeating it changes nothing. */
export async function insertSimulatedInput(
  database: Queryable,
  input: { id: string; paymentId: string; method: PaymentMethod; simulated: SimulatedOutcome },
): Promise<void> {
  await database.query(
    `INSERT INTO attempt_inputs (id, payment_id, method, simulated) VALUES ($1, $2, $3, $4)
     ON CONFLICT (id) DO NOTHING`,
    [input.id, input.paymentId, input.method, JSON.stringify(input.simulated)],
  );
}

/** What an attempt input was ordered to become, or null for a real one. */
export async function loadSimulatedOutcome(
  database: Queryable,
  inputId: string,
): Promise<SimulatedOutcome | null> {
  const { rows } = await database.query<{ simulated: SimulatedOutcome | null }>(
    'SELECT simulated FROM attempt_inputs WHERE id = $1',
    [inputId],
  );
  return rows[0]?.simulated ?? null;
}

export type WebhookFaultMode = 'timeout' | 'lostResponse' | 'error' | 'slow';

/** Orders trouble for the merchant's next webhook deliveries (of one payment). */
export async function orderWebhookFault(
  transaction: Queryable,
  fault: { merchantId: string; paymentId: string | null; mode: WebhookFaultMode; count: number },
): Promise<void> {
  await transaction.query(
    `INSERT INTO sandbox_webhook_faults (merchant_id, payment_id, mode, turns_left) VALUES ($1, $2, $3, $4)`,
    [fault.merchantId, fault.paymentId, fault.mode, fault.count],
  );
}

/** Uses up one turn of the merchant's oldest fault that fits this payment, or answers null. Sandbox deliveries only. */
export async function takeWebhookFault(
  database: Queryable,
  delivery: { merchantId: string; paymentId: string | null },
): Promise<WebhookFaultMode | null> {
  const { rows } = await database.query<{ mode: WebhookFaultMode }>(
    `UPDATE sandbox_webhook_faults SET turns_left = turns_left - 1 WHERE id = (
       SELECT id FROM sandbox_webhook_faults
       WHERE merchant_id = $1 AND turns_left > 0 AND (payment_id IS NULL OR payment_id = $2)
       ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING mode`,
    [delivery.merchantId, delivery.paymentId],
  );
  return rows[0]?.mode ?? null;
}
