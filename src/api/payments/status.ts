import type { FastifyRequest } from 'fastify';
import { readCheckout, statusObject } from './checkout-view.ts';
import type { ApiDeps } from '../deps.ts';
import { findCustomPayment } from './payment-reads.ts';
import { pathId, principalOf } from '../http/request.ts';

/** GET /v1/payments/{id}/status: 200 `{data: StatusObject}`, the durable checkout state. */
export const status = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const payment = await findCustomPayment(deps.tenants, principalOf(request), id);
  return { data: await statusObject(deps, payment, await readCheckout(deps, payment)) };
};
