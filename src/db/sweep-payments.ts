import type { PaymentRecord } from '../domain/payment.ts';
import type { SweepCursor } from '../domain/sweep.ts';
import type { Database } from './database.ts';

/** A payment as the sweeper looks at it. */
export interface SweptPayment extends Pick<
  PaymentRecord,
  | 'id'
  | 'merchantId'
  | 'environment'
  | 'checkoutMode'
  | 'amountCents'
  | 'createdAt'
  | 'expiresAt'
  | 'captureExpiresAt'
> {
  /** The run that owns the rows; null before its first write. */
  runId: string | null;
}

const columns = `id, merchant_id AS "merchantId", environment, checkout_mode AS "checkoutMode",
  amount_cents AS "amountCents", expires_at AS "expiresAt", capture_expires_at AS "captureExpiresAt",
  created_at AS "createdAt", workflow_run_id AS "runId"`;

/** Payments whose creation committed but whose workflow nobody knows to have started, oldest first. */
export async function findNotStarted(database: Database, olderThanMs: number, limit: number) {
  const { rows } = await database.query<SweptPayment>(
    `SELECT ${columns} FROM payments
     WHERE workflow_started_at IS NULL AND created_at < now() - $1 * interval '1 millisecond'
     ORDER BY created_at LIMIT $2`,
    [olderThanMs, limit],
  );
  return rows;
}

/** The next stretch of payments that are not final, in the order of creation. */
export async function findOpen(database: Database, after: SweepCursor | null, limit: number) {
  const { rows } = await database.query<SweptPayment>(
    `SELECT ${columns} FROM payments
     WHERE finalized_at IS NULL AND workflow_started_at IS NOT NULL
       AND ($1::timestamptz IS NULL OR (created_at, id) > ($1, $2::uuid))
     ORDER BY created_at, id LIMIT $3`,
    [after?.createdAt ?? null, after?.id ?? null, limit],
  );
  return rows;
}

export async function isFinalized(database: Database, paymentId: string): Promise<boolean> {
  const { rowCount } = await database.query(
    'SELECT 1 FROM payments WHERE id = $1 AND finalized_at IS NOT NULL',
    [paymentId],
  );
  return rowCount === 1;
}

/** Rows that have no use any more; each statement is bounded, and what another sweep holds is left to it. */
const leftovers = {
  idempotencyKeys: `DELETE FROM idempotency_keys WHERE (merchant_id, operation, key) IN (
    SELECT merchant_id, operation, key FROM idempotency_keys
    WHERE expires_at < now() - interval '1 minute' ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
  rateLimits: `DELETE FROM rate_limits WHERE bucket IN (
    SELECT bucket FROM rate_limits WHERE arrival < now() - interval '1 minute' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
  captureSecrets: `UPDATE capture_access SET secret_sealed = NULL, status = 'ending' WHERE payment_id IN (
    SELECT payment_id FROM capture_access
    WHERE status IN ('reserved', 'registered') AND ends_at < now() - interval '1 minute'
    ORDER BY ends_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
} as const;

/** Clears away what nobody needs, at most `limit` rows of each kind. Returns how many of each. */
export async function clearLeftovers(
  database: Database,
  limit: number,
): Promise<Record<keyof typeof leftovers, number>> {
  const cleared = { idempotencyKeys: 0, rateLimits: 0, captureSecrets: 0 };
  for (const kind of Object.keys(leftovers) as (keyof typeof leftovers)[]) {
    const { rowCount } = await database.query(leftovers[kind], [limit]);
    cleared[kind] = rowCount ?? 0;
  }
  return cleared;
}
