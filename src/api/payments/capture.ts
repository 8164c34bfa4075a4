import type { FastifyRequest } from 'fastify';
import { loadCaptureAccess } from '../../db/capture-access.ts';
import { Refusal } from '../../domain/refusals.ts';
import { captureObject, checkoutObject, readCheckout } from './checkout-view.ts';
import type { ApiDeps } from '../deps.ts';
import { parseEmptyBody } from '../http/empty-body.ts';
import { updateWorkflow, findCustomPayment, refuseWhenFinal } from './payment-reads.ts';
import { bodyBytes, pathId, principalOf } from '../http/request.ts';
import { orRefuse } from '../http/input-failure.ts';

/**
 * POST /v1/payments/{id}/capture: 200 `{data: CheckoutObject with capture}`; the same access each time, never
 * a charge.
 * Refuses: invalid_request, not_found, payment_in_progress, action_required, result_pending,
 * checkout_expired, attempts_exhausted, service_unavailable.
 */
export const capture = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const principal = principalOf(request);
  orRefuse(parseEmptyBody(bodyBytes(request)), 'invalid_request');
  const payment = await findCustomPayment(deps.tenants, principal, id);
  const command = { type: 'prepareCapture' } as const;
  refuseWhenFinal(payment, command, deps.now());
  await updateWorkflow(deps, payment, command, () => deps.workflows.prepareCapture(payment, request.id));
  const access = captureObject(deps, payment, await loadCaptureAccess(deps.database, id));
  // Ended between the workflow's word and this read.
  if (!access) throw new Refusal('checkout_expired');
  const checkout = await readCheckout(deps, payment);
  return {
    data: { ...(await checkoutObject(deps, payment, checkout, principal.hostedForm)), capture: access },
  };
};
