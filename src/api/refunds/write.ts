import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { createdRefundView, refundReasons } from '../../domain/refund.ts';
import { bodyBytes, pathId } from '../../http/request.ts';
import { type CancelRefundDeps, cancelRefund } from '../../operations/refunds/cancel-refund.ts';
import {
  type CreateRefundCommand,
  type CreateRefundDeps,
  createRefund,
} from '../../operations/refunds/create-refund.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { expected, metadata, oneOf, referenceText } from '../http/fields.ts';
import {
  type InputFailure,
  firstFault,
  idempotencyKey,
  jsonBody,
  requireEmptyBody,
  orRefuse,
} from '../http/input.ts';

const maxAmountCents = 100_000_000;
const amountRule = `an integer from 1 to ${maxAmountCents}`;

/** The documented body of POST /v1/payments/{id}/refunds. docs/refunds-and-disputes.md. */
export const CreateRefundBody = z
  .strictObject(
    {
      amountCents: z
        .int({ error: expected(amountRule) })
        .min(1, { error: `must be ${amountRule}` })
        .max(maxAmountCents, { error: `must be ${amountRule}` })
        .meta({ description: 'US cents; omit to refund the whole remaining amount.' })
        .optional(),
      reason: oneOf(refundReasons).optional(),
      reference: referenceText().meta({ description: 'Your reference of this refund.' }).optional(),
      metadata: metadata.optional(),
    },
    { error: expected('a JSON object') },
  )
  .meta({
    id: 'CreateRefund',
    description: 'A refund to make. Unknown fields are refused.',
    examples: [{ amountCents: 1000, reason: 'requestedByCustomer', reference: 'return-88' }],
  });

/**
 * Turns the JSON value of a refund request into a command, or names its first fault. A fault is answered 422
 * validation_failed. docs/refunds-and-disputes.md.
 */
export function parseCreateRefund(body: unknown): { ok: true; command: CreateRefundCommand } | InputFailure {
  const parsed = CreateRefundBody.safeParse(body);
  if (!parsed.success) return firstFault(parsed.error, CreateRefundBody);
  const { amountCents = null, reason = null, reference = null, metadata: extra = {} } = parsed.data;
  return { ok: true, command: { amountCents, reason, reference, metadata: extra } };
}

/**
 * POST /v1/payments/{id}/refunds: 201 `{data: Refund}` as it was created, also on replay (then with
 * `Idempotent-Replayed: true`). Without a body it refunds the whole remaining amount. Refuses:
 * invalid_request, validation_failed, not_found, payment_not_refundable, idempotency_key_reused,
 * idempotency_in_progress. docs/refunds-and-disputes.md.
 */
export const create = (deps: CreateRefundDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const principal = principalOf(request);
  const paymentId = pathId(request);
  const key = idempotencyKey(request);
  const body = (bodyBytes(request)?.length ?? 0) === 0 ? {} : jsonBody(request);
  const parsed = orRefuse(parseCreateRefund(body), 'validation_failed');
  const asked = { paymentId, key, body, command: parsed.command };
  const { refund, replayed } = await createRefund(deps, principal, asked, actorOf(request));
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
  return reply.status(201).send({ data: createdRefundView(refund) });
};

/**
 * POST /v1/refunds/{id}/cancel: 200 `{data: Refund}`, also for one that is already canceled. The rows decide,
 * so the workflow cannot send the refund meanwhile. Refuses: not_found (404), refund_not_cancelable (409).
 */
export const cancel = (deps: CancelRefundDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  requireEmptyBody(request);
  return { data: await cancelRefund(deps, principalOf(request), id, actorOf(request)) };
};
