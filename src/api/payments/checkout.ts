import type { FastifyRequest } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { pathId } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { checkoutObject, readCheckout } from '../../operations/payments/checkout-view.ts';
import { findCustomCheckout } from '../../operations/payments/payment-reads.ts';

/** GET /v1/payments/{id}/checkout: 200 `{data: CheckoutObject}` without `capture`, also when closed. */
export const checkout = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const principal = principalOf(request);
  const record = await findCustomCheckout(deps.tenants, principal, id);
  const shown = await readCheckout(deps, record);
  return { data: await checkoutObject(deps, record, shown, principal.hostedForm) };
};
