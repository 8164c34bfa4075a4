import { findRefund } from '../../db/refunds/refund-reads.ts';
import { type RefundView, isAllowedRefundChange, refundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { RefundWorkflows } from '../../temporal/clients/refunds.ts';
import {
  type SandboxCall,
  type SandboxDeps,
  pollUntil,
  runSandboxOperation,
  sandboxPayment,
} from './operation.ts';

/** The outcome of a refund. */
export interface RefundOutcomeCommand {
  outcome: 'succeeded' | 'failed';
  failureCode?: string | undefined;
}

/**
 * Decides a refund at the network. A refund that may still be canceled is submitted first. Refuses:
 * not_found, sandbox_not_applicable for a refund that is over.
 */
export function decideRefund(
  deps: SandboxDeps & { refunds: Pick<RefundWorkflows, 'notify'> },
  call: SandboxCall,
  command: RefundOutcomeCommand,
): Promise<{ result: RefundView; replayed: boolean }> {
  const { tenant, id } = call;
  return runSandboxOperation(deps, call, {
    operation: 'refund_outcome',
    check: async (transaction) => {
      const refund = await findRefund(transaction, tenant, id);
      if (!refund) throw new Refusal('not_found');
      await sandboxPayment(transaction, tenant, refund.paymentId);
      if (refund.status !== command.outcome && !isAllowedRefundChange(refund.status, command.outcome)) {
        throw new Refusal('sandbox_not_applicable');
      }
    },
    work: async (operationId) => {
      const refund = await findRefund(deps.database, tenant, id);
      if (!refund) throw new Refusal('not_found');
      const hint = { submitNow: true, eventIds: [] };
      await deps.refunds.notify(refund, hint);
      const { status } = await deps.sandbox.run(operationId, {
        merchantId: tenant.merchantId,
        type: 'refundOutcome',
        refundId: id,
        outcome: command.outcome,
        failureCode: command.failureCode ?? null,
      });
      if (status === 'refused') throw new Refusal('sandbox_not_applicable');
      await deps.refunds.notify(refund, hint);
      const decided = await pollUntil(
        () => findRefund(deps.database, tenant, id),
        (found) => found?.status === command.outcome,
        deps.now,
      );
      return refundView(decided ?? refund);
    },
  });
}
