import { paymentView, type PaymentRecord } from '../../domain/payment.ts';
import type { PaymentStatus } from '../../domain/statuses.ts';
import { disputesTotal, refundsTotal } from '../../metrics/series.ts';
import type { Queryable } from '../server/database.ts';
import { insertEvent } from '../webhooks/events.ts';
import { moveBack } from './archive.ts';
import { type Tenant, paymentColumns } from './payments.ts';

/** A payment whose row is locked until the transaction ends. */
export interface LockedPayment extends PaymentRecord {
  eventSeq: number;
}

/**
 * Locks a payment and returns it. Every change of its refunds and disputes begins here, so that the changes
 * are serialized. An archived payment is moved back first.
 */
export async function lockPayment(transaction: Queryable, id: string): Promise<LockedPayment | null> {
  const sql = `SELECT ${paymentColumns}, event_seq AS "eventSeq" FROM payments WHERE id = $1 FOR UPDATE`;
  const { rows } = await transaction.query<LockedPayment>(sql, [id]);
  if (rows[0] !== undefined || (await moveBack(transaction, [id])) === 0) return rows[0] ?? null;
  return (await transaction.query<LockedPayment>(sql, [id])).rows[0] ?? null;
}

/**
 * Locks and returns a tenant's payment only. Another merchant's row is neither locked nor waited for, because
 * a wait would reveal that it exists.
 */
export async function lockTenantPayment(
  transaction: Queryable,
  tenant: Tenant,
  id: string,
): Promise<LockedPayment | null> {
  const { rows } = await transaction.query<LockedPayment>(
    `SELECT ${paymentColumns}, event_seq AS "eventSeq" FROM payments
     WHERE id = $1 AND merchant_id = $2 AND environment = $3 FOR UPDATE`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/** An event of a refund or dispute of a payment. It takes the payment's next sequence number. */
export interface ChangeEvent {
  type: string;
  previousStatus: string | null;
  data: object;
}

/**
 * Stores a refund's or dispute's change of a locked payment, with its events. If the payment's status changed
 * or a further part was refunded, it adds the payment's own event. Returns the payment's status and the ids
 * of the events that an endpoint subscribes to. Spec: Events; docs/webhooks.md.
 */
export async function writePaymentChange(
  transaction: Queryable,
  payment: LockedPayment,
  change: { status: PaymentStatus; refundedCents: number; refundedAt: Date | null },
  changes: readonly ChangeEvent[],
  at: Date,
): Promise<PaymentChange> {
  const statusChanged = change.status !== payment.status;
  const furtherPart = change.status === 'partiallyRefunded' && change.refundedCents !== payment.refundedCents;
  const emitsOwnEvent = statusChanged || furtherPart;
  const { rows } = await transaction.query<PaymentRecord>(
    `UPDATE payments SET status = $2, refunded_cents = $3, refunded_at = $4, event_seq = event_seq + $5,
       changed_at = $6
     WHERE id = $1 RETURNING ${paymentColumns}`,
    [
      payment.id,
      change.status,
      change.refundedCents,
      change.refundedAt,
      changes.length + (emitsOwnEvent ? 1 : 0),
      at,
    ],
  );
  const [changed] = rows;
  if (!changed) throw new Error(`payment ${payment.id} vanished`);
  const all: ChangeEvent[] = emitsOwnEvent
    ? [
        ...changes,
        {
          type: `payment.${changed.status}`,
          previousStatus: payment.status,
          data: paymentView(changed, null),
        },
      ]
    : [...changes];
  const ids: string[] = [];
  for (const [index, { type, previousStatus, data }] of all.entries()) {
    countStatus(type, changed.environment);
    const event = await insertEvent(transaction, {
      payment: changed,
      type,
      sequence: payment.eventSeq + index + 1,
      stateSeq: null,
      previousStatus,
      data: { ...data },
      at,
    });
    if (event.deliveries > 0) ids.push(event.id);
  }
  return { paymentStatus: changed.status, eventIds: ids };
}

/** The statuses of refunds and disputes that metrics count; other events report no status. */
const countedStatuses = [
  'created',
  'succeeded',
  'failed',
  'canceled',
  'underReview',
  'won',
  'lost',
  'withdrawn',
];

/** Counts the status that an event of a refund or dispute reports. */
function countStatus(type: string, environment: string): void {
  const [group, status = ''] = type.split('.');
  if (!countedStatuses.includes(status)) return;
  if (group === 'refund') refundsTotal.inc({ environment, status });
  if (group === 'dispute') disputesTotal.inc({ environment, status });
}

/**
 * What a change of a refund or dispute did to its payment. `eventIds`: the events that endpoints subscribe
 * to.
 */
export interface PaymentChange {
  paymentStatus: PaymentStatus;
  eventIds: string[];
}

/** A refund's or dispute's row after a change, with the result for its payment. */
export interface Written<Row> extends PaymentChange {
  row: Row;
}

/** Returns the result of a change that was written. */
export const written = <Row>(row: Row, change: PaymentChange): Written<Row> => ({ row, ...change });
/** Returns the result of a report that changed nothing. */
export const unchanged = <Row>(row: Row, { status }: LockedPayment): Written<Row> => ({
  row,
  paymentStatus: status,
  eventIds: [],
});
