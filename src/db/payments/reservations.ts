import type { PaymentRecord } from '../../domain/payment.ts';
import type { SimulatedOutcome } from '../../domain/sandbox.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import type { Queryable } from '../server/database.ts';
import { paymentColumnsOf } from './payments.ts';

/** An attempt somebody asks for. The card token is sealed; it never enters Temporal. */
export interface AttemptReservation {
  paymentId: string;
  method: PaymentMethod;
  tokenSealed: Buffer | null;
  /** Keyed hash of the token: custom mode takes one card per payment (FENCE-03). */
  tokenHash: Buffer | null;
  captureReference: string | null;
  simulated: SimulatedOutcome | null;
  /** The request or sandbox order behind it. */
  requestId: string;
}

/**
 * Writes an attempt down before anybody is asked to make it, and takes the fence with it: the checkout is
 * `processing` from here on. Returns the attempt's number, or null when the row refuses: another attempt is
 * open, the checkout is closed or past its deadline, its merchant is disabled, no attempt is left, or another
 * card was accepted. One statement, one commit. The attempt begins at `now`, or at the end of the attempt
 * before it where the statement waited for that.
 */
export async function reserveAttempt(
  database: Queryable,
  intent: AttemptReservation,
  now: Date,
): Promise<number | null> {
  const { rows } = await database.query<{ attemptNo: number }>(
    `WITH fence AS (
       UPDATE payments SET checkout_status = 'processing', method = $2, changed_at = $8
       WHERE id = $1 AND checkout_status IN ('open', 'failed_retryable') AND attempts_left > 0
         AND expires_at > $8 AND EXISTS (SELECT FROM merchants m WHERE m.id = merchant_id AND m.status = 'active')
         AND (accepted_token_hash IS NULL OR $4::bytea IS NULL OR accepted_token_hash = $4)
       RETURNING id, changed_at
     )
     INSERT INTO attempts (payment_id, attempt_no, status, method, token_sealed, token_hash, capture_reference,
       simulated, request_id, started_at)
     SELECT id, coalesce((SELECT max(attempt_no) FROM attempts WHERE payment_id = $1), 0) + 1, 'processing', $2,
       $3, $4, $5, $6, $7, changed_at FROM fence
     RETURNING attempt_no AS "attemptNo"`,
    [
      intent.paymentId,
      intent.method,
      intent.tokenSealed,
      intent.tokenHash,
      intent.captureReference,
      intent.simulated === null ? null : JSON.stringify(intent.simulated),
      intent.requestId,
      now,
    ],
  );
  return rows[0]?.attemptNo ?? null;
}

/** Whether this request or order has an attempt already. */
export async function hasAttemptFor(
  database: Queryable,
  paymentId: string,
  requestId: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    'SELECT 1 FROM attempts WHERE payment_id = $1 AND request_id = $2',
    [paymentId, requestId],
  );
  return rowCount === 1;
}

/**
 * Takes an intent back that nobody has claimed, and the fence with it. False: a worker may have sent it, or
 * it is over already; only the payment's status tells.
 */
export async function releaseReservation(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `WITH released AS (
       UPDATE attempts SET status = 'released', answer = 'not_sent', token_sealed = NULL, resolved_at = now()
       WHERE payment_id = $1 AND attempt_no = $2 AND status = 'processing' AND sent_at IS NULL
       RETURNING payment_id
     )
     UPDATE payments p SET checkout_status = CASE WHEN checkout_status <> 'processing' THEN checkout_status
         WHEN attempts_left < 5 THEN 'failed_retryable' ELSE 'open' END
     FROM released WHERE p.id = released.payment_id`,
    [paymentId, attemptNo],
  );
  return rowCount === 1;
}

/** A claimed intent: the payment and what its attempt is to be made with. */
export interface ClaimedAttempt extends PaymentRecord {
  customerPrivateSealed: Buffer | null;
  attemptMethod: PaymentMethod;
  tokenSealed: Buffer | null;
  captureReference: string | null;
  simulated: SimulatedOutcome | null;
}

/**
 * Claims an intent for sending, once for ever, in the name of the workflow run that owns the payment.
 * `claimed` allows the charge to be sent; `repeated` means that an earlier claim may have sent it; `closed`
 * that nothing may be sent.
 */
export async function claimAttempt(
  database: Queryable,
  { paymentId, attemptNo, runId }: { paymentId: string; attemptNo: number; runId: string },
): Promise<{ state: 'claimed'; claimed: ClaimedAttempt } | { state: 'repeated' } | { state: 'closed' }> {
  const { rows } = await database.query<ClaimedAttempt>(
    `UPDATE attempts a SET sent_at = clock_timestamp() FROM payments p
     WHERE a.payment_id = $1 AND a.attempt_no = $2 AND a.status = 'processing' AND a.sent_at IS NULL
       AND a.answer IS NULL AND p.id = a.payment_id AND p.checkout_status = 'processing'
       AND (p.workflow_run_id IS NULL OR p.workflow_run_id = $3)
       -- Accepted in time, but its worker was away past the deadline: nobody waits for this charge any more.
       AND p.expires_at > clock_timestamp()
       -- Its merchant was disabled in between.
       AND EXISTS (SELECT FROM merchants m WHERE m.id = p.merchant_id AND m.status = 'active')
     RETURNING ${paymentColumnsOf('p')}, p.customer_private_sealed AS "customerPrivateSealed",
       a.method AS "attemptMethod", a.token_sealed AS "tokenSealed",
       a.capture_reference AS "captureReference", a.simulated`,
    [paymentId, attemptNo, runId],
  );
  const [claimed] = rows;
  if (claimed) return { state: 'claimed', claimed };
  const { rowCount } = await database.query(
    'SELECT 1 FROM attempts WHERE payment_id = $1 AND attempt_no = $2 AND sent_at IS NOT NULL',
    [paymentId, attemptNo],
  );
  return { state: rowCount === 0 ? 'closed' : 'repeated' };
}

/** Makes sure that an intent nobody claimed is never sent. True: it was not, and will not be. */
export async function cancelUnclaimed(
  database: Queryable,
  paymentId: string,
  attemptNo: number,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE attempts SET answer = 'not_sent'
     WHERE payment_id = $1 AND attempt_no = $2 AND sent_at IS NULL AND (answer IS NULL OR answer = 'not_sent')`,
    [paymentId, attemptNo],
  );
  return rowCount === 1;
}

/** When an attempt was claimed for sending, or null. */
export async function loadSentAt(
  database: Queryable,
  paymentId: string,
  attemptNo: number,
): Promise<Date | null> {
  const { rows } = await database.query<{ sentAt: Date | null }>(
    'SELECT sent_at AS "sentAt" FROM attempts WHERE payment_id = $1 AND attempt_no = $2',
    [paymentId, attemptNo],
  );
  return rows[0]?.sentAt ?? null;
}

/** Returns the ms since an attempt was claimed for sending, by PostgreSQL's clock; null: it was not. */
export async function loadSentAgeMs(
  database: Queryable,
  paymentId: string,
  attemptNo: number,
): Promise<number | null> {
  const { rows } = await database.query<{ ageMs: number | null }>(
    `SELECT extract(epoch FROM clock_timestamp() - sent_at)::float8 * 1000 AS "ageMs"
     FROM attempts WHERE payment_id = $1 AND attempt_no = $2`,
    [paymentId, attemptNo],
  );
  return rows[0]?.ageMs ?? null;
}
