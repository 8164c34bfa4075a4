import { randomBase62 } from '../crypto/secrets.ts';
import type { PaymentRecord, PaymentView } from '../domain/payment.ts';
import type { Queryable } from './database.ts';

/** Adds an event to the log, in the transaction of the change it tells of. Answers its id, `evt_…`. */
export async function insertEvent(
  transaction: Queryable,
  event: {
    payment: Pick<PaymentRecord, 'id' | 'merchantId' | 'environment'>;
    type: string;
    /** Rises by one per payment. */
    sequence: number;
    /** The workflow transition that made it, so that a repeated commit finds it again; null for other sources. */
    stateSeq: number | null;
    previousStatus: string | null;
    data: PaymentView | Record<string, unknown>;
    at: Date;
  },
): Promise<string> {
  const id = `evt_${randomBase62(24)}`;
  await transaction.query(
    `INSERT INTO events (id, merchant_id, environment, payment_id, sequence, state_seq, type, previous_status, data,
       created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      id,
      event.payment.merchantId,
      event.payment.environment,
      event.payment.id,
      event.sequence,
      event.stateSeq,
      event.type,
      event.previousStatus,
      JSON.stringify(event.data),
      event.at,
    ],
  );
  return id;
}

/** The events of a payment in order, without their data. */
export async function listPaymentEvents(
  database: Queryable,
  paymentId: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await database.query<Record<string, unknown>>(
    `SELECT id, type, sequence, previous_status AS "previousStatus", created_at AS "createdAt"
     FROM events WHERE payment_id = $1 ORDER BY sequence`,
    [paymentId],
  );
  return rows;
}
