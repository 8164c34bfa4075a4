import type { CardTestingDimension, DeclinedCard } from '../../domain/card-testing.ts';
import { attemptsPerCheckout } from '../../domain/checkout-state.ts';
import type { CheckoutPayment, PaymentRecord } from '../../domain/payment.ts';
import type { SimulatedOutcome } from '../../domain/sandbox.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import type { Queryable } from '../server/database.ts';
import { type Tenant, checkoutPaymentColumns, columnsOf, paymentColumnsOf } from './payments.ts';

/** A tenant, and whether it may pay in custom mode. */
export type CustomTenant = Tenant & { customMode: boolean };

/** The reservation of an attempt. The card token is sealed; it never enters Temporal. */
export interface AttemptReservation {
  paymentId: string;
  /**
   * Only a payment of this tenant in custom mode is reserved, and none where the tenant may not use that
   * mode. Null: the caller has found the payment.
   */
  tenant: CustomTenant | null;
  method: PaymentMethod;
  tokenSealed: Buffer | null;
  /**
   * Keyed hashes of the token under every look-up key, the current one first; null without a card. Custom
   * mode accepts one card per payment (FENCE-03).
   */
  tokenHashes: Buffer[] | null;
  captureReference: string | null;
  simulated: SimulatedOutcome | null;
  /** The request or sandbox operation that reserves the attempt. */
  requestId: string;
  /** The API key that pays; null for a customer on the hosted page, and for the sandbox. */
  keyId?: string | null;
  /** Keyed hash of the customer's network; null if the call is not a customer's. */
  addressHash?: Buffer | null;
}

/** The dimension in which there are too many declines. */
export interface TooManyDeclines {
  dimension: CardTestingDimension;
  subject: string;
}

/**
 * A reserved attempt with its payment, or a refusal. `tooMany` names what had too many declines, if that was
 * the reason; otherwise the payment as it is shows the reason.
 */
export type Reserved =
  { attemptNo: number; payment: CheckoutPayment } | { attemptNo: null; tooMany: TooManyDeclines | null };

type ReservedRow = { refused: CardTestingDimension | null; subject: string } & (
  ({ attemptNo: number } & CheckoutPayment) | { attemptNo: null }
);

/**
 * Reserves an attempt before a worker makes it, and takes the fence: the checkout is `processing` from here
 * on. The statement refuses when there is no such payment, another attempt is open, the checkout is closed or
 * past its deadline, its merchant is disabled, no attempt is left, another card was accepted, or its key,
 * address or merchant had too many declines (ADR 0053). One statement, one commit. The attempt begins at
 * `now`, or at the end of the previous attempt if the statement had to wait for it.
 */
export async function reserveAttempt(
  database: Queryable,
  reservation: AttemptReservation,
  now: Date,
): Promise<Reserved> {
  const { tenant } = reservation;
  const { rows } = await database.query<ReservedRow>(
    `WITH paying AS (SELECT coalesce(k.line_id, k.id) AS line FROM api_keys k WHERE k.id = $9),
     risk AS MATERIALIZED (
       SELECT r.* FROM (SELECT $2 = 'card' AND $6::jsonb IS NULL AS counted) AS c,
         LATERAL decline_risk(CASE WHEN c.counted THEN $1::uuid END, (SELECT line FROM paying), $10) AS r
     ), fence AS (
       UPDATE payments p SET checkout_status = 'processing', method = $2, changed_at = $8
       WHERE id = $1 AND checkout_status IN ('open', 'failed_retryable') AND attempts_left > 0
         AND ($11::uuid IS NULL OR merchant_id = $11 AND environment = $12 AND checkout_mode = 'custom' AND $13)
         AND expires_at > $8 AND EXISTS (SELECT FROM merchants m WHERE m.id = merchant_id AND m.status = 'active')
         AND (accepted_token_hash IS NULL OR $4::bytea[] IS NULL OR accepted_token_hash = ANY ($4))
         AND (SELECT refused FROM risk) IS NULL
       RETURNING p.changed_at, coalesce(p.accepted_token_hash, ($4)[1]) AS token_hash,
         ${columnsOf('p', checkoutPaymentColumns)}
     ), reserved AS (
       INSERT INTO attempts (payment_id, attempt_no, status, method, token_sealed, token_hash, capture_reference,
         simulated, request_id, started_at, key_line_id, address_hash, force_challenge)
       SELECT id, coalesce((SELECT max(attempt_no) FROM attempts WHERE payment_id = $1), 0) + 1, 'processing', $2,
         $3, token_hash, $5, $6, $7, changed_at, (SELECT line FROM paying), $10, (SELECT challenge FROM risk) FROM fence
       RETURNING attempt_no
     )
     SELECT fence.*, (SELECT attempt_no FROM reserved) AS "attemptNo", risk.refused, risk.refused_subject AS subject
     FROM risk LEFT JOIN fence ON true`,
    [
      reservation.paymentId,
      reservation.method,
      reservation.tokenSealed,
      reservation.tokenHashes,
      reservation.captureReference,
      reservation.simulated === null ? null : JSON.stringify(reservation.simulated),
      reservation.requestId,
      now,
      reservation.keyId ?? null,
      reservation.addressHash ?? null,
      tenant?.merchantId ?? null,
      tenant?.environment ?? null,
      tenant?.customMode ?? false,
    ],
  );
  const [row] = rows;
  if (row === undefined) return { attemptNo: null, tooMany: null };
  const { refused, subject } = row;
  if (row.attemptNo !== null) return { attemptNo: row.attemptNo, payment: row };
  return { attemptNo: null, tooMany: refused === null ? null : { dimension: refused, subject } };
}

/** Returns whether this request or sandbox operation has already reserved an attempt. */
export async function hasAttemptFor(
  database: Queryable,
  paymentId: string,
  requestId: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    'SELECT 1 FROM attempts WHERE payment_id = $1 AND request_id = $2',
    [paymentId, requestId],
  );
  return rowCount === 1;
}

/**
 * Returns SQL for the method of a payment: that of its latest attempt that was not released. `besides`: an
 * attempt that the same statement releases.
 */
export const methodOfAttempts = (paymentId: string, besides = 'NULL'): string =>
  `(SELECT m.method FROM attempts m WHERE m.payment_id = ${paymentId} AND m.status <> 'released'
      AND m.attempt_no IS DISTINCT FROM ${besides} ORDER BY m.attempt_no DESC LIMIT 1)`;

/**
 * Releases a reservation that no worker has claimed, and its fence. Returns false when a worker may have sent
 * the charge or the attempt is over; the payment's status then shows the result.
 */
export async function releaseReservation(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
): Promise<boolean> {
  const { rowCount } = await database.query(
    // The payment is locked before its attempt, as in a commit of its workflow.
    `WITH locked AS MATERIALIZED (
       SELECT id FROM payments WHERE id = $1 FOR UPDATE
     ), released AS (
       UPDATE attempts SET status = 'released', answer = 'not_sent', token_sealed = NULL, resolved_at = now()
       FROM locked
       WHERE payment_id = $1 AND attempt_no = $2 AND status = 'processing' AND claimed_at IS NULL
       RETURNING payment_id
     )
     UPDATE payments p SET method = ${methodOfAttempts('p.id', '$2')},
       checkout_status = CASE WHEN checkout_status <> 'processing' THEN checkout_status
         WHEN attempts_left < ${attemptsPerCheckout} THEN 'failed_retryable' ELSE 'open' END
     FROM released WHERE p.id = released.payment_id`,
    [paymentId, attemptNo],
  );
  return rowCount === 1;
}

const paymentColumns = paymentColumnsOf('p');

/** A claimed reservation: the payment and the facts that its attempt needs. */
export interface ClaimedAttempt extends PaymentRecord {
  customerPrivateSealed: Buffer | null;
  attemptMethod: PaymentMethod;
  tokenSealed: Buffer | null;
  captureReference: string | null;
  simulated: SimulatedOutcome | null;
  /** Whether the network must challenge the customer if it can, because there were many declines. */
  forceChallenge: boolean;
  /** BINs and cards that were often declined at this merchant. */
  declinedCards: DeclinedCard[];
  /** Earlier released attempts that were not yet looked up at the provider, at most `maxReleased`. */
  releasedBefore: number[];
}

/** The maximum number of released attempts that a claim names. */
export const maxReleased = 20;

/**
 * Claims a reservation for sending, once only, for the workflow run that owns the payment. `claimed`: the
 * charge may be sent. `repeated`: an earlier claim may have sent it, or PostgreSQL lost the row. `closed`:
 * nothing may be sent, now or later; the reservation is canceled if it is this run's.
 */
export async function claimAttempt(
  database: Queryable,
  { paymentId, attemptNo, runId }: { paymentId: string; attemptNo: number; runId: string },
): Promise<{ state: 'claimed'; claimed: ClaimedAttempt } | { state: 'repeated' } | { state: 'closed' }> {
  const { rows } = await database.query<ClaimedAttempt>(
    `UPDATE attempts a SET claimed_at = clock_timestamp() FROM payments p
     WHERE a.payment_id = $1 AND a.attempt_no = $2 AND a.status = 'processing' AND a.claimed_at IS NULL
       AND a.answer IS NULL AND p.id = a.payment_id AND p.checkout_status = 'processing'
       AND (p.workflow_run_id IS NULL OR p.workflow_run_id = $3)
       -- A worker that claims after the deadline must not charge: no caller waits for the result any more.
       AND p.expires_at > clock_timestamp()
       -- The merchant may have been disabled since the reservation.
       AND EXISTS (SELECT FROM merchants m WHERE m.id = p.merchant_id AND m.status = 'active')
     RETURNING ${paymentColumns}, p.customer_private_sealed AS "customerPrivateSealed",
       a.method AS "attemptMethod", a.token_sealed AS "tokenSealed",
       a.capture_reference AS "captureReference", a.simulated, a.force_challenge AS "forceChallenge",
       (SELECT coalesce(json_agg(json_build_object('dimension', d.dimension, 'subject', d.subject, 'level', d.level)),
          '[]') FROM declined_cards(CASE WHEN a.method = 'card' AND a.simulated IS NULL THEN p.merchant_id END,
          p.environment) AS d) AS "declinedCards",
       ARRAY(SELECT r.attempt_no FROM attempts r WHERE r.payment_id = $1 AND r.attempt_no < $2
         AND r.status = 'released' AND r.unsent_confirmed_at IS NULL ORDER BY r.attempt_no
         LIMIT ${maxReleased}) AS "releasedBefore"`,
    [paymentId, attemptNo, runId],
  );
  const [claimed] = rows;
  if (claimed) return { state: 'claimed', claimed };
  await database.query(
    `UPDATE attempts a SET answer = 'not_sent' FROM payments p
     WHERE a.payment_id = $1 AND a.attempt_no = $2 AND a.claimed_at IS NULL AND a.answer IS NULL
       AND p.id = a.payment_id AND (p.workflow_run_id IS NULL OR p.workflow_run_id = $3)`,
    [paymentId, attemptNo, runId],
  );
  const { rowCount } = await database.query(
    'SELECT 1 FROM attempts WHERE payment_id = $1 AND attempt_no = $2 AND claimed_at IS NULL',
    [paymentId, attemptNo],
  );
  return { state: rowCount === 0 ? 'repeated' : 'closed' };
}

/**
 * Cancels a reservation that no worker has claimed, so that its charge is never sent. Returns true when it is
 * canceled, also by an earlier call.
 */
export async function cancelUnclaimed(
  database: Queryable,
  paymentId: string,
  attemptNo: number,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE attempts SET answer = 'not_sent'
     WHERE payment_id = $1 AND attempt_no = $2 AND claimed_at IS NULL AND (answer IS NULL OR answer = 'not_sent')`,
    [paymentId, attemptNo],
  );
  return rowCount === 1;
}

/** Returns when a worker claimed an attempt for sending, or null. */
export async function loadClaimedAt(
  database: Queryable,
  paymentId: string,
  attemptNo: number,
): Promise<Date | null> {
  const { rows } = await database.query<{ claimedAt: Date | null }>(
    'SELECT claimed_at AS "claimedAt" FROM attempts WHERE payment_id = $1 AND attempt_no = $2',
    [paymentId, attemptNo],
  );
  return rows[0]?.claimedAt ?? null;
}

/** Returns the ms since an attempt was claimed for sending, by PostgreSQL's clock; null: it was not. */
export async function loadClaimAgeMs(
  database: Queryable,
  paymentId: string,
  attemptNo: number,
): Promise<number | null> {
  const { rows } = await database.query<{ ageMs: number | null }>(
    `SELECT extract(epoch FROM clock_timestamp() - claimed_at)::float8 * 1000 AS "ageMs"
     FROM attempts WHERE payment_id = $1 AND attempt_no = $2`,
    [paymentId, attemptNo],
  );
  return rows[0]?.ageMs ?? null;
}

/**
 * Cancels an attempt that was claimed but not sent, because its card or BIN had too many declines, and stores
 * which of them.
 */
export async function holdBack(
  database: Queryable,
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
  { dimension, cardHash, bin }: { dimension: 'bin' | 'card'; cardHash: Buffer | null; bin: string | null },
): Promise<void> {
  await database.query(
    `UPDATE attempts SET answer = 'not_sent', token_sealed = NULL, held_back = $3, card_hash = $4, card_bin = $5
     WHERE payment_id = $1 AND attempt_no = $2 AND answer IS NULL`,
    [paymentId, attemptNo, dimension, cardHash, bin],
  );
}

/** Returns what had too many declines if a worker canceled the attempt for that reason; null otherwise. */
export async function findHeldBack(
  database: Queryable,
  paymentId: string,
  attemptNo: number,
): Promise<TooManyDeclines | null> {
  const { rows } = await database.query<TooManyDeclines>(
    `SELECT held_back AS dimension,
       CASE held_back WHEN 'bin' THEN card_bin ELSE encode(card_hash, 'hex') END AS subject
     FROM attempts WHERE payment_id = $1 AND attempt_no = $2 AND held_back IS NOT NULL`,
    [paymentId, attemptNo],
  );
  return rows[0] ?? null;
}
