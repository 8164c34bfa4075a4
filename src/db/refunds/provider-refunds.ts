import { type RefundReason, type RefundRecord, nextRefundCheck } from '../../domain/refund.ts';
import { findPaidAttempt } from '../payments/attempts.ts';
import type { Queryable } from '../server/database.ts';
import { derivedId } from '../server/derived-id.ts';
import { lockPayment } from '../payments/payment-changes.ts';
import { scheduleRefundCheck, scheduleSucceededRefundChecks } from './refund-checks.ts';
import { recordRefundCreation } from './refund-events.ts';
import { recordRefundStatus } from './refunds.ts';
import { loadRefund, refundColumns } from './refund-reads.ts';

/**
 * Returns our id of a refund that was made at the provider. It is derived from the provider's id, so that a
 * webhook and a poll use the same row.
 */
export const providerRefundId = (reference: string): string => derivedId(`refund ${reference}`);

/** A refund that was made at the provider, as the provider reports it. */
export interface ProviderRefund {
  /** The provider's id of the refund. */
  reference: string;
  amountCents: number;
  reason: RefundReason | null;
  status: 'pending' | 'succeeded' | 'failed';
  failureCode: string | null;
}

/**
 * The result of recording a refund. `payment_not_paid`: the provider is ahead of the rows. `too_much`: with
 * this refund the rows would have refunded more than was paid, so one of them is outdated; all succeeded
 * refunds of the payment are checked again.
 */
export type RecordedProviderRefund = { eventIds: string[] } | 'payment_not_paid' | 'too_much';

/**
 * Stores a refund that was made at the provider: its row, the payment's refunded amount and status, and the
 * events. For a refund that is already stored, it stores the changes. Money that moved is recorded whatever
 * the payment's status is. A refund that failed before it was first reported is not stored. Must run inside a
 * transaction. ADR 0024.
 */
export async function recordProviderRefund(
  transaction: Queryable,
  paymentId: string,
  found: ProviderRefund,
  at: Date,
): Promise<RecordedProviderRefund> {
  const payment = await lockPayment(transaction, paymentId);
  if (!payment || (await findPaidAttempt(transaction, paymentId)) === null) return 'payment_not_paid';
  const id = providerRefundId(found.reference);
  const eventIds: string[] = [];
  if ((await loadRefund(transaction, id)) === null) {
    if (found.status === 'failed') return { eventIds };
    if (payment.refundedCents + found.amountCents > payment.amountCents) {
      await scheduleSucceededRefundChecks(transaction, paymentId, at);
      return 'too_much';
    }
    const { rows } = await transaction.query<RefundRecord>(
      `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, reason, metadata, created_at,
         submit_after, submitted_at, next_check_at, provider_reference)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8, $9, $10) RETURNING ${refundColumns}`,
      [
        id,
        payment.merchantId,
        payment.environment,
        payment.id,
        found.amountCents,
        found.reason,
        JSON.stringify({ cause: 'made_at_provider', providerReference: found.reference }),
        at,
        nextRefundCheck({ status: 'pending', submitAfter: at, submittedAt: at, succeededAt: null }, at),
        found.reference,
      ],
    );
    const [stored] = rows;
    if (!stored) throw new Error(`refund ${found.reference} of payment ${paymentId} was not stored`);
    const actor = { kind: 'provider', id: null, name: 'provider', address: null } as const;
    const created = await recordRefundCreation(transaction, payment, stored, { actor, at });
    eventIds.push(...created.eventIds);
  }
  const { status, failureCode } = found;
  const message = status === 'failed' ? 'The refund failed.' : null;
  const recorded = await recordRefundStatus(transaction, id, { status, failureCode, message }, at);
  if (recorded === 'too_much') return recorded;
  if (recorded) await scheduleRefundCheck(transaction, id, nextRefundCheck(recorded.row, at));
  return { eventIds: [...eventIds, ...(recorded?.eventIds ?? [])] };
}
