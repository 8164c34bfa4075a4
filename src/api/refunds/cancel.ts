import type { FastifyRequest } from 'fastify';
import { inTransaction } from '../../db/database.ts';
import { cancelRefund } from '../../db/refunds.ts';
import { refundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { parseEmptyBody } from '../http/empty-body.ts';
import { bodyBytes, pathId, principalOf } from '../http/request.ts';
import { orRefuse } from '../http/input-failure.ts';

/**
 * POST /v1/refunds/{id}/cancel: 200 `{data: Refund}`, also for one that is canceled already. Decided in the
 * rows, so that it holds whatever the workflow is doing. Refuses: not_found (404), refund_not_cancelable
 * (409).
 */
export const cancel = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  orRefuse(parseEmptyBody(bodyBytes(request)), 'invalid_request');
  const canceled = await inTransaction(deps.database, (transaction) =>
    cancelRefund(transaction, principalOf(request), id, new Date(deps.now())),
  );
  if (!canceled) throw new Refusal('not_found');
  if (canceled.eventIds.length > 0) {
    // Only hurries the webhooks and ends the workflow sooner.
    await deps.refunds
      .notify(canceled.row, { submitNow: true, eventIds: canceled.eventIds })
      .catch(() => undefined);
  }
  return { data: refundView(canceled.row) };
};
