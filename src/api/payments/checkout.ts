import type { FastifyRequest } from 'fastify';
import { checkoutObject, readCheckout } from './checkout-view.ts';
import type { ApiDeps } from '../deps.ts';
import { findCustomPayment } from './payment-reads.ts';
import { pathId, principalOf } from '../http/request.ts';

/** GET /v1/payments/{id}/checkout: 200 `{data: CheckoutObject}` without `capture`, also when closed. */
export const checkout = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const principal = principalOf(request);
  const payment = await findCustomPayment(deps.tenants, principal, id);
  return {
    data: await checkoutObject(deps, payment, await readCheckout(deps, payment), principal.hostedForm),
  };
};
