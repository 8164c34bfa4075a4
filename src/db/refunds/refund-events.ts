import type { BeforeAfter, By } from '../../domain/audit.ts';
import { statusAfterMoneyCameBack } from '../../domain/dispute.ts';
import { type RefundRecord, type RefundStatus, refundView, statusAfterRefund } from '../../domain/refund.ts';
import { disputeOutcomes } from '../disputes/dispute-reads.ts';
import { type LockedPayment, type PaymentChange, writePaymentChange } from '../payments/payment-changes.ts';
import { recordChange } from '../server/audit.ts';
import type { Queryable } from '../server/database.ts';

/**
 * Writes the event of a refund whose row was just created, and the entry of the audit log with its author.
 */
export async function recordRefundCreation(
  transaction: Queryable,
  payment: LockedPayment,
  refund: RefundRecord,
  by: By,
): Promise<PaymentChange> {
  const change = await insertRefundEvent(
    transaction,
    payment,
    refund,
    { type: 'refund.created', previousStatus: null },
    by.at,
  );
  const { paymentId, amountCents, reason, reference } = refund;
  const after = { paymentId, amountCents, reason, reference };
  await recordRefundChange(transaction, refund, 'refund.created', { before: null, after }, by);
  return change;
}

/** Writes a change of a refund to the audit log. */
export const recordRefundChange = (
  transaction: Queryable,
  { id, merchantId, environment }: RefundRecord,
  action: string,
  { before, after }: BeforeAfter,
  by: By,
): Promise<void> =>
  recordChange(transaction, {
    ...by,
    merchantId,
    environment,
    action,
    subject: { type: 'refund', id },
    before,
    after,
  });

/**
 * Writes an event of a refund, with the payment's new refunded amount and status. Sums are computed from all
 * refunds and never incremented.
 */
export async function insertRefundEvent(
  transaction: Queryable,
  payment: LockedPayment,
  refund: RefundRecord,
  { type, previousStatus }: { type: string; previousStatus: RefundStatus | null },
  at: Date,
): Promise<PaymentChange> {
  const { rows } = await transaction.query<{ cents: number; latest: Date | null }>(
    `SELECT coalesce(sum(amount_cents), 0)::bigint AS cents, max(succeeded_at) AS latest
     FROM refunds WHERE payment_id = $1 AND status = 'succeeded'`,
    [payment.id],
  );
  const refundedCents = rows[0]?.cents ?? 0;
  const status = statusAfterRefund(payment, refundedCents);
  // A refund was returned. Disputes did not change the status of the fully refunded payment, so they count
  // now.
  const wasReturned = payment.status === 'refunded' && status !== 'refunded';
  return writePaymentChange(
    transaction,
    payment,
    {
      status: wasReturned
        ? statusAfterMoneyCameBack(status, await disputeOutcomes(transaction, payment.id))
        : status,
      refundedCents,
      refundedAt: rows[0]?.latest ?? null,
    },
    [{ type, previousStatus, data: refundView(refund) }],
    at,
  );
}
