import { paymentView } from '../../domain/payment.ts';
import { type Database, type Queryable, inTransaction } from '../server/database.ts';
import { insertEvent } from '../webhooks/events.ts';
import { expectsCapture } from './capture-hints.ts';
import { maxClockSkew } from './charge-alerts.ts';
import { lockPayment } from './payment-changes.ts';
import type { Tenant } from './payments.ts';

/** Money that the provider captured and that belongs to no paid attempt. The values are the provider's. */
export interface UnexpectedCapture {
  attemptNo: number;
  amountCents: number;
  currency: string;
  /** The provider's id of the charge. */
  providerReference: string;
  /** Null: the provider named no instant. */
  capturedAt: Date | null;
}

/** The name under which the alerts are raised; the subject is the payment's id. */
export const unexpectedCaptures = 'unexpected captures';

/**
 * Stores a capture that belongs to no paid attempt of its payment, once, with its event and an operator alert
 * in one transaction. Nothing else of the payment changes. Returns null if the capture is already known or
 * expected. Otherwise returns the event that endpoints subscribe to, if any do.
 * `isAhead`: the provider's instant is in the future; then none is stored.
 */
export async function recordUnexpectedCapture(
  database: Database,
  paymentId: string,
  capture: UnexpectedCapture,
): Promise<{ eventId: string | null; isAhead: boolean } | null> {
  return inTransaction(database, async (transaction) => {
    const payment = await lockPayment(transaction, paymentId);
    if (!payment) return null;
    const found = await insertOnce(transaction, paymentId, capture);
    if (!found) return null;
    const { attemptNo, amountCents, currency, providerReference } = capture;
    const { capturedAt } = found;
    await raiseCaptureAlert(transaction, {
      paymentId,
      merchantId: payment.merchantId,
      attemptNo,
      at: found.foundAt,
    });
    await transaction.query('UPDATE payments SET event_seq = event_seq + 1 WHERE id = $1', [paymentId]);
    const event = await insertEvent(transaction, {
      payment,
      type: 'payment.unexpectedCapture',
      sequence: payment.eventSeq + 1,
      stateSeq: null,
      previousStatus: payment.status,
      data: {
        ...paymentView(payment, null),
        unexpectedCapture: {
          attemptNo,
          amountCents,
          currency,
          providerReference,
          capturedAt: capturedAt?.toISOString() ?? null,
        },
      },
      at: found.foundAt,
    });
    return {
      eventId: event.deliveries > 0 ? event.id : null,
      isAhead: capture.capturedAt !== null && capturedAt === null,
    };
  });
}

/** Inserts the row. Returns null if there is one already, or if the capture is expected. */
async function insertOnce(
  transaction: Queryable,
  paymentId: string,
  { attemptNo, amountCents, currency, providerReference, capturedAt }: UnexpectedCapture,
): Promise<{ foundAt: Date; capturedAt: Date | null } | null> {
  const { rows } = await transaction.query<{ foundAt: Date; capturedAt: Date | null }>(
    `INSERT INTO unexpected_captures (payment_id, attempt_no, merchant_id, environment, amount_cents, currency,
       provider_reference, captured_at, found_at)
     SELECT p.id, $2, p.merchant_id, p.environment, $3, $4, $5,
       CASE WHEN $6::timestamptz <= clock_timestamp() + interval '${maxClockSkew}' THEN $6 END,
       date_trunc('milliseconds', clock_timestamp())
     FROM payments p WHERE p.id = $1 AND NOT EXISTS (
       SELECT FROM attempts a WHERE a.payment_id = p.id AND a.attempt_no = $2 AND ${expectsCapture})
     ON CONFLICT (payment_id, attempt_no) DO NOTHING
     RETURNING found_at AS "foundAt", captured_at AS "capturedAt"`,
    [paymentId, attemptNo, amountCents, currency, providerReference, capturedAt],
  );
  return rows[0] ?? null;
}

/** Raises one alert per payment; its detail names every attempt whose money was captured. */
async function raiseCaptureAlert(
  transaction: Queryable,
  {
    paymentId,
    merchantId,
    attemptNo,
    at,
  }: Record<'paymentId' | 'merchantId', string> & {
    attemptNo: number;
    at: Date;
  },
): Promise<void> {
  await transaction.query(
    `INSERT INTO operator_alerts AS open (sweep, subject, merchant_id, detail, since)
     VALUES ($1, $2, $3, 'unexpected_capture: attempt ' || $4::int, $5)
     ON CONFLICT (sweep, subject) WHERE cleared_at IS NULL
       DO UPDATE SET detail = left(open.detail || ', ' || $4::int, 64)`,
    [unexpectedCaptures, paymentId, merchantId, attemptNo, at],
  );
}

/** The maximum number of captures that a merchant's home page lists. */
const maxListed = 10;

/** A capture as the home page lists it. */
export interface ListedCapture {
  /** The id of the payment. */
  id: string;
  attemptNo: number;
  reference: string;
  amountCents: number;
  currency: string;
  foundAt: Date;
}

/**
 * Returns the captures that belong to no paid attempt, newest first, until an operator clears their alert.
 */
export async function listUnexpectedCaptures(
  database: Queryable,
  { merchantId, environment }: Tenant,
): Promise<ListedCapture[]> {
  const { rows } = await database.query<ListedCapture>(
    `SELECT c.payment_id AS id, c.attempt_no AS "attemptNo", p.reference, c.amount_cents AS "amountCents",
       c.currency, c.found_at AS "foundAt"
     FROM unexpected_captures c JOIN payments p ON p.id = c.payment_id
     WHERE c.merchant_id = $1 AND c.environment = $2 AND EXISTS (
       SELECT FROM operator_alerts o
       WHERE o.sweep = $3 AND o.subject = c.payment_id::text AND o.cleared_at IS NULL)
     ORDER BY c.found_at DESC LIMIT ${maxListed}`,
    [merchantId, environment, unexpectedCaptures],
  );
  return rows;
}
