import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusals.ts';
import { attemptResult } from './attempt-result.ts';
import type { ApiDeps } from '../deps.ts';
import { parseConfirm } from './confirm-body.ts';
import { askWorkflow, customPayment, refuseWhenSettled } from './payment-reads.ts';
import { jsonBody, pathId, principalOf } from '../http/request.ts';

/**
 * POST /v1/payments/{id}/confirm: 200 `{data: AttemptResult}`; `requiresAction` again while the customer has not
 * completed the step. Only for merchants approved for custom action handling, 404 otherwise (AMB-34).
 * Refuses: invalid_request, not_found, confirmation_not_required, confirmation_in_progress, result_pending,
 * checkout_expired, attempts_exhausted, service_unavailable.
 */
export const confirm = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const principal = principalOf(request);
  const parsed = parseConfirm(jsonBody(request));
  if (!parsed.ok) throw new Refusal('invalid_request', { field: parsed.field, message: parsed.message });
  const payment = await customPayment(deps.tenants, principal, id);
  if (!principal.customActions) throw new Refusal('not_found');
  const command = { type: 'confirm' } as const;
  refuseWhenSettled(payment, command, deps.now());
  const result = await askWorkflow(deps, payment, command, () => deps.workflows.confirm(payment, request.id));
  return { data: await attemptResult(deps, payment, result) };
};
