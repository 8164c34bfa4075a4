import type { Queryable } from './database.ts';

/**
 * Access to the vault for one payment's cards. `reserved`: a secret exists here, the vault may not know it
 * yet; `registered`: the vault takes cards with it; `ending`: over here, the vault is still to be told;
 * `ended`.
 */
export interface CaptureAccess {
  status: 'reserved' | 'registered' | 'ending' | 'ended';
  /** Null once the access is over. */
  secretSealed: Buffer | null;
}

/** The payment still takes a card: no attempt is open, no deadline and no window has passed. */
const takesCards = `p.checkout_status IN ('open', 'failed_retryable') AND p.expires_at > $2
  AND p.capture_expires_at > $2 AND (p.checkout_mode = 'hosted' OR p.accepted_token_hash IS NULL)`;

/**
 * Returns the payment's access, reserved with this secret when there was none: two prepares share one secret.
 * Null when the payment takes no card any more.
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
     RETURNING status, secret_sealed AS "secretSealed"`,
    [paymentId, now, secretSealed],
  );
  return rows[0] ?? null;
}

/**
 * Notes that the vault knows the session. False when the access ended meanwhile: the vault is to be told,
 * because its registration may have come after the end.
 */
export async function markCaptureRegistered(
  database: Queryable,
  paymentId: string,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE capture_access c SET status = 'registered' FROM payments p
     WHERE c.payment_id = $1 AND c.status IN ('reserved', 'registered') AND p.id = c.payment_id AND ${takesCards}`,
    [paymentId, now],
  );
  return rowCount === 1;
}

/**
 * Returns the statement that ends an access for ever and wipes its secret, where `condition` holds; it
 * returns the access's `status`. `atVault`: it ended there already. All three are SQL expressions.
 */
export const endAccessSql = (paymentId: string, condition: string, atVault: string): string =>
  `UPDATE capture_access SET secret_sealed = NULL, status = CASE WHEN ${atVault} THEN 'ended' ELSE 'ending' END
   WHERE payment_id = ${paymentId} AND ${condition} AND status <> 'ended' RETURNING status`;

/** Ends the access for ever. Returns whether the vault is to be told. */
export async function endCaptureAccess(database: Queryable, paymentId: string): Promise<boolean> {
  const { rows } = await database.query<{ status: CaptureAccess['status'] }>(
    endAccessSql('$1', 'true', 'false'),
    [paymentId],
  );
  return rows[0]?.status === 'ending';
}

/** Notes that the vault knows of the end. */
export async function markCaptureEnded(database: Queryable, paymentId: string): Promise<void> {
  await database.query(
    `UPDATE capture_access SET status = 'ended' WHERE payment_id = $1 AND status = 'ending'`,
    [paymentId],
  );
}
