import type { Logger } from 'pino';
import type { Written } from '../../db/payments/payment-changes.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import { findRefund } from '../../db/refunds/refund-reads.ts';
import { insertRefund } from '../../db/refunds/refunds.ts';
import type { Actor } from '../../domain/audit.ts';
import type { RefundReason, RefundRecord } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { RefundWorkflows } from '../../temporal/clients/refunds.ts';
import { type IdempotencyDeps, bodyHash, runIdempotent } from '../idempotency.ts';

/** A refund to make. Amounts in integer US cents. */
export interface CreateRefundCommand {
  /** Null: the whole remaining amount. */
  amountCents: number | null;
  reason: RefundReason | null;
  reference: string | null;
  metadata: Record<string, unknown>;
}

export interface CreateRefundDeps extends IdempotencyDeps {
  refunds: Pick<RefundWorkflows, 'start'>;
  logger: Pick<Logger, 'warn'>;
  /** How long a new refund waits before it is submitted, and may be canceled. */
  refundDelaySeconds: number;
}

/**
 * Reserves a refund and claims its key in one transaction, then starts its workflow, once per key. With
 * `replayed`, an earlier request made it. `body` is hashed for the key, with the payment. Refuses: not_found,
 * payment_not_refundable, validation_failed, cap_reached, idempotency_key_reused, idempotency_in_progress,
 * service_unavailable. Throws ApprovalNeeded and ConfirmationNeeded.
 */
export async function createRefund(
  deps: CreateRefundDeps,
  tenant: Tenant,
  request: {
    paymentId: string;
    key: string;
    body: unknown;
    command: CreateRefundCommand;
    /** The approval that a second member gave. */
    approvalId?: string;
    /** The daily sum from which a member must confirm their identity first; absent: never. */
    confirmFromCents?: number;
  },
  actor: Actor,
): Promise<{ refund: RefundRecord; replayed: boolean }> {
  const { merchantId, environment } = tenant;
  const { paymentId, key, body, command, approvalId, confirmFromCents } = request;
  const hash = bodyHash({ paymentId, body });
  const claim = { merchantId, environment, operation: 'create_refund', key, bodyHash: hash };
  const { result, replayed } = await runIdempotent<Written<RefundRecord>, RefundRecord>(deps, claim, {
    create: (transaction, id, now) => {
      const submitAfter = new Date(now.getTime() + deps.refundDelaySeconds * 1000);
      const ofMember = {
        ...(approvalId === undefined ? {} : { approvalId }),
        ...(confirmFromCents === undefined ? {} : { confirmFromCents }),
      };
      const refund = { id, paymentId, ...command, ...ofMember, createdAt: now, submitAfter };
      return insertRefund(transaction, tenant, refund, actor);
    },
    work: async (id, reserved) => {
      const refund = reserved?.row ?? (await ownRefund(deps, tenant, id));
      // The refund exists from here on. If its start fails, the sweep starts it, and the response is still
      // 201.
      await deps.refunds
        .start(refund, reserved?.eventIds ?? [])
        .catch(() =>
          deps.logger.warn({ refundId: id }, 'refund workflow not started; the sweep will start it'),
        );
      return refund;
    },
    load: (id) => ownRefund(deps, tenant, id),
  });
  return { refund: result, replayed };
}

async function ownRefund(deps: CreateRefundDeps, tenant: Tenant, id: string): Promise<RefundRecord> {
  const refund = await findRefund(deps.database, tenant, id);
  if (!refund) throw new Refusal('service_unavailable');
  return refund;
}
