import type { PaymentRecord } from '../../domain/payment.ts';
import type { CheckoutStatus } from '../../domain/statuses.ts';
import type { RecordableAnswer } from './attempt-answers.ts';
import type { Queryable } from '../server/database.ts';
import { type DueCondition, anyOf, anyRow } from '../server/due-work.ts';
import type { NextCheck } from '../server/next-check.ts';

/** A payment that may need recovery, as its check reads it. */
export interface DuePayment extends Pick<
  PaymentRecord,
  | 'id'
  | 'merchantId'
  | 'environment'
  | 'checkoutMode'
  | 'amountCents'
  | 'createdAt'
  | 'expiresAt'
  | 'captureExpiresAt'
  | 'workflowStartedAt'
  | 'finalizedAt'
  | 'reference'
  | 'successUrl'
  | 'cancelUrl'
  | 'connectorId'
  | 'creationKeyHash'
> {
  checkoutStatus: CheckoutStatus;
  /** The workflow run that owns the rows; null before its first write. */
  runId: string | null;
  /** The open attempt, if any. */
  attempt: OpenAttempt | null;
  /** The number of earlier checks, and how many of them failed in a row. */
  checks: number;
  failures: number;
}

/** An attempt that has not ended. */
interface OpenAttempt {
  attemptNo: number;
  /** `requiresAction`: the attempt waits for its customer, or the step is being confirmed. */
  status: 'processing' | 'requiresAction';
  startedAt: Date;
  claimedAt: Date | null;
  unknownSince: Date | null;
  /** The provider's stored answer. */
  answer: RecordableAnswer | null;
}

/** The instants before which each possible fault must have begun to be due for a check. */
export interface CheckHorizons {
  /** The payment was created before this, and no workflow is known. */
  notStarted: Date;
  /** The deadline passed before this, and the payment is not final. */
  overdue: Date;
  /** The attempt began before this, and is still open. One whose answer is stored is due 10 s sooner. */
  underWay: Date;
}

/**
 * How much sooner an attempt is due for a check when its answer is stored, because only its transition is
 * missing. `horizonsMs.answered` of the sweep is that much shorter than `underWay`.
 */
const answeredSoonerSql = "interval '10 seconds'";

/** Returns SQL that schedules checks, due at once. A payment that has a check keeps the earlier time. */
const insertChecks = (marked: string): string => `
  INSERT INTO payment_checks (payment_id, next_check_at) SELECT id, $1 FROM ${marked}
  ON CONFLICT (payment_id) DO UPDATE
    SET next_check_at = least(payment_checks.next_check_at, excluded.next_check_at)`;

const schedules = {
  notStarted: `WITH marked AS (
    UPDATE payments SET check_scheduled = true WHERE id = ANY (ARRAY(
      SELECT id FROM payments WHERE workflow_started_at IS NULL AND NOT check_scheduled AND created_at < $2
      ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING id)
    ${insertChecks('marked')}`,
  overdue: `WITH marked AS (
    UPDATE payments SET check_scheduled = true WHERE id = ANY (ARRAY(
      SELECT id FROM payments WHERE finalized_at IS NULL AND NOT check_scheduled AND expires_at < $2
      ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING id)
    ${insertChecks('marked')}`,
  underWay: `WITH marked AS (
    UPDATE attempts SET check_scheduled = true WHERE status = 'processing' AND payment_id = ANY (ARRAY(
      SELECT payment_id FROM attempts WHERE status = 'processing' AND NOT check_scheduled
        AND started_at < $2::timestamptz + ${answeredSoonerSql} AND (started_at < $2 OR answer IS NOT NULL)
      ORDER BY started_at LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING payment_id AS id)
    ${insertChecks('marked')}`,
} as const;

/**
 * Returns the condition that a check of a payment is due or has to be scheduled. `ms`: how long each possible
 * fault must have lasted (CheckHorizons).
 */
export function paymentsAreDue(ms: Record<keyof CheckHorizons, number>): DueCondition {
  const before = (fault: keyof CheckHorizons): string => `now() - interval '${ms[fault]} milliseconds'`;
  return anyOf(
    anyRow('payment_checks WHERE next_check_at <= now() ORDER BY next_check_at'),
    anyRow(`payments WHERE workflow_started_at IS NULL AND NOT check_scheduled
      AND created_at < ${before('notStarted')} ORDER BY created_at`),
    anyRow(`payments WHERE finalized_at IS NULL AND NOT check_scheduled
      AND expires_at < ${before('overdue')} ORDER BY expires_at`),
    anyRow(`attempts WHERE status = 'processing' AND NOT check_scheduled
      AND started_at < ${before('underWay')} + ${answeredSoonerSql}
      AND (started_at < ${before('underWay')} OR answer IS NOT NULL) ORDER BY started_at`),
  );
}

/**
 * Schedules a check in 15 s of a payment that is about to change, because a provider's callback was received
 * or the customer's step was done. The check does nothing if the change has happened. A check that is already
 * due may be running and have read too early, so another one follows it.
 * Returns false for a payment that is final.
 */
export async function schedulePaymentCheckSoon(database: Queryable, paymentId: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `INSERT INTO payment_checks (payment_id, next_check_at)
     SELECT id, clock_timestamp() + interval '15 seconds' FROM payments WHERE id = $1 AND finalized_at IS NULL
     ON CONFLICT (payment_id) DO UPDATE
       SET next_check_at = CASE WHEN payment_checks.next_check_at <= clock_timestamp() THEN excluded.next_check_at
         ELSE least(payment_checks.next_check_at, excluded.next_check_at) END`,
    [paymentId],
  );
  return rowCount === 1;
}

/**
 * Schedules checks for the payments that may need recovery, at most `limit` for each fault, oldest first.
 * Returns whether there may be more.
 */
export async function schedulePaymentChecks(
  database: Queryable,
  horizons: CheckHorizons,
  now: Date,
  limit: number,
): Promise<boolean> {
  let more = false;
  for (const kind of Object.keys(schedules) as (keyof typeof schedules)[]) {
    const { rowCount } = await database.query(schedules[kind], [now, horizons[kind], limit]);
    more ||= rowCount === limit;
  }
  return more;
}

/**
 * Schedules checks for those of these payments that are not final, because their runs were terminated from
 * outside.
 */
export async function scheduleEndedRuns(
  database: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await database.query(
    `WITH marked AS (
       UPDATE payments SET check_scheduled = true WHERE id = ANY (ARRAY(
         SELECT id FROM payments WHERE id = ANY ($2) AND finalized_at IS NULL ORDER BY id FOR UPDATE SKIP LOCKED))
       RETURNING id)
     ${insertChecks('marked')}`,
    [now, ids],
  );
}

/**
 * Schedules checks for payments that are not final, at most `limit`, earliest deadline first. It waits for
 * payments that are being changed, because none may be left out.
 * Returns whether there may be more.
 */
export async function scheduleOpenPayments(database: Queryable, now: Date, limit: number): Promise<boolean> {
  const { rowCount } = await database.query(
    `WITH marked AS (
       UPDATE payments SET check_scheduled = true WHERE id = ANY (ARRAY(
         SELECT id FROM payments WHERE finalized_at IS NULL AND NOT check_scheduled
         ORDER BY expires_at LIMIT $2 FOR UPDATE)) RETURNING id)
     ${insertChecks('marked')}`,
    [now, limit],
  );
  return rowCount === limit;
}

/** Returns the payments to be checked now, in the order in which they are due. */
export async function duePayments(database: Queryable, now: Date, limit: number): Promise<DuePayment[]> {
  const { rows } = await database.query<
    Omit<DuePayment, 'attempt'> &
      Omit<OpenAttempt, 'attemptNo' | 'startedAt' | 'status'> & {
        attemptNo: number | null;
        attemptStartedAt: Date;
        attemptStatus: OpenAttempt['status'];
      }
  >(
    `SELECT p.id, p.merchant_id AS "merchantId", p.environment, p.checkout_mode AS "checkoutMode",
       p.amount_cents AS "amountCents", p.created_at AS "createdAt", p.expires_at AS "expiresAt",
       p.capture_expires_at AS "captureExpiresAt", p.workflow_started_at AS "workflowStartedAt",
       p.finalized_at AS "finalizedAt", p.checkout_status AS "checkoutStatus", p.reference,
       p.success_url AS "successUrl", p.cancel_url AS "cancelUrl", p.connector_id AS "connectorId",
       p.creation_key_hash AS "creationKeyHash",
       p.workflow_run_id AS "runId", c.checks, c.failures, a.attempt_no AS "attemptNo",
       a.status AS "attemptStatus", a.started_at AS "attemptStartedAt", a.claimed_at AS "claimedAt",
       a.unknown_since AS "unknownSince", a.answer
     FROM payment_checks c JOIN payments p ON p.id = c.payment_id
     LEFT JOIN attempts a ON a.payment_id = c.payment_id AND a.status IN ('processing', 'requiresAction')
     WHERE c.next_check_at <= $1 ORDER BY c.next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows.map(({ attemptNo, attemptStatus, attemptStartedAt, ...row }) => {
    const { claimedAt, unknownSince, answer, ...payment } = row;
    const open = { status: attemptStatus, startedAt: attemptStartedAt, claimedAt, unknownSince, answer };
    return { ...payment, attempt: attemptNo === null ? null : { attemptNo, ...open } };
  });
}

/**
 * Ends the checks of payments; a new fault schedules a new check. Returns the payments whose checks were
 * ended. A check stays if the payment's row is locked, if its attempt is still open, or if it was scheduled
 * again since `readAt`, when the batch was read.
 */
export async function endPaymentChecks(
  database: Queryable,
  ids: readonly string[],
  readAt: Date,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `WITH free AS (
       SELECT p.id FROM payments p WHERE p.id = ANY ($1) AND NOT EXISTS (
         SELECT FROM attempts a WHERE a.payment_id = p.id AND a.status = 'processing' AND a.check_scheduled)
       FOR UPDATE OF p SKIP LOCKED),
     ended AS (
       DELETE FROM payment_checks WHERE payment_id = ANY (ARRAY(SELECT id FROM free))
         AND next_check_at <= $2 RETURNING payment_id AS id),
     unmarked AS (UPDATE payments SET check_scheduled = false WHERE id = ANY (ARRAY(SELECT id FROM ended)) AND check_scheduled)
     SELECT id FROM ended`,
    [ids, readAt],
  );
  return rows.map(({ id }) => id);
}

/**
 * Stores the results of checks. `errorCode`: the code of a check that failed. `readAt`: when the batch was
 * read; a check that was scheduled again since is left unchanged.
 */
export async function recordPaymentChecks(
  database: Queryable,
  checks: readonly (NextCheck & { checks: number; errorCode: string | null })[],
  readAt: Date,
): Promise<void> {
  await database.query(
    `UPDATE payment_checks c SET next_check_at = n.at, checks = n.checks, failures = n.failures,
       last_error_code = n."errorCode"
     FROM json_to_recordset($1) AS n (id uuid, at timestamptz, checks int, failures int, "errorCode" text)
     WHERE c.payment_id = n.id AND c.payment_id = ANY ($2)
       AND c.next_check_at <= $3`,
    [JSON.stringify(checks), checks.map(({ id }) => id), readAt],
  );
}

/** Returns whether a payment is final and has no open attempt. */
export async function isOver(database: Queryable, paymentId: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `SELECT 1 FROM payments p WHERE p.id = $1 AND p.finalized_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM attempts a WHERE a.payment_id = p.id AND a.status = 'processing')`,
    [paymentId],
  );
  return rowCount === 1;
}
