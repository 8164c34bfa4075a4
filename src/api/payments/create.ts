import type { FastifyReply, FastifyRequest } from 'fastify';
import { createOperation, createPayment } from '../../operations/payments/create-payment.ts';
import type { ApiDeps } from '../deps.ts';
import { bodyHash } from '../../operations/body-hash.ts';
import { parseCreatePayment } from './create-body.ts';
import { idempotencyKey, jsonBody, orRefuse } from '../http/input.ts';
import { principalOf } from '../http/admission.ts';

/**
 * POST /v1/payments: 201 `{data: CreationResult}`, also on replay (then with `Idempotent-Replayed: true`).
 */
export const create = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const principal = principalOf(request);
  const key = idempotencyKey(request);
  const body = jsonBody(request);
  const parsed = orRefuse(
    parseCreatePayment(body, { allowHttpLoopback: !deps.production }),
    'validation_failed',
  );
  const { result, replayed } = await createPayment(
    deps,
    principal,
    {
      merchantId: principal.merchantId,
      environment: principal.environment,
      operation: createOperation,
      key,
      bodyHash: bodyHash(body),
    },
    parsed.command,
  );
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
  return reply.status(201).send({ data: result });
};
