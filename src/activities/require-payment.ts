import { ApplicationFailure } from '@temporalio/activity';
import type { Database } from '../db/server/database.ts';
import { loadPayment } from '../db/payments/payments.ts';
import type { PaymentRecord } from '../domain/payment.ts';

/** Returns the payment. Throws a failure that is not retried when there is none. */
export async function requirePayment(database: Database, id: string): Promise<PaymentRecord> {
  const record = await loadPayment(database, id);
  if (!record) {
    throw ApplicationFailure.nonRetryable(`payment ${id} does not exist`, 'service_unavailable');
  }
  return record;
}
