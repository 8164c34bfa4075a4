import type { CardIssuer } from '../../domain/card.ts';
import type { Queryable } from '../server/database.ts';

/** The provider's answer for an attempt. */
export type RecordableAnswer =
  'not_sent' | 'token_rejected' | 'captured' | 'declined' | 'failed' | 'requires_action' | 'voided';

/** What is stored together with an answer. */
export interface AnswerDetails {
  /** Facts of the card, as the vault returned them. */
  card?: { bin: string | null; issuer: CardIssuer | null; brand: string; last4: string } | null;
  /** The customer's step, sealed, with the keyed hash of the secret in its action URL. */
  action?: { kind: 'threeDS' | 'wallet' | 'pix'; sealed: Buffer; tokenHash: Buffer } | null;
  failure?: { failureCode: string; message: string } | null;
}

/**
 * Stores the provider's answer and wipes the card token. Must run in the process that received the answer. A
 * definite answer is never replaced by another.
 */
export async function recordAnswer(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
  answer: RecordableAnswer,
  { card = null, action = null, failure = null }: AnswerDetails = {},
): Promise<void> {
  await database.query(
    `UPDATE attempts SET answer = $3, token_sealed = NULL,
       card_bin = coalesce($4, card_bin), card_issuer = coalesce($5, card_issuer),
       card_brand = coalesce($6, card_brand), card_last4 = coalesce($7, card_last4),
       action_kind = coalesce(action_kind, $8), action_sealed = coalesce(action_sealed, $9),
       action_token_hash = coalesce(action_token_hash, $10), failure_code = $11, failure_message = $12
     WHERE payment_id = $1 AND attempt_no = $2 AND (answer IS NULL OR answer = 'requires_action')`,
    [
      paymentId,
      attemptNo,
      answer,
      card?.bin ?? null,
      card?.issuer ? JSON.stringify(card.issuer) : null,
      card?.brand ?? null,
      card?.last4 ?? null,
      action?.kind ?? null,
      action?.sealed ?? null,
      action?.tokenHash ?? null,
      failure?.failureCode ?? null,
      failure?.message ?? null,
    ],
  );
}

/** Stores the facts of an attempt's card before an answer brings them. Facts from an answer stay. */
export async function recordCard(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
  card: NonNullable<AnswerDetails['card']>,
): Promise<void> {
  await database.query(
    `UPDATE attempts SET card_bin = $3, card_issuer = $4, card_brand = $5, card_last4 = $6
     WHERE payment_id = $1 AND attempt_no = $2 AND card_brand IS NULL`,
    [
      paymentId,
      attemptNo,
      card.bin,
      card.issuer ? JSON.stringify(card.issuer) : null,
      card.brand,
      card.last4,
    ],
  );
}

/**
 * Records that no call waits for an attempt's answer any more, so that reads and refusals distinguish the
 * attempt from one that is running.
 */
export async function markUnknown(database: Queryable, paymentId: string, attemptNo: number): Promise<void> {
  await database.query(
    `UPDATE attempts SET unknown_since = coalesce(unknown_since, now())
     WHERE payment_id = $1 AND attempt_no = $2 AND status IN ('processing', 'requiresAction')`,
    [paymentId, attemptNo],
  );
}

/** An answer as it is stored. */
export interface RecordedAnswer {
  answer: RecordableAnswer;
  failureCode: string | null;
  message: string | null;
  cardBrand: string | null;
  cardLast4: string | null;
}

/** Returns the provider's stored answer for an attempt, or null while there is none. */
export async function loadAnswer(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
): Promise<RecordedAnswer | null> {
  const { rows } = await database.query<RecordedAnswer>(
    `SELECT answer, failure_code AS "failureCode", failure_message AS message, card_brand AS "cardBrand",
       card_last4 AS "cardLast4" FROM attempts WHERE payment_id = $1 AND attempt_no = $2 AND answer IS NOT NULL`,
    [paymentId, attemptNo],
  );
  return rows[0] ?? null;
}
