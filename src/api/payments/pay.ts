import type { FastifyRequest } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { orRefuse, jsonBody } from '../http/input.ts';
import { pathId } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { attemptResult } from '../../operations/payments/attempt-result.ts';
import { makeAttempt } from '../../operations/payments/make-attempt.ts';
import { parsePay } from './pay-body.ts';
import { findCustomCheckout } from '../../operations/payments/payment-reads.ts';

/**
 * POST /v1/payments/{id}/pay: 200 `{data: AttemptResult}`, also for a failed attempt. The token is sealed
 * before it goes anywhere and reaches the workflow by reference only.
 * Refuses: invalid_request, not_found, payment_in_progress, action_required, result_pending,
 * checkout_expired, attempts_exhausted, card_token_rejected, service_unavailable (the attempt may be
 * processing: poll status).
 */
export const pay = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const { cardToken, captureReference } = orRefuse(parsePay(jsonBody(request)), 'invalid_request').command;
  const checkout = await findCustomCheckout(deps.tenants, principalOf(request), id);
  const result = await makeAttempt(deps, checkout, {
    method: 'card',
    card: { token: cardToken, reference: captureReference },
    simulated: null,
    requestId: request.id,
  });
  return { data: await attemptResult(deps, id, result) };
};
