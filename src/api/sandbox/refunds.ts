import { findRefund } from '../../db/refunds/refund-reads.ts';
import { isAllowedRefundChange, refundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { SandboxRefundBody } from './bodies.ts';
import { follow, sandboxPayment, sandboxRoute } from './sandbox-route.ts';

/**
 * POST /v1/sandbox/refunds/{id}/outcome: 200 `{data: Refund}`. A refund that may still be canceled is
 * submitted first.
 * Refuses: not_found, sandbox_not_applicable for a refund that is over.
 */
export const refundOutcome = (deps: ApiDeps) =>
  sandboxRoute(deps, {
    operation: 'refund_outcome',
    schema: SandboxRefundBody,
    check: async (transaction, { principal, id, body }) => {
      const refund = await findRefund(transaction, principal, id);
      if (!refund) throw new Refusal('not_found');
      await sandboxPayment(transaction, principal, refund.paymentId);
      if (refund.status !== body.outcome && !isAllowedRefundChange(refund.status, body.outcome)) {
        throw new Refusal('sandbox_not_applicable');
      }
    },
    work: async ({ principal, id, body }, operationId) => {
      const refund = await findRefund(deps.database, principal, id);
      if (!refund) throw new Refusal('not_found');
      const news = { submitNow: true, eventIds: [] };
      await deps.refunds.notify(refund, news);
      const { status } = await deps.sandbox.run(operationId, {
        merchantId: principal.merchantId,
        type: 'refundOutcome',
        refundId: id,
        outcome: body.outcome,
        failureCode: body.failureCode ?? null,
      });
      if (status === 'refused') throw new Refusal('sandbox_not_applicable');
      await deps.refunds.notify(refund, news);
      const settled = await follow(
        () => findRefund(deps.database, principal, id),
        (found) => found?.status === body.outcome,
        deps.now,
      );
      return refundView(settled ?? refund);
    },
  });
