import type { By } from '../../domain/audit.ts';
import type { MailProblem } from '../../domain/mail.ts';
import type { Tenant } from '../payments/payments.ts';
import { recordChange } from '../server/audit.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';

/** The receipt of a payment, as the payment's page shows it. */
export interface ReceiptMail {
  status: 'waiting' | 'sent' | 'aside';
  endedAt: Date | null;
  problem: MailProblem | null;
  replyCode: number | null;
}

/** Returns the newest receipt of a payment; null if none was written. */
export async function findReceiptMail(database: Queryable, paymentId: string): Promise<ReceiptMail | null> {
  const { rows } = await database.query<ReceiptMail>(
    `SELECT status, ended_at AS "endedAt", problem, reply_code AS "replyCode" FROM mails
     WHERE payment_id = $1 AND kind = 'receipt' ORDER BY created_at DESC LIMIT 1`,
    [paymentId],
  );
  return rows[0] ?? null;
}

/** A request to mail a payment's receipt again. */
export interface ReceiptRequest {
  paymentId: string;
  /** The token of the submitted form, which makes a repeated submission harmless. */
  formKey: string;
}

const causeOf = ({ paymentId, formKey }: ReceiptRequest): string => `${paymentId} ${formKey}`;

/** Returns whether this form was submitted before; it then adds no second receipt. */
export async function isReceiptQueued(
  database: Queryable,
  { merchantId, environment }: Tenant,
  request: ReceiptRequest,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `SELECT FROM mails WHERE merchant_id = $1 AND environment = $2 AND kind = 'receipt' AND cause = $3`,
    [merchantId, environment, causeOf(request)],
  );
  return rowCount === 1;
}

/**
 * Adds another receipt of a paid payment to the outbox, once per form, with its entry in the audit log. If it
 * adds none, returns the reason: the last one is still waiting (`waiting`), or the payment is not paid, its
 * customer has no address or the merchant no mail server (`impossible`).
 */
export async function queueReceipt(
  database: Database,
  tenant: Tenant,
  request: ReceiptRequest,
  by: By,
): Promise<'queued' | 'waiting' | 'impossible'> {
  const { merchantId, environment } = tenant;
  const { paymentId } = request;
  return inTransaction(database, async (transaction) => {
    // Two members may submit the form at the same time.
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `receipt ${paymentId}`,
    ]);
    if (await isReceiptQueued(transaction, tenant, request)) return 'queued';
    if ((await findReceiptMail(transaction, paymentId))?.status === 'waiting') return 'waiting';
    const { rowCount } = await transaction.query(
      `INSERT INTO mails (id, merchant_id, environment, kind, cause, payment_id)
       SELECT gen_random_uuid(), p.merchant_id, p.environment, 'receipt', $4, p.id
       FROM payments p JOIN mail_settings s ON s.merchant_id = p.merchant_id AND s.environment = p.environment
       WHERE p.id = $3 AND p.merchant_id = $1 AND p.environment = $2
         AND p.paid_at IS NOT NULL AND p.customer_email IS NOT NULL`,
      [merchantId, environment, paymentId, causeOf(request)],
    );
    if (rowCount !== 1) return 'impossible';
    const subject = { type: 'payment', id: paymentId };
    const action = 'receipt.resent';
    await recordChange(transaction, {
      ...by,
      merchantId,
      environment,
      action,
      subject,
      before: null,
      after: null,
    });
    return 'queued';
  });
}
