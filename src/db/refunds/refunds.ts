import {
  type RefundRecord,
  type RefundStatus,
  decideRefund,
  isAllowedRefundChange,
  nextRefundCheck,
} from '../../domain/refund.ts';
import type { Actor, By } from '../../domain/audit.ts';
import { requireRefundCap } from '../merchants/refund-caps.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Queryable } from '../server/database.ts';
import {
  type LockedPayment,
  type Written,
  lockPayment,
  lockTenantPayment,
  unchanged,
  written,
} from '../payments/payment-changes.ts';
import type { Tenant } from '../payments/payments.ts';
import { requireMemberMayRefund } from './refund-approvals.ts';
import { scheduleSucceededRefundChecks } from './refund-checks.ts';
import { insertRefundEvent, recordRefundChange, recordRefundCreation } from './refund-events.ts';
import { findRefund, loadRefund, refundColumns } from './refund-reads.ts';

export type NewRefund = Pick<
  RefundRecord,
  'id' | 'paymentId' | 'reason' | 'reference' | 'metadata' | 'createdAt' | 'submitAfter'
> & {
  /** Null for the whole remaining amount. */
  amountCents: number | null;
  /** The approval that a second member gave. */
  approvalId?: string;
  /** A member must confirm their identity from this sum of their refunds in a day on; absent: never. */
  confirmFromCents?: number;
};

/**
 * Reserves a refund while its payment is locked, in the caller's transaction. Refuses: not_found (404) for a
 * payment that is not the tenant's; payment_not_refundable (409); validation_failed (422) of `amountCents`
 * when it exceeds what is left to refund; cap_reached (403). Throws ApprovalNeeded or ConfirmationNeeded for
 * a member's refund that needs it. docs/refunds-and-disputes.md.
 */
export async function insertRefund(
  transaction: Queryable,
  tenant: Tenant,
  refund: NewRefund,
  actor: Actor,
): Promise<Written<RefundRecord>> {
  const payment = await lockTenantPayment(transaction, tenant, refund.paymentId);
  if (!payment) throw new Refusal('not_found');
  const decision = decideRefund(payment, await sumOf(transaction, payment.id, 'pending'), refund.amountCents);
  if (!decision.ok && decision.code === 'amount_too_large') {
    throw new Refusal('validation_failed', {
      field: 'amountCents',
      message: 'amountCents must not exceed what is left to refund',
    });
  }
  if (!decision.ok) throw new Refusal(decision.code, { message: decision.message });
  const { approvalId = null, confirmFromCents = null } = refund;
  const memberId = actor.kind === 'member' ? actor.id : null;
  if (memberId !== null && approvalId === null) {
    const { amountCents } = decision;
    await requireMemberMayRefund(transaction, tenant, memberId, { amountCents, confirmFromCents });
  }
  const keyLineId =
    actor.kind === 'apiKey' ? await requireRefundCap(transaction, actor, decision.amountCents) : null;
  const { rows } = await transaction.query<RefundRecord>(
    `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, reason, reference, metadata, created_at,
       submit_after, next_check_at, key_line_id, member_id, approval_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING ${refundColumns}`,
    [
      refund.id,
      payment.merchantId,
      payment.environment,
      payment.id,
      decision.amountCents,
      refund.reason,
      refund.reference,
      JSON.stringify(refund.metadata),
      refund.createdAt,
      refund.submitAfter,
      nextRefundCheck(
        { status: 'pending', submitAfter: refund.submitAfter, submittedAt: null, succeededAt: null },
        refund.createdAt,
      ),
      keyLineId,
      memberId,
      approvalId,
    ],
  );
  const [stored] = rows;
  if (!stored) throw new Error(`refund ${refund.id} was not stored`);
  return written(
    stored,
    await recordRefundCreation(transaction, payment, stored, { actor, at: refund.createdAt }),
  );
}

/** Returns the sum of a payment's refunds in one status, in cents. */
async function sumOf(database: Queryable, paymentId: string, status: RefundStatus): Promise<number> {
  const { rows } = await database.query<{ cents: number }>(
    'SELECT coalesce(sum(amount_cents), 0)::bigint AS cents FROM refunds WHERE payment_id = $1 AND status = $2',
    [paymentId, status],
  );
  return rows[0]?.cents ?? 0;
}

/**
 * Locks a refund and its payment, the payment first. All transactions use this order, which prevents
 * deadlocks.
 */
async function lockRefund(
  transaction: Queryable,
  id: string,
): Promise<{ payment: LockedPayment; refund: RefundRecord } | null> {
  const known = await loadRefund(transaction, id);
  const payment = known && (await lockPayment(transaction, known.paymentId));
  if (!payment) return null;
  const { rows } = await transaction.query<RefundRecord>(
    `SELECT ${refundColumns} FROM refunds WHERE id = $1 FOR UPDATE`,
    [id],
  );
  return rows[0] ? { payment, refund: rows[0] } : null;
}

/**
 * Cancels a refund that was not submitted; a canceled refund stays canceled. Returns null for an unknown one.
 * Refuses refund_not_cancelable (409).
 */
export async function cancelRefund(
  transaction: Queryable,
  tenant: Tenant,
  id: string,
  by: By,
): Promise<Written<RefundRecord> | null> {
  const { at } = by;
  const owned = await findRefund(transaction, tenant, id);
  const locked = owned && (await lockRefund(transaction, id));
  if (!locked) return null;
  if (locked.refund.status === 'canceled') return unchanged(locked.refund, locked.payment);
  if (locked.refund.status !== 'pending' || locked.refund.submittedAt !== null) {
    throw new Refusal('refund_not_cancelable');
  }
  const { rows } = await transaction.query<RefundRecord>(
    `UPDATE refunds SET status = 'canceled' WHERE id = $1 RETURNING ${refundColumns}`,
    [id],
  );
  const [canceled] = rows;
  if (!canceled) throw new Error(`refund ${id} vanished`);
  const change = await insertRefundEvent(
    transaction,
    locked.payment,
    canceled,
    { type: 'refund.canceled', previousStatus: 'pending' },
    at,
  );
  const [before, after] = [{ status: 'pending' }, { status: 'canceled' }];
  await recordRefundChange(transaction, canceled, 'refund.canceled', { before, after }, by);
  return written(canceled, change);
}

/**
 * Marks a pending refund as submitted before anything is sent, and returns it. `first` is false when an
 * earlier run marked it, or when it has succeeded; only the network then knows its state. Returns null for a
 * refund that is over.
 */
export async function markRefundSubmitted(
  database: Queryable,
  id: string,
  at: Date,
): Promise<{ refund: RefundRecord; first: boolean } | null> {
  // One statement: a concurrent cancellation either committed before it or sees `submitted_at`.
  const marked = await database.query<RefundRecord>(
    `UPDATE refunds SET submitted_at = $2 WHERE id = $1 AND status = 'pending' AND submitted_at IS NULL
     RETURNING ${refundColumns}`,
    [id, at],
  );
  if (marked.rows[0]) return { refund: marked.rows[0], first: true };
  const refund = await loadRefund(database, id);
  return refund?.status === 'pending' || refund?.status === 'succeeded' ? { refund, first: false } : null;
}

/**
 * Stores a refund's status as the network reports it: its row, the payment's refunded amount and status, and
 * the events. A repeated or stale report changes nothing. `too_much`: with this refund the rows would have
 * refunded more than was paid. An earlier refund must have been returned, and its row is outdated. Nothing is
 * stored, and all succeeded refunds of the payment are checked at once. Must run inside a transaction.
 */
export async function recordRefundStatus(
  transaction: Queryable,
  id: string,
  update: { status: 'pending' | 'succeeded' | 'failed'; failureCode: string | null; message: string | null },
  at: Date,
): Promise<Written<RefundRecord> | 'too_much' | null> {
  const locked = await lockRefund(transaction, id);
  if (!locked) return null;
  const { payment, refund } = locked;
  if (!isAllowedRefundChange(refund.status, update.status)) return unchanged(refund, payment);
  if (update.status === 'succeeded' && payment.refundedCents + refund.amountCents > payment.amountCents) {
    await scheduleSucceededRefundChecks(transaction, payment.id, at);
    return 'too_much';
  }
  const failed = update.status === 'failed';
  const { rows } = await transaction.query<RefundRecord>(
    `UPDATE refunds SET status = $2, failure_code = $3, failure_message = $4,
       succeeded_at = CASE WHEN $2 = 'succeeded' THEN $5 ELSE succeeded_at END,
       failed_at = CASE WHEN $2 = 'failed' THEN $5 ELSE failed_at END
     WHERE id = $1 RETURNING ${refundColumns}`,
    [
      id,
      update.status,
      failed ? (update.failureCode ?? 'refund_rejected') : null,
      failed ? update.message : null,
      at,
    ],
  );
  const [changed] = rows;
  if (!changed) throw new Error(`refund ${id} vanished`);
  const change = await insertRefundEvent(
    transaction,
    payment,
    changed,
    { type: `refund.${changed.status}`, previousStatus: refund.status },
    at,
  );
  return written(changed, change);
}
