import type { FastifyRequest } from 'fastify';
import { loadCaptureAccess } from '../../db/capture-access.ts';
import { Refusal } from '../../domain/refusals.ts';
import { captureObject, checkoutObject, readCheckout } from './checkout-view.ts';
import type { ApiDeps } from '../deps.ts';
import { parseEmptyBody } from '../http/empty-body.ts';
import { askWorkflow, customPayment, refuseWhenSettled } from './payment-reads.ts';
import { bodyBytes, pathId, principalOf } from '../http/request.ts';

/**
 * POST /v1/payments/{id}/capture: 200 `{data: CheckoutObject with capture}`; the same access each time, never a charge.
 * Refuses: invalid_request, not_found, payment_in_progress, action_required, result_pending, checkout_expired,
 * attempts_exhausted, service_unavailable.
 */
export const capture = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const principal = principalOf(request);
  const parsed = parseEmptyBody(bodyBytes(request));
  if (!parsed.ok) throw new Refusal('invalid_request', { field: parsed.field, message: parsed.message });
  const payment = await customPayment(deps.tenants, principal, id);
  const command = { type: 'prepareCapture' } as const;
  refuseWhenSettled(payment, command, deps.now());
  await askWorkflow(deps, payment, command, () => deps.workflows.prepareCapture(payment, request.id));
  const access = captureObject(deps, payment, await loadCaptureAccess(deps.database, id));
  // Ended between the workflow's word and this read.
  if (!access) throw new Refusal('checkout_expired');
  const checkout = await readCheckout(deps, payment);
  return {
    data: { ...(await checkoutObject(deps, payment, checkout, principal.hostedForm)), capture: access },
  };
};
