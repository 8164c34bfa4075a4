import { uuidv7 } from 'uuidv7';
import type { By } from '../../domain/audit.ts';
import type { Member } from '../../domain/members.ts';
import type { RefundReason } from '../../domain/refund.ts';
import { recordChange } from '../server/audit.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/** A refund that waits for a second member. */
export interface RefundApproval {
  id: string;
  paymentId: string;
  askedBy: string;
  askedByName: string;
  amountCents: number;
  reason: RefundReason | null;
  reference: string | null;
  createdAt: Date;
  expiresAt: Date;
}

const columns = `id, payment_id AS "paymentId", asked_by AS "askedBy", asked_by_name AS "askedByName",
  amount_cents AS "amountCents", reason, reference, created_at AS "createdAt", expires_at AS "expiresAt"`;

/** The maximum number of approvals that a list returns. */
const maxListed = 20;

/** Thrown for a refund that a second member has to approve first. ADR 0057. */
export class ApprovalNeeded extends Error {}

/** Thrown for a refund that requires the member to confirm their identity first. */
export class ConfirmationNeeded extends Error {}

/** Returns the sum of a member's refunds of the last 24 hours without an approval, in integer US cents. */
export async function refundedByMember(
  database: Queryable,
  { merchantId, environment }: Tenant,
  memberId: string,
): Promise<number> {
  const { rows } = await database.query<{ cents: number }>(
    `SELECT coalesce(sum(amount_cents), 0)::float8 AS cents FROM refunds
     WHERE merchant_id = $1 AND environment = $2 AND created_at > clock_timestamp() - interval '24 hours'
       AND member_id = $3 AND approval_id IS NULL AND status IN ('pending', 'succeeded')`,
    [merchantId, environment, memberId],
  );
  return rows[0]?.cents ?? 0;
}

/**
 * Checks that a member may make a refund in the dashboard without another member. It adds the member's
 * refunds of the last 24 hours without an approval. From `confirmFromCents` on (integer US cents; null:
 * never) it throws ConfirmationNeeded, and from the merchant's limit on ApprovalNeeded. Locks the member's
 * refunds until the commit, so that concurrent partial refunds are counted one after another.
 */
export async function requireMemberMayRefund(
  transaction: Queryable,
  tenant: Tenant,
  memberId: string,
  { amountCents, confirmFromCents }: { amountCents: number; confirmFromCents: number | null },
): Promise<void> {
  const limits = await transaction.query<{ approvalCents: number | null }>(
    `SELECT refund_approval_cents::float8 AS "approvalCents" FROM merchant_settings
     WHERE merchant_id = $1 AND environment = $2`,
    [tenant.merchantId, tenant.environment],
  );
  const approvalCents = limits.rows[0]?.approvalCents ?? null;
  if (approvalCents === null && confirmFromCents === null) return;
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `refunds of ${memberId}`,
  ]);
  const sum = (await refundedByMember(transaction, tenant, memberId)) + amountCents;
  if (confirmFromCents !== null && sum >= confirmFromCents)
    throw new ConfirmationNeeded(`member ${memberId} must confirm their identity first`);
  if (approvalCents !== null && sum >= approvalCents)
    throw new ApprovalNeeded(`a refund of member ${memberId} needs the approval of a second member`);
}

/** Requests an approval, once for each form. It can be given within 24 hours. */
export async function askApproval(
  database: Database,
  tenant: Tenant,
  member: Member,
  refund: Pick<RefundApproval, 'paymentId' | 'amountCents' | 'reason' | 'reference'> & { formKey: string },
  by: By,
): Promise<void> {
  const { merchantId, environment } = tenant;
  const { paymentId, amountCents, reason, reference, formKey } = refund;
  await inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ id: string }>(
      `INSERT INTO refund_approvals (id, merchant_id, environment, payment_id, asked_by, asked_by_name, amount_cents,
         reason, reference, form_key, created_at, expires_at)
       SELECT $1, merchant_id, environment, id, $4, $5, $6, $7, $8, $9, $10::timestamptz, $10::timestamptz + interval '24 hours'
       FROM payments WHERE id = $11 AND merchant_id = $2 AND environment = $3
       ON CONFLICT (payment_id, form_key) DO NOTHING RETURNING id`,
      [
        uuidv7(),
        merchantId,
        environment,
        member.id,
        member.name,
        amountCents,
        reason,
        reference,
        formKey,
        by.at,
        paymentId,
      ],
    );
    const [asked] = rows;
    if (!asked) return;
    await record(transaction, tenant, { action: 'refund.approvalAsked', id: asked.id }, by, {
      paymentId,
      amountCents,
    });
  });
}

/** Returns the open approvals of a payment, oldest first. */
export async function openApprovals(
  database: Queryable,
  paymentId: string,
  now: Date,
): Promise<RefundApproval[]> {
  const { rows } = await database.query<RefundApproval>(
    `SELECT ${columns} FROM refund_approvals
     WHERE payment_id = $1 AND approved_at IS NULL AND expires_at > $2
     ORDER BY created_at LIMIT ${maxListed}`,
    [paymentId, now],
  );
  return rows;
}

/**
 * Returns an approval that a member may give, or the reason why not: `own` (the member requested it) or
 * `expired`, both of which the audit log records, or `unknown` (also if it was already given).
 */
export async function approvalFor(
  database: Database,
  tenant: Tenant,
  { id, paymentId, memberId }: { id: string; paymentId: string; memberId: string },
  by: By,
): Promise<RefundApproval | 'own' | 'expired' | 'unknown'> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<RefundApproval>(
      `SELECT ${columns} FROM refund_approvals WHERE id = $1 AND payment_id = $2 AND merchant_id = $3
         AND environment = $4 AND approved_at IS NULL`,
      [id, paymentId, tenant.merchantId, tenant.environment],
    );
    const [approval] = rows;
    if (!approval) return 'unknown';
    const why = approval.askedBy === memberId ? 'own' : approval.expiresAt <= by.at ? 'expired' : null;
    if (why === null) return approval;
    await record(transaction, tenant, { action: 'refund.approvalRefused', id }, by, { paymentId, why });
    return why;
  });
}

/** Records that an approval was given and its refund made. */
export async function recordApproved(
  database: Database,
  tenant: Tenant,
  { id, memberId, refundId }: { id: string; memberId: string; refundId: string },
  by: By,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      'UPDATE refund_approvals SET approved_by = $2, approved_at = $3 WHERE id = $1 AND approved_at IS NULL',
      [id, memberId, by.at],
    );
    if (rowCount === 1)
      await record(transaction, tenant, { action: 'refund.approved', id }, by, { refundId });
  });
}

const record = (
  transaction: Queryable,
  { merchantId, environment }: Tenant,
  { action, id }: { action: string; id: string },
  by: By,
  after: Record<string, unknown>,
): Promise<void> =>
  recordChange(transaction, {
    ...by,
    merchantId,
    environment,
    action,
    subject: { type: 'refundApproval', id },
    before: null,
    after,
  });
