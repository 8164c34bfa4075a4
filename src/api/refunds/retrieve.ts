import type { FastifyRequest } from 'fastify';
import { findRefund } from '../../db/refunds/refund-reads.ts';
import { refundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { pathId } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';

/** GET /v1/refunds/{id}: 200 `{data: Refund}` from stored state. Refuses: not_found (404). */
export const retrieve = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const principal = principalOf(request);
  const id = pathId(request);
  const refund = await deps.tenants.read(principal, (database) => findRefund(database, principal, id));
  if (!refund) throw new Refusal('not_found');
  return { data: refundView(refund) };
};
