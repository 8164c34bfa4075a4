import type { Tenant } from '../../db/payments/payments.ts';
import { cancelRefund as cancel } from '../../db/refunds/refunds.ts';
import { type Database, inTransaction } from '../../db/server/database.ts';
import type { Actor } from '../../domain/audit.ts';
import { type RefundView, refundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { RefundWorkflows } from '../../temporal/clients/refunds.ts';

export interface CancelRefundDeps {
  database: Database;
  refunds: Pick<RefundWorkflows, 'notify'>;
  /** Epoch ms. */
  now: () => number;
}

/**
 * Cancels a tenant's refund and returns it, even if it is canceled already. The rows decide, so that the
 * workflow cannot overtake it. Refuses: not_found, refund_not_cancelable.
 */
export async function cancelRefund(
  deps: CancelRefundDeps,
  tenant: Tenant,
  id: string,
  actor: Actor,
): Promise<RefundView> {
  const by = { actor, at: new Date(deps.now()) };
  const canceled = await inTransaction(deps.database, (transaction) => cancel(transaction, tenant, id, by));
  if (!canceled) throw new Refusal('not_found');
  if (canceled.eventIds.length > 0) {
    // This only sends the webhooks and ends the workflow sooner.
    await deps.refunds
      .notify(canceled.row, { submitNow: true, eventIds: canceled.eventIds })
      .catch(() => undefined);
  }
  return refundView(canceled.row);
}
