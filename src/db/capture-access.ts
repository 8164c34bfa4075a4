import type { Queryable } from './database.ts';

export interface CaptureAccess {
  secretSealed: Buffer | null;
  captureUrl: string | null;
  registeredAt: Date | null;
  endedAt: Date | null;
}

/**
 * Keeps the first sealed secret ever given for a payment and answers what is stored: two prepares share one
 * access.
 */
export async function reserveCaptureAccess(
  database: Queryable,
  paymentId: string,
  secretSealed: Buffer,
): Promise<CaptureAccess> {
  await database.query(
    'INSERT INTO capture_access (payment_id, secret_sealed) VALUES ($1, $2) ON CONFLICT (payment_id) DO NOTHING',
    [paymentId, secretSealed],
  );
  const access = await loadCaptureAccess(database, paymentId);
  if (!access) throw new Error('capture access vanished');
  return access;
}

export async function loadCaptureAccess(
  database: Queryable,
  paymentId: string,
): Promise<CaptureAccess | null> {
  const { rows } = await database.query<CaptureAccess>(
    `SELECT secret_sealed AS "secretSealed", capture_url AS "captureUrl", registered_at AS "registeredAt",
       ended_at AS "endedAt" FROM capture_access WHERE payment_id = $1`,
    [paymentId],
  );
  return rows[0] ?? null;
}

/** Notes that the vault knows the session and where the card goes. */
export async function markCaptureRegistered(
  database: Queryable,
  paymentId: string,
  captureUrl: string,
): Promise<void> {
  await database.query(
    `UPDATE capture_access SET capture_url = $2, registered_at = coalesce(registered_at, now())
     WHERE payment_id = $1 AND ended_at IS NULL`,
    [paymentId, captureUrl],
  );
}

/** Ends the access for ever and wipes its secret. */
export async function endCaptureAccess(database: Queryable, paymentId: string): Promise<void> {
  await database.query(
    `UPDATE capture_access SET secret_sealed = NULL, ended_at = coalesce(ended_at, now()) WHERE payment_id = $1`,
    [paymentId],
  );
}
