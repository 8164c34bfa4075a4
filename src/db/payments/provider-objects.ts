import type { Queryable } from '../server/database.ts';

/**
 * Commits the network's object of a claimed attempt before any money can move through it. Returns false when
 * the attempt was closed meanwhile or has another object; then nothing may be charged.
 */
export async function recordProviderReference(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
  reference: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE attempts SET provider_reference = $3
     WHERE payment_id = $1 AND attempt_no = $2 AND status = 'processing' AND claimed_at IS NOT NULL
       AND answer IS NULL AND provider_reference IS NULL`,
    [paymentId, attemptNo, reference],
  );
  return rowCount === 1;
}

/**
 * Closes a claimed attempt for which no object was committed, so that it is never charged. Returns true when
 * it was closed before any charge. The row has the effect of a tombstone at a network that finds attempts by
 * their keys.
 */
export async function closeUnprepared(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE attempts SET answer = 'not_sent', token_sealed = NULL
     WHERE payment_id = $1 AND attempt_no = $2 AND provider_reference IS NULL AND answer IS NULL`,
    [paymentId, attemptNo],
  );
  return rowCount === 1;
}

/** Returns the network's object of an attempt, or null. */
export async function loadProviderReference(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
): Promise<string | null> {
  const { rows } = await database.query<{ reference: string | null }>(
    'SELECT provider_reference AS reference FROM attempts WHERE payment_id = $1 AND attempt_no = $2',
    [paymentId, attemptNo],
  );
  return rows[0]?.reference ?? null;
}
