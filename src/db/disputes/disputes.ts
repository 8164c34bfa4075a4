import {
  type DisputeRecord,
  type DisputeResolution,
  type DisputeStage,
  type DisputeStatus,
  disputeEventData,
  isAllowedDisputeChange,
  isClosedDispute,
  statusAfterDisputeClosed,
  statusAfterDisputeOpened,
} from '../../domain/dispute.ts';
import type { Environment } from '../../domain/statuses.ts';
import { findPaidAttempt } from '../payments/attempts.ts';
import type { Queryable } from '../server/database.ts';
import { derivedId } from '../server/derived-id.ts';
import { disputeColumns, loadDispute } from './dispute-reads.ts';
import {
  type LockedPayment,
  type PaymentChange,
  type Written,
  lockPayment,
  unchanged,
  writePaymentChange,
  written,
} from '../payments/payment-changes.ts';

/**
 * Returns our id of the network's dispute. It is derived, so that a callback, a poll and a retry name the
 * same row and the same workflow, whichever comes first.
 */
export const disputeIdOf = (providerReference: string): string => derivedId(`dispute ${providerReference}`);

/** What the network reports of a dispute. */
export interface DisputeUpdate {
  providerReference: string;
  paymentId: string;
  /** Who said it: only the connector, of the environment, that the payment was made with can. */
  connectorId: string | null;
  environment: Environment;
  /** The network's object behind the disputed charge, where the network prepares one. */
  chargeReference: string | null;
  amountCents: number;
  reason: string;
  stage: DisputeStage;
  status: DisputeStatus;
  resolution: DisputeResolution | null;
  evidenceDueAt: Date;
  createdAt: Date;
}

/**
 * Writes what the network says of a dispute: its row, the payment's status and the events, in one
 * transaction. Returns `too_early` while the payment is not known to be paid. A repeated or stale answer
 * changes nothing. What a connector says of a payment that was not made with it is of an unknown payment:
 * what an account's owner writes there proves nothing about another's. Must run inside a transaction.
 */
export async function recordDispute(
  transaction: Queryable,
  update: DisputeUpdate,
  at: Date,
): Promise<Written<DisputeRecord> | 'too_early' | 'unknown_payment'> {
  const payment = await lockPayment(transaction, update.paymentId);
  if (payment?.connectorId !== update.connectorId || payment.environment !== update.environment) {
    return 'unknown_payment';
  }
  // The network is ahead of us: our own look-up will find the payment paid, then this is written.
  if (payment.paidAt === null) return 'too_early';
  const id = disputeIdOf(update.providerReference);
  if (update.chargeReference !== null) {
    const paid = await findPaidAttempt(transaction, payment.id);
    if (paid?.providerReference !== update.chargeReference) return 'unknown_payment';
  }
  const known = await loadDispute(transaction, id);
  if (known) return moveDispute(transaction, payment, known, update, at);
  const open = isClosedDispute(update.status)
    ? { ...update, status: 'needsResponse' as const, resolution: null }
    : update;
  const { rows } = await transaction.query<DisputeRecord>(
    `INSERT INTO disputes (id, merchant_id, environment, payment_id, provider_reference, amount_cents, reason, stage,
       status, evidence_due_at, submitted_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, CASE WHEN $9 = 'underReview' THEN $12::timestamptz END, $11)
     RETURNING ${disputeColumns}`,
    [
      id,
      payment.merchantId,
      payment.environment,
      payment.id,
      open.providerReference,
      open.amountCents,
      open.reason,
      open.stage,
      open.status,
      open.evidenceDueAt,
      open.createdAt,
      at,
    ],
  );
  const [opened] = rows;
  if (!opened) throw new Error('the dispute was not stored');
  const created = await insertDisputeEvent(transaction, payment, opened, {
    type: 'dispute.created',
    previousStatus: null,
    paymentStatus: statusAfterDisputeOpened(payment.status),
    at,
  });
  if (!isClosedDispute(update.status)) return written(opened, created);
  // First reported when it was already closed: merchants receive both changes, in order.
  const again = await lockPayment(transaction, payment.id);
  if (!again) return 'unknown_payment';
  const closed = await moveDispute(transaction, again, opened, update, at);
  return { ...closed, eventIds: [...created.eventIds, ...closed.eventIds] };
}

async function moveDispute(
  transaction: Queryable,
  payment: LockedPayment,
  known: DisputeRecord,
  update: DisputeUpdate,
  at: Date,
): Promise<Written<DisputeRecord>> {
  if (!isAllowedDisputeChange(known.status, update.status)) return unchanged(known, payment);
  const closed = isClosedDispute(update.status);
  const { rows } = await transaction.query<DisputeRecord>(
    `UPDATE disputes SET status = $2, resolution = $3,
       submitted_at = CASE WHEN $2 = 'underReview' THEN coalesce(submitted_at, $4) ELSE submitted_at END,
       closed_at = CASE WHEN $5 THEN $4 END
     WHERE id = $1 RETURNING ${disputeColumns}`,
    [known.id, update.status, closed ? (update.resolution ?? 'decided') : null, at, closed],
  );
  const [moved] = rows;
  if (!moved) throw new Error(`dispute ${known.id} vanished`);
  const all = await transaction.query<Pick<DisputeRecord, 'status' | 'resolution'>>(
    'SELECT status, resolution FROM disputes WHERE payment_id = $1',
    [payment.id],
  );
  const change = await insertDisputeEvent(transaction, payment, moved, {
    type: moved.resolution === 'withdrawn' ? 'dispute.withdrawn' : `dispute.${moved.status}`,
    previousStatus: known.status,
    paymentStatus: closed ? statusAfterDisputeClosed(payment, all.rows) : payment.status,
    at,
  });
  return written(moved, change);
}

function insertDisputeEvent(
  transaction: Queryable,
  payment: LockedPayment,
  dispute: DisputeRecord,
  news: {
    type: string;
    previousStatus: DisputeStatus | null;
    paymentStatus: LockedPayment['status'];
    at: Date;
  },
): Promise<PaymentChange> {
  return writePaymentChange(
    transaction,
    payment,
    {
      status: news.paymentStatus,
      refundedCents: payment.refundedCents,
      refundedAt: payment.refundedAt,
    },
    [{ type: news.type, previousStatus: news.previousStatus, data: disputeEventData(dispute) }],
    news.at,
  );
}

/** Reminds the merchant once that `hours` are left for evidence. Must run inside a transaction. */
export async function remindOfEvidence(
  transaction: Queryable,
  id: string,
  hours: number,
  at: Date,
): Promise<string[]> {
  const known = await loadDispute(transaction, id);
  const payment = known && (await lockPayment(transaction, known.paymentId));
  if (!payment) return [];
  const { rows } = await transaction.query<DisputeRecord>(
    `UPDATE disputes SET reminded = array_append(reminded, $2::smallint)
     WHERE id = $1 AND status = 'needsResponse' AND NOT ($2::smallint = ANY (reminded)) RETURNING ${disputeColumns}`,
    [id, hours],
  );
  const [dispute] = rows;
  if (!dispute) return [];
  const { eventIds } = await insertDisputeEvent(transaction, payment, dispute, {
    type: 'dispute.evidenceDueSoon',
    previousStatus: dispute.status,
    paymentStatus: payment.status,
    at,
  });
  return eventIds;
}
