import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusals.ts';
import { actOnAction } from '../../operations/payments/act-on-action.ts';
import { attemptResult } from '../../operations/payments/attempt-result.ts';
import type { ApiDeps } from '../deps.ts';
import { parseConfirm } from './confirm-body.ts';
import { findCustomCheckout, updateWorkflow } from '../../operations/payments/payment-reads.ts';
import { jsonBody, orRefuse } from '../http/input.ts';
import { pathId } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';

/**
 * POST /v1/payments/{id}/confirm: 200 `{data: AttemptResult}`; `requiresAction` again while the customer has
 * not completed the step. Only for merchants approved for custom action handling, 404 otherwise (AMB-34).
 * Refuses: invalid_request, not_found, confirmation_not_required, confirmation_in_progress, result_pending,
 * checkout_expired, attempts_exhausted, service_unavailable.
 */
export const confirm = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const principal = principalOf(request);
  orRefuse(parseConfirm(jsonBody(request)), 'invalid_request');
  const checkout = await findCustomCheckout(deps.tenants, principal, id);
  if (!principal.customActions) throw new Refusal('not_found');
  const command = { type: 'confirm' } as const;
  try {
    const result = await updateWorkflow(deps, checkout, command, () =>
      actOnAction(deps, id, () => deps.workflows.confirm(checkout, request.id)),
    );
    return { data: await attemptResult(deps, id, result) };
  } catch (error) {
    // The step was open when this call came. Its confirmation may have ended the workflow before the answer
    // was out: asked again, a payment that is paid has nothing to confirm.
    const isOver = error instanceof Refusal && error.code === 'confirmation_not_required';
    if (!isOver || checkout.status !== 'requiresAction') throw error;
    const { status } = await findCustomCheckout(deps.tenants, principal, id);
    if (status !== 'paid') throw error;
    return { data: await attemptResult(deps, id, { status: 'paid' }) };
  }
};
