import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { insertAttemptInput } from '../../db/attempts.ts';
import { attemptResult } from './attempt-result.ts';
import type { ApiDeps } from '../deps.ts';
import { parsePay } from './pay-body.ts';
import { updateWorkflow, findCustomPayment, refuseWhenFinal } from './payment-reads.ts';
import { jsonBody, pathId, principalOf } from '../http/request.ts';
import { orRefuse } from '../http/input-failure.ts';

/**
 * POST /v1/payments/{id}/pay: 200 `{data: AttemptResult}`, also for a failed attempt. The token is sealed
 * before it goes anywhere and reaches the workflow by reference only.
 * Refuses: invalid_request, not_found, payment_in_progress, action_required, result_pending,
 * checkout_expired, attempts_exhausted, card_token_rejected, service_unavailable (the attempt may be
 * processing: poll status).
 */
export const pay = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const parsed = orRefuse(parsePay(jsonBody(request)), 'invalid_request');
  const payment = await findCustomPayment(deps.tenants, principalOf(request), id);
  const command = { type: 'pay', method: 'card' } as const;
  refuseWhenFinal(payment, command, deps.now());
  const inputId = randomUUID();
  await insertAttemptInput(deps.database, {
    id: inputId,
    paymentId: id,
    method: 'card',
    tokenSealed: deps.keyring.seal(parsed.command.cardToken, sealContext.cardToken(inputId)),
    captureReference: parsed.command.captureReference,
  });
  const result = await updateWorkflow(deps, payment, command, () =>
    deps.workflows.pay(payment, request.id, { inputId, method: 'card' }),
  );
  return { data: await attemptResult(deps, payment, result) };
};
