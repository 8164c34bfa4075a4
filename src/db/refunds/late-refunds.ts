import type { PaymentRecord } from '../../domain/payment.ts';
import type { RefundRecord } from '../../domain/refund.ts';
import type { Queryable } from '../server/database.ts';
import { derivedId } from '../server/derived-id.ts';
import type { Written } from '../payments/payment-changes.ts';
import { insertRefund } from './refunds.ts';

/** Returns the id of the refund of a payment's late success. It is derived, so that there can be only one. */
const lateRefundId = (paymentId: string): string => derivedId(`late refund ${paymentId}`);

/**
 * Reserves the refund of the whole amount of a payment that was just found paid after its checkout closed.
 * Returns null if the merchant's settings do not require it. Must run in the transaction that makes the
 * payment paid, so that no crash can separate the two, and so that a repeated transition reserves nothing
 * more. docs/readings.md.
 */
export async function refundLate(
  transaction: Queryable,
  payment: PaymentRecord,
  at: Date,
): Promise<Written<RefundRecord> | null> {
  const { merchantId, environment, id } = payment;
  const { rows } = await transaction.query<{ refundLate: boolean }>(
    `SELECT refund_late AS "refundLate" FROM merchant_settings WHERE merchant_id = $1 AND environment = $2`,
    [merchantId, environment],
  );
  if (rows[0]?.refundLate !== true) return null;
  return insertRefund(
    transaction,
    { merchantId, environment },
    {
      id: lateRefundId(id),
      paymentId: id,
      amountCents: null,
      reason: 'other',
      reference: null,
      metadata: { cause: 'late_success' },
      createdAt: at,
      submitAfter: at,
    },
    { kind: 'service', id: null, name: 'service', address: null },
  );
}
