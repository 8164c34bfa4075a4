import type { FastifyRequest } from 'fastify';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { pathId } from '../../http/request.ts';
import {
  type CheckoutObjectDeps,
  type CheckoutStateDeps,
  checkoutNow,
  checkoutObject,
  readCheckout,
} from '../../operations/payments/checkout-view.ts';
import { findCustomCheckout } from '../../operations/payments/make-attempt.ts';
import {
  type CaptureDeps,
  captureObject,
  prepareCapture,
} from '../../operations/payments/prepare-capture.ts';
import { principalOf } from '../http/admission.ts';
import { requireEmptyBody } from '../http/input.ts';
import type { CheckoutObject } from './checkout-schema.ts';

/** GET /v1/payments/{id}/checkout: 200 `{data: CheckoutObject}` without `capture`, also when closed. */
export const checkout =
  (deps: CheckoutStateDeps & CheckoutObjectDeps & { tenants: TenantReads }) =>
  async (request: FastifyRequest): Promise<{ data: CheckoutObject }> => {
    const id = pathId(request);
    const principal = principalOf(request);
    const record = await findCustomCheckout(deps.tenants, principal, id);
    const shown = await readCheckout(deps, record);
    return { data: await checkoutObject(deps, record, shown, principal.hostedForm) };
  };

/**
 * POST /v1/payments/{id}/capture: 200 `{data: CheckoutObject with capture}`; the same access each time, never
 * a charge.
 * Refuses: invalid_request, not_found, payment_in_progress, action_required, result_pending,
 * checkout_expired, attempts_exhausted, service_unavailable.
 */
export const capture =
  (deps: CaptureDeps & { tenants: TenantReads }) =>
  async (request: FastifyRequest): Promise<{ data: CheckoutObject }> => {
    const id = pathId(request);
    const principal = principalOf(request);
    requireEmptyBody(request);
    const record = await findCustomCheckout(deps.tenants, principal, id);
    const prepared = await prepareCapture(deps, record);
    const shown = checkoutNow(record, deps.now());
    return {
      data: {
        ...(await checkoutObject(deps, record, shown, principal.hostedForm)),
        capture: captureObject(record, prepared),
      },
    };
  };
