import type { FastifyRequest } from 'fastify';
import { pathId } from '../../http/request.ts';
import { confirmStep } from '../../operations/payments/open-step.ts';
import { principalOf } from '../http/admission.ts';
import { emptyObject } from '../http/fields.ts';
import { type InputFailure, firstFault, jsonBody, orRefuse } from '../http/input.ts';
import type { AttemptResult } from './checkout-schema.ts';

/** The documented body of POST /v1/payments/{id}/confirm. */
export const ConfirmBody = emptyObject.meta({
  id: 'Confirm',
  description: 'The empty object.',
  examples: [{}],
});

/**
 * Accepts exactly `{}`. Every fault is reported for `body` and answered 400 invalid_request.
 * Spec: POST /v1/payments/{id}/confirm; CONFIRM-04, AMB-01.
 */
export function parseConfirm(body: unknown): { ok: true } | InputFailure {
  const parsed = ConfirmBody.safeParse(body);
  return parsed.success ? { ok: true } : firstFault(parsed.error, ConfirmBody);
}

export type ConfirmDeps = Parameters<typeof confirmStep>[0];

/**
 * POST /v1/payments/{id}/confirm: 200 `{data: AttemptResult}`; `requiresAction` again while the customer has
 * not completed the step. Refuses: invalid_request, not_found, confirmation_not_required,
 * confirmation_in_progress, result_pending, checkout_expired, attempts_exhausted, service_unavailable.
 */
export const confirm =
  (deps: ConfirmDeps) =>
  async (request: FastifyRequest): Promise<{ data: AttemptResult }> => {
    const id = pathId(request);
    const principal = principalOf(request);
    orRefuse(parseConfirm(jsonBody(request)), 'invalid_request');
    return { data: await confirmStep(deps, principal, id, request.id) };
  };
