import { attemptsPerCheckout } from '../../domain/checkout-state.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import type { AttemptStatus } from '../../domain/timeline/sources.ts';
import { type Database, type Queryable, inTransaction } from '../server/database.ts';

/** The rows' facts about a payment's attempts. */
export interface KnownAttempts {
  stateSeq: number;
  isFinal: boolean;
  attempts: {
    attemptNo: number;
    status: AttemptStatus;
    isClaimed: boolean;
    /** Whether the worker that claimed the attempt has recorded that nothing was sent. */
    isNotSent: boolean;
    providerReference: string | null;
  }[];
}

/** Returns the rows' facts about a payment's attempts; null if there is no such payment. */
export async function loadKnownAttempts(
  database: Queryable,
  paymentId: string,
): Promise<KnownAttempts | null> {
  const { rows } = await database.query<KnownAttempts>(
    `SELECT p.state_seq AS "stateSeq", p.finalized_at IS NOT NULL AS "isFinal",
       coalesce((SELECT json_agg(json_build_object('attemptNo', a.attempt_no, 'status', a.status,
           'isClaimed', a.claimed_at IS NOT NULL,
           'isNotSent', coalesce(a.answer = 'not_sent', false), 'providerReference', a.provider_reference) ORDER BY a.attempt_no)
         FROM attempts a WHERE a.payment_id = p.id), '[]') AS attempts
     FROM payments p WHERE p.id = $1`,
    [paymentId],
  );
  return rows[0] ?? null;
}

/** Returns whether an attempt has a row. */
export async function hasAttempt(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
): Promise<boolean> {
  const { rowCount } = await database.query(
    'SELECT 1 FROM attempts WHERE payment_id = $1 AND attempt_no = $2',
    [paymentId, attemptNo],
  );
  return rowCount === 1;
}

/**
 * Returns whether an earlier attempt than this one is open. It was restored, and the payment's run does not
 * know it yet.
 */
export async function isEarlierOpen(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `SELECT 1 FROM attempts
     WHERE payment_id = $1 AND attempt_no < $2 AND status IN ('processing', 'requiresAction')`,
    [paymentId, attemptNo],
  );
  return rowCount === 1;
}

/** Records that the provider does not know a released attempt. */
export async function confirmUnsent(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
): Promise<void> {
  await database.query(
    `UPDATE attempts SET unsent_confirmed_at = clock_timestamp()
     WHERE payment_id = $1 AND attempt_no = $2 AND status = 'released'`,
    [paymentId, attemptNo],
  );
}

/** A finished attempt, as the provider reports it. */
export interface EndedAttempt {
  attemptNo: number;
  status: 'declined' | 'failed' | 'voided';
  providerReference: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  card: { brand: string; last4: string } | null;
}

/** The attempts of a payment that are to be restored. */
export interface RestoredAttempts {
  paymentId: string;
  /** The attempt whose outcome the payment's run resolves next; null if there is none. */
  open: { attemptNo: number; providerReference: string | null } | null;
  ended: readonly EndedAttempt[];
  /** Reservations that were never sent, although another attempt is open. */
  unsent: readonly number[];
  /** The method of attempts without a row; null: the payment's own. */
  method: PaymentMethod | null;
  /** Number of the latest transition that was ever committed; 0 if it is unknown. */
  seq: number;
  /** Number of the latest transition when the rows were read. A later one makes the restore obsolete. */
  stateSeq: number;
}

/**
 * Restores the rows of attempts that PostgreSQL lost, in one transaction. Finished ones get the provider's
 * outcome. The open one becomes claimed and unknown, so that the next run looks it up and commits the result.
 * Returns false, and changes nothing, for a payment that is final or has changed since it was read.
 */
export async function restoreAttemptRows(database: Database, restored: RestoredAttempts): Promise<boolean> {
  const { paymentId, open, ended, unsent, method, seq, stateSeq } = restored;
  return inTransaction(database, async (transaction) => {
    // An attempt begins before the deadline. If its beginning was lost, the deadline is the latest it can be.
    const { rows } = await transaction.query<{ method: PaymentMethod; at: Date }>(
      `SELECT coalesce($2, method, fixed_method, 'card') AS method, least(now(), expires_at) AS at FROM payments
       WHERE id = $1 AND finalized_at IS NULL AND state_seq = $3 FOR UPDATE`,
      [paymentId, method, stateSeq],
    );
    const [payment] = rows;
    if (!payment) return false;
    await transaction.query(
      `UPDATE attempts SET status = 'released', answer = 'not_sent', token_sealed = NULL, resolved_at = now()
       WHERE payment_id = $1 AND attempt_no = ANY ($2) AND status = 'processing'
         AND (claimed_at IS NULL OR answer = 'not_sent')`,
      [paymentId, unsent],
    );
    for (const attempt of ended) await endAttempt(transaction, paymentId, payment, attempt);
    const isReopened = open !== null && (await reopenAttempt(transaction, paymentId, payment, open));
    await transaction.query(
      `UPDATE payments SET state_seq = greatest(state_seq, $2),
         method = CASE WHEN $3 THEN $4 ELSE method END,
         checkout_status = CASE WHEN $3 AND checkout_status NOT IN ('paid', 'expired') THEN 'processing'
           ELSE checkout_status END,
         attempts_left = greatest(CASE WHEN $3 THEN 1 ELSE 0 END,
           least(attempts_left, ${attemptsPerCheckout} - (SELECT count(*) FROM attempts a
             WHERE a.payment_id = $1 AND a.status IN ('declined', 'failed', 'voided'))))
       WHERE id = $1`,
      [paymentId, seq, isReopened, payment.method],
    );
    return true;
  });
}

async function endAttempt(
  transaction: Queryable,
  paymentId: string,
  { method, at }: { method: PaymentMethod; at: Date },
  { attemptNo, status, providerReference, failureCode, failureMessage, card }: EndedAttempt,
): Promise<void> {
  await transaction.query(
    `INSERT INTO attempts AS a (payment_id, attempt_no, method, status, answer, started_at, claimed_at, resolved_at,
       provider_reference, failure_code, failure_message, card_brand, card_last4)
     VALUES ($1, $2, $3, $4, $4, $10, $10, $10, $5, $6, $7, $8, $9)
     ON CONFLICT (payment_id, attempt_no) DO UPDATE SET status = excluded.status, answer = excluded.answer,
       claimed_at = coalesce(a.claimed_at, excluded.claimed_at),
       resolved_at = greatest(a.started_at, excluded.resolved_at), unknown_since = NULL, token_sealed = NULL,
       action_sealed = NULL, provider_reference = coalesce(a.provider_reference, excluded.provider_reference),
       failure_code = excluded.failure_code, failure_message = excluded.failure_message,
       card_brand = coalesce(a.card_brand, excluded.card_brand),
       card_last4 = coalesce(a.card_last4, excluded.card_last4)
     WHERE a.status IN ('processing', 'requiresAction')`,
    [
      paymentId,
      attemptNo,
      method,
      status,
      providerReference,
      failureCode,
      failureMessage,
      card?.brand ?? null,
      card?.last4 ?? null,
      at,
    ],
  );
}

async function reopenAttempt(
  transaction: Queryable,
  paymentId: string,
  { method, at }: { method: PaymentMethod; at: Date },
  { attemptNo, providerReference }: NonNullable<RestoredAttempts['open']>,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `INSERT INTO attempts AS a (payment_id, attempt_no, method, status, started_at, claimed_at, unknown_since,
       provider_reference)
     VALUES ($1, $2, $3, 'processing', $5, $5, now(), $4)
     ON CONFLICT (payment_id, attempt_no) DO UPDATE SET
       status = CASE WHEN a.status = 'requiresAction' THEN a.status ELSE 'processing' END,
       answer = CASE WHEN a.status = 'released' OR a.answer = 'not_sent' THEN NULL ELSE a.answer END,
       claimed_at = coalesce(a.claimed_at, excluded.claimed_at), unknown_since = coalesce(a.unknown_since, now()),
       resolved_at = NULL, token_sealed = NULL,
       provider_reference = coalesce(a.provider_reference, excluded.provider_reference)
     WHERE a.status IN ('processing', 'requiresAction', 'released')`,
    [paymentId, attemptNo, method, providerReference, at],
  );
  return rowCount === 1;
}
