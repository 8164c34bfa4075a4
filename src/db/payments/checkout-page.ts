import type { LineItem } from '../../domain/payment.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import type { Queryable } from '../server/database.ts';

/** The facts that the customer's page shows in addition to the payment. */
export interface PageFacts {
  merchantName: string;
  attempt: {
    attemptNo: number;
    status: string;
    method: PaymentMethod;
    failureCode: string | null;
    cardBrand: string | null;
    cardLast4: string | null;
    /** In ms since the epoch; null while the attempt is open. */
    resolvedAtMs: number | null;
  } | null;
}

/** Returns the merchant's name and the latest attempt, in one read. */
export async function loadPageFacts(
  database: Queryable,
  payment: { id: string; merchantId: string },
): Promise<PageFacts> {
  const { rows } = await database.query<PageFacts>(
    `SELECT m.name AS "merchantName", (
       SELECT json_build_object('attemptNo', a.attempt_no, 'status', a.status, 'method', a.method,
         'failureCode', a.failure_code, 'cardBrand', a.card_brand, 'cardLast4', a.card_last4,
         'resolvedAtMs', floor(extract(epoch FROM a.resolved_at) * 1000))
       FROM attempts a WHERE a.payment_id = $2 ORDER BY a.attempt_no DESC LIMIT 1) AS attempt
     FROM merchants m WHERE m.id = $1`,
    [payment.merchantId, payment.id],
  );
  return rows[0] ?? { merchantName: '', attempt: null };
}

/** Returns the description and the items of a payment, as the merchant sent them. */
export async function loadPurchase(
  database: Queryable,
  paymentId: string,
): Promise<{ description: string | null; lineItems: LineItem[] | null }> {
  const { rows } = await database.query<{ description: string | null; lineItems: LineItem[] | null }>(
    'SELECT description, line_items AS "lineItems" FROM payments WHERE id = $1',
    [paymentId],
  );
  return rows[0] ?? { description: null, lineItems: null };
}

/**
 * Records that a browser opened the payment's page, by PostgreSQL's clock. Only the first call writes. A
 * payment that is being changed is skipped, so that the page never waits for it; the page's script calls
 * again.
 */
export async function recordCheckoutOpened(database: Queryable, paymentId: string): Promise<void> {
  await database.query(
    `UPDATE payments SET checkout_opened_at = date_trunc('milliseconds', now()) WHERE id = (
       SELECT id FROM payments WHERE id = $1 AND checkout_opened_at IS NULL FOR UPDATE SKIP LOCKED)`,
    [paymentId],
  );
}

/** Returns whether the payment has a later attempt, so that the link of this attempt is stale. */
export async function hasLaterAttempt(
  database: Queryable,
  attempt: { paymentId: string; attemptNo: number },
): Promise<boolean> {
  const { rowCount } = await database.query(
    'SELECT 1 FROM attempts WHERE payment_id = $1 AND attempt_no > $2',
    [attempt.paymentId, attempt.attemptNo],
  );
  return rowCount !== 0;
}
