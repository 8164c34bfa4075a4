import type { PaymentMethod } from '../domain/statuses.ts';
import type { Queryable } from './database.ts';

/** A pay that was sent and never answered: it may still lead to a charge. */
export interface OpenPay {
  inputId: string;
  /** Whether a worker took it: then the workflow and the attempt's row tell what became of it. */
  taken: boolean;
  ageMs: number;
}

/** What the customer's page shows beside the payment itself. */
export interface PageFacts {
  merchantName: string;
  attempt: {
    attemptNo: number;
    status: string;
    method: PaymentMethod;
    failureCode: string | null;
    cardBrand: string | null;
    cardLast4: string | null;
    /** Epoch ms; null while it runs. */
    resolvedAtMs: number | null;
  } | null;
  openPays: OpenPay[];
}

/** The merchant's name, the latest attempt and what was sent and never answered, in one read. */
export async function loadPageFacts(
  database: Queryable,
  payment: { id: string; merchantId: string },
): Promise<PageFacts> {
  const { rows } = await database.query<PageFacts>(
    `SELECT m.name AS "merchantName", (
       SELECT json_build_object('attemptNo', a.attempt_no, 'status', a.status, 'method', a.method,
         'failureCode', a.failure_code, 'cardBrand', a.card_brand, 'cardLast4', a.card_last4,
         'resolvedAtMs', floor(extract(epoch FROM a.resolved_at) * 1000))
       FROM attempts a WHERE a.payment_id = $2 ORDER BY a.attempt_no DESC LIMIT 1) AS attempt, (
       SELECT coalesce(json_agg(json_build_object('inputId', i.id, 'taken', i.taken_at IS NOT NULL,
         'ageMs', floor(extract(epoch FROM clock_timestamp() - i.created_at) * 1000))), '[]')
       FROM attempt_inputs i WHERE i.payment_id = $2 AND i.answered_at IS NULL AND i.withdrawn_at IS NULL
         AND i.simulated IS NULL) AS "openPays"
     FROM merchants m WHERE m.id = $1`,
    [payment.merchantId, payment.id],
  );
  return rows[0] ?? { merchantName: '', attempt: null, openPays: [] };
}

/** Notes that whoever sent a pay was told what became of it. */
export async function markPayAnswered(database: Queryable, inputId: string): Promise<void> {
  await database.query('UPDATE attempt_inputs SET answered_at = now() WHERE id = $1', [inputId]);
}

/** Takes a pay back before a worker has it; false when one was faster, and it may lead to a charge. */
export async function withdrawPay(database: Queryable, inputId: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE attempt_inputs SET withdrawn_at = coalesce(withdrawn_at, now()), token_sealed = NULL
     WHERE id = $1 AND taken_at IS NULL`,
    [inputId],
  );
  return rowCount === 1;
}

/** Whether a later attempt has taken the place of this one: its link is stale. */
export async function hasLaterAttempt(
  database: Queryable,
  attempt: { paymentId: string; attemptNo: number },
): Promise<boolean> {
  const { rowCount } = await database.query(
    'SELECT 1 FROM attempts WHERE payment_id = $1 AND attempt_no > $2',
    [attempt.paymentId, attempt.attemptNo],
  );
  return rowCount !== 0;
}
