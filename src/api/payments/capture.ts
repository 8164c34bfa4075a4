import type { FastifyRequest } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { noBody } from '../http/input.ts';
import { pathId } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { captureObject, checkoutNow, checkoutObject } from '../../operations/payments/checkout-view.ts';
import { findCustomCheckout } from '../../operations/payments/payment-reads.ts';
import { prepareCapture } from '../../operations/payments/prepare-capture.ts';

/**
 * POST /v1/payments/{id}/capture: 200 `{data: CheckoutObject with capture}`; the same access each time, never
 * a charge.
 * Refuses: invalid_request, not_found, payment_in_progress, action_required, result_pending,
 * checkout_expired, attempts_exhausted, service_unavailable.
 */
export const capture = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const principal = principalOf(request);
  noBody(request);
  const checkout = await findCustomCheckout(deps.tenants, principal, id);
  const prepared = await prepareCapture(deps, checkout);
  const shown = checkoutNow(checkout, deps.now());
  return {
    data: {
      ...(await checkoutObject(deps, checkout, shown, principal.hostedForm)),
      capture: captureObject(checkout, prepared),
    },
  };
};
