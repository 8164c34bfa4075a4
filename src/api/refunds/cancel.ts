import type { FastifyRequest } from 'fastify';
import { inTransaction } from '../../db/server/database.ts';
import { cancelRefund } from '../../db/refunds/refunds.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Actor } from '../../domain/audit.ts';
import { type RefundView, refundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { noBody } from '../http/input.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { pathId } from '../../http/request.ts';

/**
 * POST /v1/refunds/{id}/cancel: 200 `{data: Refund}`, also for one that is canceled already. Decided in the
 * rows, so that it holds whatever the workflow is doing. Refuses: not_found (404), refund_not_cancelable
 * (409).
 */
export const cancel = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  noBody(request);
  return { data: await cancelOwnRefund(deps, principalOf(request), id, actorOf(request)) };
};

/** Cancels a tenant's refund, for the API and the dashboard. Refuses as the route does. */
export async function cancelOwnRefund(
  deps: Pick<ApiDeps, 'database' | 'now' | 'refunds'>,
  tenant: Tenant,
  id: string,
  actor: Actor,
): Promise<RefundView> {
  const by = { actor, at: new Date(deps.now()) };
  const canceled = await inTransaction(deps.database, (transaction) =>
    cancelRefund(transaction, tenant, id, by),
  );
  if (!canceled) throw new Refusal('not_found');
  if (canceled.eventIds.length > 0) {
    // Only hurries the webhooks and ends the workflow sooner.
    await deps.refunds
      .notify(canceled.row, { submitNow: true, eventIds: canceled.eventIds })
      .catch(() => undefined);
  }
  return refundView(canceled.row);
}
