import type { PaymentRecord } from '../../domain/payment.ts';
import type { CheckoutStatus } from '../../domain/statuses.ts';
import type { Queryable } from '../server/database.ts';
import type { NextCheck } from '../server/next-check.ts';

/** A payment in which something may be wrong, as it is checked. */
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
> {
  checkoutStatus: CheckoutStatus;
  /** The run that owns the rows; null before its first write. */
  runId: string | null;
  /** The attempt under way, if any. */
  attempt: { attemptNo: number; startedAt: Date; claimedAt: Date | null; unknownSince: Date | null } | null;
  /** Looks before this one, and how many of them failed in a row. */
  checks: number;
  failures: number;
}

/** Since when each thing that can be wrong must have been so. */
export interface CheckHorizons {
  /** Created before, and no workflow is known. */
  notStarted: Date;
  /** The deadline passed before, and the payment is not final. */
  overdue: Date;
  /** An attempt begun before, and still under way. */
  underWay: Date;
}

/** Puts payments on the list, due at once; who is there already is checked no later. */
const enroll = (marked: string): string => `
  INSERT INTO payment_checks (payment_id, next_check_at) SELECT id, $1 FROM ${marked}
  ON CONFLICT (payment_id) DO UPDATE
    SET next_check_at = least(payment_checks.next_check_at, excluded.next_check_at)`;

const schedules = {
  notStarted: `WITH marked AS (
    UPDATE payments SET check_scheduled = true WHERE id = ANY (ARRAY(
      SELECT id FROM payments WHERE workflow_started_at IS NULL AND NOT check_scheduled AND created_at < $2
      ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING id)
    ${enroll('marked')}`,
  overdue: `WITH marked AS (
    UPDATE payments SET check_scheduled = true WHERE id = ANY (ARRAY(
      SELECT id FROM payments WHERE finalized_at IS NULL AND NOT check_scheduled AND expires_at < $2
      ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING id)
    ${enroll('marked')}`,
  underWay: `WITH marked AS (
    UPDATE attempts SET check_scheduled = true WHERE status = 'processing' AND payment_id = ANY (ARRAY(
      SELECT payment_id FROM attempts WHERE status = 'processing' AND NOT check_scheduled AND started_at < $2
      ORDER BY started_at LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING payment_id AS id)
    ${enroll('marked')}`,
} as const;

/**
 * Puts the payments in which something can be wrong on the list of checks, at most `limit` of each kind,
 * oldest first. Returns whether there may be more.
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

/** Puts those of these payments that are not final on the list: their runs were ended from outside. */
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
     ${enroll('marked')}`,
    [now, ids],
  );
}

/** Payments that are to be checked now, in the order in which they are due. */
export async function duePayments(database: Queryable, now: Date, limit: number): Promise<DuePayment[]> {
  const { rows } = await database.query<
    Omit<DuePayment, 'attempt'> & {
      attemptNo: number | null;
      attemptStartedAt: Date;
      claimedAt: Date | null;
      unknownSince: Date | null;
    }
  >(
    `SELECT p.id, p.merchant_id AS "merchantId", p.environment, p.checkout_mode AS "checkoutMode",
       p.amount_cents AS "amountCents", p.created_at AS "createdAt", p.expires_at AS "expiresAt",
       p.capture_expires_at AS "captureExpiresAt", p.workflow_started_at AS "workflowStartedAt",
       p.finalized_at AS "finalizedAt", p.checkout_status AS "checkoutStatus",
       p.workflow_run_id AS "runId", l.checks, l.failures, a.attempt_no AS "attemptNo",
       a.started_at AS "attemptStartedAt", a.claimed_at AS "claimedAt", a.unknown_since AS "unknownSince"
     FROM payment_checks l JOIN payments p ON p.id = l.payment_id
     LEFT JOIN attempts a ON a.payment_id = l.payment_id AND a.status = 'processing'
     WHERE l.next_check_at <= $1 ORDER BY l.next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows.map(({ attemptNo, attemptStartedAt, claimedAt, unknownSince, ...payment }) => ({
    ...payment,
    attempt: attemptNo === null ? null : { attemptNo, startedAt: attemptStartedAt, claimedAt, unknownSince },
  }));
}

/**
 * Takes payments off the list; where something is wrong again, they are enrolled anew. Returns those that it
 * took: one whose rows are being written, or whose attempt is still under way, stays.
 */
export async function endPaymentChecks(database: Queryable, ids: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `WITH free AS (
       SELECT p.id FROM payments p WHERE p.id = ANY ($1) AND NOT EXISTS (
         SELECT FROM attempts a WHERE a.payment_id = p.id AND a.status = 'processing' AND a.check_scheduled)
       FOR UPDATE OF p SKIP LOCKED),
     unmarked AS (UPDATE payments SET check_scheduled = false WHERE id = ANY (ARRAY(SELECT id FROM free)) AND check_scheduled)
     DELETE FROM payment_checks WHERE payment_id = ANY (ARRAY(SELECT id FROM free)) RETURNING payment_id AS id`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Writes down what checks payments leave; `errorCode`: of a check that failed. */
export async function recordPaymentChecks(
  database: Queryable,
  checks: readonly (NextCheck & { checks: number; errorCode: string | null })[],
): Promise<void> {
  await database.query(
    `UPDATE payment_checks l SET next_check_at = n.at, checks = n.checks, failures = n.failures,
       last_error_code = n."errorCode"
     FROM json_to_recordset($1) AS n (id uuid, at timestamptz, checks int, failures int, "errorCode" text)
     WHERE l.payment_id = n.id AND l.payment_id = ANY ($2)`,
    [JSON.stringify(checks), checks.map(({ id }) => id)],
  );
}

/** Whether a payment has nothing left to do: it is final, and no attempt of it is under way. */
export async function isOver(database: Queryable, paymentId: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `SELECT 1 FROM payments p WHERE p.id = $1 AND p.finalized_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM attempts a WHERE a.payment_id = p.id AND a.status = 'processing')`,
    [paymentId],
  );
  return rowCount === 1;
}
