import type { FastifyRequest } from 'fastify';
import { findDispute } from '../../db/disputes/dispute-reads.ts';
import { disputeView } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { pathId } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';

/** GET /v1/disputes/{id}: 200 `{data: Dispute}` from stored state. Refuses: not_found (404). */
export const retrieve = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const principal = principalOf(request);
  const id = pathId(request);
  const dispute = await deps.tenants.read(principal, (database) => findDispute(database, principal, id));
  if (!dispute) throw new Refusal('not_found');
  return { data: disputeView(dispute) };
};
