import type { CardIssuer } from '../../domain/card.ts';
import type { Queryable } from '../server/database.ts';
import { maxClockSkew, unreadableCharges } from './charge-alerts.ts';

/** The provider's answer for an attempt. */
export type RecordableAnswer =
  'not_sent' | 'token_rejected' | 'captured' | 'declined' | 'failed' | 'requires_action' | 'voided';

/** The labels of an attempt in metrics. */
export interface AttemptLabels {
  environment: string;
  method: string;
  connector: string;
}

/** The facts that are stored together with an answer. */
export interface AnswerDetails {
  /** Facts of the card, as the vault returned them. */
  card?: {
    bin: string | null;
    issuer: CardIssuer | null;
    brand: string;
    last4: string;
    /** Keyed hash of the card's number, if the provider names it. */
    hash?: Buffer | null;
  } | null;
  /** Whether the network was requested to challenge the customer. */
  forceChallenge?: boolean;
  /** The customer's step, sealed, with the keyed hash of the secret in its action URL. */
  action?: { kind: 'threeDS' | 'wallet' | 'pix'; sealed: Buffer; tokenHash: Buffer } | null;
  failure?: { failureCode: string; message: string } | null;
  /** The instant of the capture according to the provider, in epoch ms; null if it names none. */
  capturedAtMs?: number | null;
}

/**
 * Stores the provider's answer and deletes the card token. Must run in the process that received the answer.
 * A definite answer is never replaced by another. The stored instant of a capture is the provider's. If the
 * provider names none, or one in the future, it is the present; an instant in the future also alerts an
 * operator.
 */
export async function recordAnswer(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
  answer: RecordableAnswer,
  {
    card = null,
    action = null,
    failure = null,
    capturedAtMs = null,
    forceChallenge = false,
  }: AnswerDetails = {},
): Promise<void> {
  await database.query(
    `WITH named AS (SELECT $13::timestamptz AS at, clock_timestamp() AS now), ahead AS (
       INSERT INTO operator_alerts (sweep, subject, merchant_id, detail, since)
       SELECT '${unreadableCharges}', p.id::text, p.merchant_id, 'future_instant', named.now
       FROM named JOIN payments p ON p.id = $1 WHERE named.at > named.now + interval '${maxClockSkew}'
       ON CONFLICT (sweep, subject) WHERE cleared_at IS NULL DO NOTHING
     )
     UPDATE attempts SET answer = $3, token_sealed = NULL,
       captured_at = CASE WHEN $3 = 'captured'
         -- Not before the payment, and also before the claim: that of a restored attempt is later than its charge.
         THEN greatest((SELECT created_at FROM payments WHERE id = $1), least(coalesce(named.at, named.now), named.now))
         END,
       card_bin = coalesce($4, card_bin), card_issuer = coalesce($5, card_issuer),
       card_brand = coalesce($6, card_brand), card_last4 = coalesce($7, card_last4),
       card_hash = coalesce($14, card_hash), force_challenge = force_challenge OR $15,
       action_kind = coalesce(action_kind, $8), action_sealed = coalesce(action_sealed, $9),
       action_token_hash = coalesce(action_token_hash, $10), failure_code = $11, failure_message = $12
     FROM named
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
      capturedAtMs === null ? null : new Date(capturedAtMs),
      card?.hash ?? null,
      forceChallenge,
    ],
  );
}

/** Stores the facts of an attempt's card before the answer arrives. Facts that an answer stored stay. */
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
 * attempt from one that is running. Returns the labels of the attempt in metrics; null if nothing changed.
 */
export async function markUnknown(
  database: Queryable,
  paymentId: string,
  attemptNo: number,
): Promise<AttemptLabels | null> {
  const { rows } = await database.query<AttemptLabels>(
    `UPDATE attempts a SET unknown_since = now()
     FROM payments p LEFT JOIN connectors c ON c.id = p.connector_id
     WHERE a.payment_id = $1 AND a.attempt_no = $2 AND a.status IN ('processing', 'requiresAction')
       AND a.unknown_since IS NULL AND p.id = a.payment_id
     RETURNING p.environment, a.method, coalesce(c.kind, 'simulator') AS connector`,
    [paymentId, attemptNo],
  );
  return rows[0] ?? null;
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
