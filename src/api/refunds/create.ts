import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../db/api-keys.ts';
import { findRefund, insertRefund } from '../../db/refunds.ts';
import { type RefundRecord, createdRefundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { IdempotencyClaim } from '../../db/idempotency-keys.ts';
import type { Written } from '../../db/payment-changes.ts';
import type { ApiDeps } from '../deps.ts';
import { bodyHash } from '../http/body-hash.ts';
import { runIdempotent } from '../http/idempotency.ts';
import { type CreateRefundCommand, parseCreateRefund } from './bodies.ts';
import { bodyBytes, idempotencyKey, jsonBody, pathId, principalOf } from '../http/request.ts';
import { orRefuse } from '../http/input-failure.ts';

/**
 * POST /v1/payments/{id}/refunds: 201 `{data: Refund}` as it was created, also on replay (then with
 * `Idempotent-Replayed: true`). No body means all that is left. Refuses: invalid_request, validation_failed,
 * not_found, payment_not_refundable, idempotency_key_reused, idempotency_in_progress.
 * docs/refunds-and-disputes.md.
 */
export const create = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const principal = principalOf(request);
  const paymentId = pathId(request);
  const key = idempotencyKey(request);
  const body = (bodyBytes(request)?.length ?? 0) === 0 ? {} : jsonBody(request);
  const parsed = orRefuse(parseCreateRefund(body), 'validation_failed');
  const { merchantId, environment } = principal;
  const { refund, replayed } = await createRefund(
    deps,
    principal,
    // The payment is part of what the key stands for.
    { merchantId, environment, operation: 'create_refund', key, bodyHash: bodyHash({ paymentId, body }) },
    paymentId,
    parsed.command,
  );
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
  return reply.status(201).send({ data: createdRefundView(refund) });
};

/** Reserves the refund and claims its key in one transaction, then starts its workflow; once per key. */
async function createRefund(
  deps: ApiDeps,
  principal: Principal,
  claim: IdempotencyClaim,
  paymentId: string,
  command: CreateRefundCommand,
): Promise<{ refund: RefundRecord; replayed: boolean }> {
  const { result, replayed } = await runIdempotent<Written<RefundRecord>, RefundRecord>(deps, claim, {
    create: (transaction, id, now) => {
      const submitAfter = new Date(now.getTime() + deps.refundDelaySeconds * 1000);
      return insertRefund(transaction, principal, { id, paymentId, ...command, createdAt: now, submitAfter });
    },
    work: async (id, reserved) => {
      const refund = reserved?.row ?? (await ownRefund(deps, principal, id));
      // It exists from here on: a start that fails is healed by the sweep and still answered 201.
      await deps.refunds
        .start(refund, reserved?.eventIds ?? [])
        .catch(() => deps.logger.warn({ refundId: id }, 'refund workflow not started; it will be'));
      return refund;
    },
    load: (id) => ownRefund(deps, principal, id),
  });
  return { refund: result, replayed };
}

async function ownRefund(deps: ApiDeps, principal: Principal, id: string): Promise<RefundRecord> {
  const refund = await findRefund(deps.database, principal, id);
  if (!refund) throw new Refusal('service_unavailable');
  return refund;
}
