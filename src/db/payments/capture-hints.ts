import { attemptKey } from '../../domain/payment.ts';
import type { Queryable } from '../server/database.ts';
import { anyRow } from '../server/due-work.ts';
import type { NextCheck } from '../server/next-check.ts';

/** The attempt that a provider's report is about. */
export interface ReportedAttempt {
  /** Null if the attempt must be found by the provider's object. */
  attemptNo: number | null;
  /** The provider's object behind the attempt, if the provider prepares one. */
  providerReference: string | null;
}

/** A closed attempt whose charge must be read from the provider. */
export interface CaptureHint {
  /** The attempt's key. */
  id: string;
  paymentId: string;
  attemptNo: number;
  providerReference: string | null;
  merchantId: string;
  /** Failed checks in a row. */
  failures: number;
}

/**
 * The condition that a capture of the attempt `a` is expected: it is paid, or its payment's workflow still
 * reads the charge. The workflow does not read the charge of an attempt whose answer is stored and definite,
 * although the transition that follows may not be written yet.
 */
export const expectsCapture = `(a.status = 'paid' OR (a.status IN ('processing', 'requiresAction')
  AND (a.answer IS NULL OR a.answer IN ('captured', 'requires_action'))))`;

/** How long a charge is left to the workflow that reads it itself: its calls have ended by then. */
const workflowGraceSql = "interval '15 seconds'";

/**
 * Schedules a read of the reported attempt's charge, due at once, or later if its workflow reads the charge
 * itself: it may have read it just before the change. Does nothing for a paid attempt. An attempt without a
 * row is read too.
 */
export async function scheduleCaptureRead(
  database: Queryable,
  paymentId: string,
  { attemptNo, providerReference }: ReportedAttempt,
): Promise<void> {
  await database.query(
    `INSERT INTO capture_hints (key, payment_id, attempt_no, provider_reference, next_check_at)
     SELECT $1 || ':' || r.attempt_no, $1::uuid, r.attempt_no, $3, clock_timestamp()
       + CASE WHEN a.status IS NOT NULL AND ${expectsCapture} THEN ${workflowGraceSql} ELSE interval '0' END
     FROM (SELECT coalesce($2::int,
       (SELECT a.attempt_no FROM attempts a WHERE a.payment_id = $1::uuid AND a.provider_reference = $3))) AS r (attempt_no)
     LEFT JOIN attempts a ON a.payment_id = $1::uuid AND a.attempt_no = r.attempt_no
     WHERE r.attempt_no IS NOT NULL AND a.status IS DISTINCT FROM 'paid'
     ON CONFLICT (key) DO UPDATE SET next_check_at = excluded.next_check_at`,
    [paymentId, attemptNo, providerReference],
  );
}

/** Returns whether the reported attempt has a row and is closed in it. */
export async function isClosedAttempt(
  database: Queryable,
  paymentId: string,
  { attemptNo, providerReference }: ReportedAttempt,
): Promise<boolean> {
  const { rows } = await database.query(
    `SELECT FROM attempts WHERE payment_id = $1 AND (attempt_no = $2 OR ($2 IS NULL AND provider_reference = $3))
       AND status NOT IN ('processing', 'requiresAction') LIMIT 1`,
    [paymentId, attemptNo, providerReference],
  );
  return rows.length > 0;
}

export const captureHintsAreDue = anyRow('capture_hints WHERE next_check_at <= now() ORDER BY next_check_at');

/** Returns the attempts whose charges must be read now, in the order in which they are due. */
export async function dueCaptureHints(database: Queryable, now: Date, limit: number): Promise<CaptureHint[]> {
  const { rows } = await database.query<CaptureHint>(
    `SELECT h.key AS id, h.payment_id AS "paymentId", h.attempt_no AS "attemptNo",
       h.provider_reference AS "providerReference", p.merchant_id AS "merchantId", h.failures
     FROM capture_hints h JOIN payments p ON p.id = h.payment_id
     WHERE h.next_check_at <= $1 ORDER BY h.next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/**
 * Stores the results of the checks at `now`. Deletes the rows that need no further read, and schedules the
 * next read of the others. A row that was reported again meanwhile is left unchanged.
 */
export async function recordCaptureHintChecks(
  database: Queryable,
  checks: readonly NextCheck[],
  now: Date,
): Promise<void> {
  const done = checks.filter(({ at }) => at === null).map(({ id }) => id);
  await database.query('DELETE FROM capture_hints WHERE key = ANY ($1) AND next_check_at <= $2', [done, now]);
  await database.query(
    `UPDATE capture_hints h SET next_check_at = n.at, failures = n.failures
     FROM json_to_recordset($1) AS n (id text, at timestamptz, failures int)
     WHERE h.key = n.id AND n.at IS NOT NULL AND h.next_check_at <= $2`,
    [JSON.stringify(checks), now],
  );
}

/** The attempt of a report. */
export interface ReportedRow {
  isPaid: boolean;
  /** Whether the attempt's capture is expected, because it is paid or its workflow still reads the charge. */
  expectsCapture: boolean;
  /** The attempt's object at the provider. */
  providerReference: string | null;
}

/** Returns the attempt of a report; null if it has no row. */
export async function loadReportedAttempt(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
): Promise<ReportedRow | null> {
  const { rows } = await database.query<ReportedRow>(
    `SELECT a.status = 'paid' AS "isPaid", ${expectsCapture} AS "expectsCapture",
       a.provider_reference AS "providerReference"
     FROM attempts a WHERE a.payment_id = $1 AND a.attempt_no = $2`,
    [paymentId, attemptNo],
  );
  return rows[0] ?? null;
}

/** The highest attempt number that is accepted, because the provider may name any number. */
const maxAttempts = 1_000;

/** Returns the number of the payment's attempt that has this key at the provider; null for another key. */
export function attemptNoOf(paymentId: string, key: string): number | null {
  const attemptNo = Number(key.slice(paymentId.length + 1));
  return Number.isInteger(attemptNo) &&
    attemptNo >= 1 &&
    attemptNo <= maxAttempts &&
    key === attemptKey(paymentId, attemptNo)
    ? attemptNo
    : null;
}
