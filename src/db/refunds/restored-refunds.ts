import { type RefundRecord, nextRefundCheck } from '../../domain/refund.ts';
import type { By } from '../../domain/audit.ts';
import { findPaidAttempt } from '../payments/attempts.ts';
import { lockPayment } from '../payments/payment-changes.ts';
import type { Tenant } from '../payments/payments.ts';
import type { Queryable } from '../server/database.ts';
import { scheduleRefundCheck } from './refund-checks.ts';
import { loadRefund, refundColumns } from './refund-reads.ts';
import { recordRefundCreation } from './refund-events.ts';
import { recordRefundStatus } from './refunds.ts';

/** A refund made by this service that the network has and the rows do not. */
export interface RestoredRefund {
  id: string;
  paymentId: string;
  amountCents: number;
  status: 'pending' | 'succeeded' | 'failed';
  createdAt: Date;
  /** The owner of the network's account that lists the refund; its metadata can name any payment. */
  owner: Tenant & { connectorId: string | null };
}

/**
 * Restores a refund under its id, with the network's status, the payment's refunded amount and status, and
 * the events, in the caller's transaction. A refund that has a row is left unchanged. `payment_not_paid`: its
 * payment is not paid here yet; `foreign`: the payment is not at the account that lists the refund;
 * `too_much`: more would be refunded than was paid. ADR 0062.
 */
export async function restoreRefund(
  transaction: Queryable,
  refund: RestoredRefund,
  by: By,
): Promise<'written' | 'known' | 'payment_not_paid' | 'foreign' | 'too_much'> {
  const { id, paymentId, status, owner } = refund;
  const payment = await lockPayment(transaction, paymentId);
  if (!payment || (await findPaidAttempt(transaction, paymentId)) === null) return 'payment_not_paid';
  if (
    payment.merchantId !== owner.merchantId ||
    payment.environment !== owner.environment ||
    payment.connectorId !== owner.connectorId
  ) {
    return 'foreign';
  }
  if ((await loadRefund(transaction, id)) !== null) return 'known';
  if (status !== 'failed' && payment.refundedCents + refund.amountCents > payment.amountCents)
    return 'too_much';
  const at = refund.createdAt;
  const { rows } = await transaction.query<RefundRecord>(
    `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, metadata, created_at,
       submit_after, submitted_at, next_check_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7, $8) RETURNING ${refundColumns}`,
    [
      id,
      payment.merchantId,
      payment.environment,
      paymentId,
      refund.amountCents,
      JSON.stringify({ cause: 'restored' }),
      at,
      nextRefundCheck({ status: 'pending', submitAfter: at, submittedAt: at, succeededAt: null }, by.at),
    ],
  );
  const [stored] = rows;
  if (!stored) throw new Error(`refund ${id} was not stored`);
  await recordRefundCreation(transaction, payment, stored, by);
  const failure = status === 'failed' ? 'The refund failed.' : null;
  const recorded = await recordRefundStatus(
    transaction,
    id,
    { status, failureCode: null, message: failure },
    by.at,
  );
  if (recorded !== null && recorded !== 'too_much') {
    await scheduleRefundCheck(transaction, id, nextRefundCheck(recorded.row, by.at));
  }
  return 'written';
}
