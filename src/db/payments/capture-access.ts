import type { Queryable } from '../server/database.ts';
import { anyRow } from '../server/due-work.ts';
import type { NextCheck } from '../server/next-check.ts';

/**
 * Access to the vault for one payment's cards. `reserved`: a secret is stored here, and the vault may not
 * know it yet. `registered`: the vault accepts cards with it. `ending`: it has ended here, but the vault must
 * still be notified. `ended`: the vault was notified.
 */
export interface CaptureAccess {
  status: 'reserved' | 'registered' | 'ending' | 'ended';
  /** Null once the access is over. */
  secretSealed: Buffer | null;
  /** The address that the vault assigned; null if the address is derived from the payment. */
  captureUrl: string | null;
}

/**
 * The condition that the payment still accepts a card: no attempt is open, no deadline and no window has
 * passed, no card was accepted in custom mode, and its merchant is active.
 */
const takesCards = `p.checkout_status IN ('open', 'failed_retryable') AND p.expires_at > $2
  AND p.capture_expires_at > $2 AND (p.checkout_mode = 'hosted' OR p.accepted_token_hash IS NULL)
  AND EXISTS (SELECT FROM merchants m WHERE m.id = p.merchant_id AND m.status = 'active')`;

/**
 * Returns the payment's access. Reserves one with this secret if there is none, so that concurrent prepares
 * share one secret. Returns null when the payment no longer accepts a card.
 */
export async function reserveCaptureAccess(
  database: Queryable,
  paymentId: string,
  secretSealed: Buffer,
  now: Date,
): Promise<CaptureAccess | null> {
  const { rows } = await database.query<CaptureAccess>(
    `INSERT INTO capture_access AS c (payment_id, secret_sealed, ends_at)
     SELECT p.id, $3, p.capture_expires_at FROM payments p WHERE p.id = $1 AND ${takesCards}
     ON CONFLICT (payment_id) DO UPDATE SET ends_at = c.ends_at
     RETURNING status, secret_sealed AS "secretSealed", capture_url AS "captureUrl"`,
    [paymentId, now, secretSealed],
  );
  return rows[0] ?? null;
}

/** The right to register one payment's access at the vault, until that instant. */
export interface RegistrationLease {
  until: Date;
}

/**
 * Returns the lease for a registration at the vault, which one caller at a time holds, for as long as one may
 * take. Returns null when another caller is registering, or when the access is not `reserved`.
 */
export async function takeRegistrationLease(
  database: Queryable,
  paymentId: string,
  now: Date,
  leaseMs: number,
): Promise<RegistrationLease | null> {
  const until = new Date(now.getTime() + leaseMs);
  const { rowCount } = await database.query(
    `UPDATE capture_access SET registering_until = $3
     WHERE payment_id = $1 AND status = 'reserved' AND (registering_until IS NULL OR registering_until < $2)`,
    [paymentId, now, until],
  );
  return rowCount === 1 ? { until } : null;
}

/** Ends the lease if it is still held, so that the next caller can register. */
export async function releaseRegistrationLease(
  database: Queryable,
  paymentId: string,
  { until }: RegistrationLease,
): Promise<void> {
  await database.query(
    'UPDATE capture_access SET registering_until = NULL WHERE payment_id = $1 AND registering_until = $2',
    [paymentId, until],
  );
}

/**
 * Records that the vault registered the session. `assigned`: also stores the secret and the address that the
 * vault assigned, if `lease` is still held. Returns false when the lease is not held or the access has ended;
 * the vault may then have got this registration after a later one, or after the end.
 */
export async function markCaptureRegistered(
  database: Queryable,
  paymentId: string,
  now: Date,
  assigned: { secretSealed: Buffer; captureUrl: string; lease: RegistrationLease } | null = null,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE capture_access c SET status = 'registered', registering_until = NULL,
       secret_sealed = coalesce($3, c.secret_sealed), capture_url = coalesce($4, c.capture_url)
     FROM payments p
     WHERE c.payment_id = $1 AND c.status IN ('reserved', 'registered') AND p.id = c.payment_id
       AND ($5::timestamptz IS NULL OR (c.status = 'reserved' AND c.registering_until = $5)) AND ${takesCards}`,
    [
      paymentId,
      now,
      assigned?.secretSealed ?? null,
      assigned?.captureUrl ?? null,
      assigned?.lease.until ?? null,
    ],
  );
  return rowCount === 1;
}

/**
 * Makes the next prepare register the access again, because the vault may hold another secret than the row.
 */
export async function repeatCaptureRegistration(database: Queryable, paymentId: string): Promise<void> {
  await database.query(
    `UPDATE capture_access SET status = 'reserved' WHERE payment_id = $1 AND status = 'registered'`,
    [paymentId],
  );
}

/**
 * Returns the SQL statement that ends an access permanently and wipes its secret, where `condition` holds.
 * The statement returns the access's `status`. `atVault`: the access already ended at the vault. All three
 * parameters are SQL expressions.
 */
export const endAccessSql = (paymentId: string, condition: string, atVault: string): string =>
  `UPDATE capture_access SET secret_sealed = NULL, status = CASE WHEN ${atVault} THEN 'ended' ELSE 'ending' END,
     next_check_at = now() + interval '30 seconds'
   WHERE payment_id = ${paymentId} AND ${condition} AND status <> 'ended' RETURNING status`;

/** Ends the access permanently. Returns whether the vault must be notified. */
export async function endCaptureAccess(database: Queryable, paymentId: string): Promise<boolean> {
  const { rows } = await database.query<{ status: CaptureAccess['status'] }>(
    endAccessSql('$1', 'true', 'false'),
    [paymentId],
  );
  return rows[0]?.status === 'ending';
}

/** Makes the sweep notify the vault of the end, again if it was notified before a late registration. */
export async function repeatCaptureEnd(database: Queryable, paymentId: string): Promise<void> {
  await database.query(
    `UPDATE capture_access SET status = 'ending', next_check_at = now() + interval '30 seconds'
     WHERE payment_id = $1 AND status IN ('ending', 'ended')`,
    [paymentId],
  );
}

/** Records that the vault was notified of the end. */
export async function markCaptureEnded(database: Queryable, paymentId: string): Promise<void> {
  await database.query(
    `UPDATE capture_access SET status = 'ended' WHERE payment_id = $1 AND status = 'ending'`,
    [paymentId],
  );
}

/** An access that has ended here, but whose end the vault was not notified of. */
export interface EndingCapture {
  /** The id of the payment. */
  id: string;
  merchantId: string;
  /** Failed checks in a row. */
  failures: number;
}

export const endingCapturesAreDue = anyRow(
  `capture_access WHERE status = 'ending' AND next_check_at <= now() ORDER BY next_check_at`,
);

/**
 * Returns the ended accesses whose notification of the vault is overdue, in the order in which they are due.
 */
export async function dueEndingCaptures(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<EndingCapture[]> {
  const { rows } = await database.query<EndingCapture>(
    `SELECT c.payment_id AS id, p.merchant_id AS "merchantId", c.check_failures AS failures
     FROM capture_access c JOIN payments p ON p.id = c.payment_id
     WHERE c.status = 'ending' AND c.next_check_at <= $1 ORDER BY c.next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/** Stores when the vault is next notified of the end of each of these accesses. */
export async function recordCaptureEndChecks(
  database: Queryable,
  checks: readonly NextCheck[],
): Promise<void> {
  await database.query(
    `UPDATE capture_access c SET next_check_at = n.at, check_failures = n.failures
     FROM json_to_recordset($1) AS n (id uuid, at timestamptz, failures int)
     WHERE c.payment_id = n.id AND c.payment_id = ANY ($2) AND c.status = 'ending' AND n.at IS NOT NULL`,
    [JSON.stringify(checks), checks.map(({ id }) => id)],
  );
}
