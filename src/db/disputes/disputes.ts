import {
  type DisputeRecord,
  type DisputeResolution,
  type DisputeStage,
  type DisputeStatus,
  disputeEventData,
  disputeMove,
  isClosedDispute,
  statusAfterDisputeClosed,
  statusAfterDisputeOpened,
  statusAfterDisputeReopened,
} from '../../domain/dispute.ts';
import { agendaAfterNewDeadline, assumedDueAt } from '../../domain/dispute-agenda.ts';
import type { Environment } from '../../domain/statuses.ts';
import { findPaidAttempt } from '../payments/attempts.ts';
import type { Queryable } from '../server/database.ts';
import { derivedId } from '../server/derived-id.ts';
import { disputeColumns, disputeOutcomes, loadDispute } from './dispute-reads.ts';
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
 * Returns our id of the network's dispute. It is derived from the network's id, so that a webhook, a poll and
 * a retry all use the same row and the same workflow.
 */
export const disputeIdOf = (providerReference: string): string => derivedId(`dispute ${providerReference}`);

/** A dispute as the network reports it. */
export interface DisputeUpdate {
  providerReference: string;
  paymentId: string;
  /**
   * The connector that reported it. Only the connector that the payment was made with may change the payment.
   */
  connectorId: string | null;
  environment: Environment;
  /** The network's object behind the disputed charge, if the network prepares one. */
  chargeReference: string | null;
  amountCents: number;
  reason: string;
  stage: DisputeStage;
  status: DisputeStatus;
  resolution: DisputeResolution | null;
  /** Null if the network names none. */
  evidenceDueAt: Date | null;
  createdAt: Date;
}

/**
 * Stores a dispute as the network reports it: its row, the payment's status and the events, in one
 * transaction. Returns `too_early` while the payment is not known to be paid, and `never_paid` once it is
 * final without that: the disputed money is an unexpected capture. A repeated or stale report changes
 * nothing. A connector's report about a payment that was made with another connector is treated as
 * one about an unknown payment (`unknown_payment`), because the owner of one account proves nothing about the
 * payments of another. Must run inside a transaction.
 */
export async function recordDispute(
  transaction: Queryable,
  update: DisputeUpdate,
  at: Date,
): Promise<Written<DisputeRecord> | 'too_early' | 'never_paid' | 'unknown_payment'> {
  const payment = await lockPayment(transaction, update.paymentId);
  if (payment?.connectorId !== update.connectorId || payment.environment !== update.environment) {
    return 'unknown_payment';
  }
  // The network is ahead of the rows. A later query finds the payment paid; then the dispute is stored.
  if (payment.paidAt === null) return payment.finalizedAt === null ? 'too_early' : 'never_paid';
  const id = disputeIdOf(update.providerReference);
  if (update.chargeReference !== null) {
    const paid = await findPaidAttempt(transaction, payment.id);
    if (paid?.providerReference !== update.chargeReference) return 'unknown_payment';
  }
  const known = await loadDispute(transaction, id);
  if (known) return updateDispute(transaction, payment, known, update, at);
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
      open.evidenceDueAt ?? assumedDueAt(open.createdAt),
      open.createdAt,
      at,
    ],
  );
  const [opened] = rows;
  if (!opened) throw new Error(`dispute ${open.providerReference} of payment ${payment.id} was not stored`);
  const created = await insertDisputeEvent(transaction, payment, opened, {
    type: 'dispute.created',
    previousStatus: null,
    paymentStatus: statusAfterDisputeOpened(payment.status),
    at,
  });
  if (!isClosedDispute(update.status)) return written(opened, created);
  // The first report came after the dispute was closed, so the merchant gets the events of both changes in
  // order.
  const again = await lockPayment(transaction, payment.id);
  if (!again) return 'unknown_payment';
  const closed = await moveDispute(transaction, again, opened, update, at);
  return { ...closed, eventIds: [...created.eventIds, ...closed.eventIds] };
}

/**
 * Applies the network's report to a known dispute step by step: first stage, amount and deadline, then the
 * status. Reported values that are older than the row change nothing.
 */
async function updateDispute(
  transaction: Queryable,
  payment: LockedPayment,
  known: DisputeRecord,
  update: DisputeUpdate,
  at: Date,
): Promise<Written<DisputeRecord>> {
  const move = disputeMove(known, update);
  if (move === 'behind') return unchanged(known, payment);
  const terms =
    move === 'reopened'
      ? await reopenDispute(transaction, payment, known, update, at)
      : await changeTerms(transaction, payment, known, update, at);
  const current = terms?.row ?? known;
  if (current.status === update.status) return terms ?? unchanged(known, payment);
  const now = terms ? await lockPayment(transaction, payment.id) : payment;
  if (!now) throw new Error(`payment ${payment.id} vanished`);
  const moved = await moveDispute(transaction, now, current, update, at);
  return { ...moved, eventIds: [...(terms?.eventIds ?? []), ...moved.eventIds] };
}

/** Begins a later stage: the dispute is open again, with a new deadline and agenda. Staged evidence stays. */
async function reopenDispute(
  transaction: Queryable,
  payment: LockedPayment,
  known: DisputeRecord,
  update: DisputeUpdate,
  at: Date,
): Promise<Written<DisputeRecord>> {
  const { rows } = await transaction.query<DisputeRecord>(
    `UPDATE disputes SET stage = $2, status = $3, amount_cents = $4, evidence_due_at = $5, reopened_at = $6,
       submitted_at = CASE WHEN $3 = 'underReview' THEN $6::timestamptz END, auto_submitted = false,
       reminded = '{}', resolution = NULL, closed_at = NULL
     WHERE id = $1 RETURNING ${disputeColumns}`,
    [
      known.id,
      update.stage,
      isClosedDispute(update.status) ? 'needsResponse' : update.status,
      update.amountCents,
      update.evidenceDueAt ?? assumedDueAt(at),
      at,
    ],
  );
  const reopened = existing(rows, known.id);
  const change = await insertDisputeEvent(transaction, payment, reopened, {
    type: 'dispute.updated',
    previousStatus: known.status,
    paymentStatus: statusAfterDisputeReopened(payment, await disputeOutcomes(transaction, payment.id)),
    at,
  });
  return written(reopened, change);
}

/** Stores a changed amount or deadline of the same stage; returns null if neither changed. */
async function changeTerms(
  transaction: Queryable,
  payment: LockedPayment,
  known: DisputeRecord,
  update: DisputeUpdate,
  at: Date,
): Promise<Written<DisputeRecord> | null> {
  const dueAt = update.evidenceDueAt ?? known.evidenceDueAt;
  const hasNewDeadline = dueAt.getTime() !== known.evidenceDueAt.getTime();
  if (!hasNewDeadline && update.amountCents === known.amountCents) return null;
  const agenda = hasNewDeadline ? agendaAfterNewDeadline(known, dueAt, at) : known;
  const { rows } = await transaction.query<DisputeRecord>(
    `UPDATE disputes SET amount_cents = $2, evidence_due_at = $3, reminded = $4, auto_submitted = $5
     WHERE id = $1 RETURNING ${disputeColumns}`,
    [known.id, update.amountCents, dueAt, agenda.reminded, agenda.autoSubmitted],
  );
  const changed = existing(rows, known.id);
  const change = await insertDisputeEvent(transaction, payment, changed, {
    type: 'dispute.updated',
    previousStatus: known.status,
    paymentStatus: payment.status,
    at,
  });
  return written(changed, change);
}

/** Advances the status of a dispute. */
async function moveDispute(
  transaction: Queryable,
  payment: LockedPayment,
  known: DisputeRecord,
  update: DisputeUpdate,
  at: Date,
): Promise<Written<DisputeRecord>> {
  const closed = isClosedDispute(update.status);
  const { rows } = await transaction.query<DisputeRecord>(
    `UPDATE disputes SET status = $2, resolution = $3,
       submitted_at = CASE WHEN $2 = 'underReview' THEN coalesce(submitted_at, $4) ELSE submitted_at END,
       closed_at = CASE WHEN $5 THEN $4 END
     WHERE id = $1 RETURNING ${disputeColumns}`,
    [known.id, update.status, closed ? (update.resolution ?? 'decided') : null, at, closed],
  );
  const moved = existing(rows, known.id);
  const change = await insertDisputeEvent(transaction, payment, moved, {
    type: moved.resolution === 'withdrawn' ? 'dispute.withdrawn' : `dispute.${moved.status}`,
    previousStatus: known.status,
    paymentStatus: closed
      ? statusAfterDisputeClosed(payment, await disputeOutcomes(transaction, payment.id))
      : payment.status,
    at,
  });
  return written(moved, change);
}

/** Returns the row that a statement changed. Throws when it changed none. */
function existing([row]: readonly DisputeRecord[], id: string): DisputeRecord {
  if (!row) throw new Error(`dispute ${id} vanished`);
  return row;
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

/**
 * Notifies the merchant, once, that `hours` remain for evidence. Returns the ids of the events that endpoints
 * subscribe to. Must run inside a transaction.
 */
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
