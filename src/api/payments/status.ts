import type { FastifyRequest } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { pathId, principalOf } from '../http/request.ts';
import { readCheckout, statusObject } from './checkout-view.ts';
import { findCustomCheckout } from './payment-reads.ts';

/** GET /v1/payments/{id}/status: 200 `{data: StatusObject}`, the durable checkout state. */
export const status = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const checkout = await findCustomCheckout(deps.tenants, principalOf(request), id);
  return { data: await statusObject(deps, checkout, await readCheckout(deps, checkout)) };
};
