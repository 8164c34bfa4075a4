import type { FastifyReply, FastifyRequest } from 'fastify';
import { uuidv7 } from 'uuidv7';
import type { Principal } from '../../db/api-keys.ts';
import { inTransaction } from '../../db/database.ts';
import { findRefund, insertRefund } from '../../db/refunds.ts';
import { type RefundRecord, createdRefundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import { type IdempotencyClaim, claimKey, finishKey, lookUpKey } from '../../db/idempotency-keys.ts';
import type { ApiDeps } from '../deps.ts';
import { bodyHash } from '../http/body-hash.ts';
import { type CreateRefundCommand, parseCreateRefund } from './bodies.ts';
import { bodyBytes, idempotencyKey, jsonBody, pathId, principalOf } from '../http/request.ts';

/**
 * POST /v1/payments/{id}/refunds: 201 `{data: Refund}` as it was created, also on replay (then with
 * `Idempotent-Replayed: true`). No body means all that is left. Refuses: invalid_request, validation_failed, not_found,
 * payment_not_refundable, idempotency_key_reused, idempotency_in_progress. Contracts section 6.
 */
export const create = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const principal = principalOf(request);
  const paymentId = pathId(request);
  const key = idempotencyKey(request);
  const body = (bodyBytes(request)?.length ?? 0) === 0 ? {} : jsonBody(request);
  const parsed = parseCreateRefund(body);
  if (!parsed.ok) throw new Refusal('validation_failed', { field: parsed.field, message: parsed.message });
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
  const { database } = deps;
  // Twice: losing the race for a free key means that the winner's row is there to be looked up.
  for (let round = 0; round < 2; round += 1) {
    const now = new Date(deps.now());
    const known = await lookUpKey(database, claim, now);
    if (known.state !== 'free') {
      const refund = await findRefund(database, principal, known.resourceId);
      if (!refund) throw new Refusal('service_unavailable');
      if (known.state === 'abandoned') await startAndFinish(deps, claim, refund, []);
      return { refund, replayed: true };
    }
    const id = uuidv7();
    const reserved = await inTransaction(database, async (transaction) => {
      if (!(await claimKey(transaction, claim, id, now, deps.idempotencyRetentionSeconds))) return null;
      const submitAfter = new Date(now.getTime() + deps.refundDelaySeconds * 1000);
      return insertRefund(transaction, principal, { id, paymentId, ...command, createdAt: now, submitAfter });
    });
    if (!reserved) continue;
    await startAndFinish(deps, claim, reserved.row, reserved.eventIds);
    return { refund: reserved.row, replayed: false };
  }
  throw new Refusal('idempotency_in_progress', { retryAfterSeconds: 1 });
}

/** The refund exists from here on: a start that fails is healed by the sweeper and still answered 201. */
async function startAndFinish(
  deps: ApiDeps,
  claim: IdempotencyClaim,
  refund: RefundRecord,
  eventIds: string[],
): Promise<void> {
  await deps.afterPayment
    .startRefund(refund, eventIds)
    .catch(() => deps.logger.warn({ refundId: refund.id }, 'refund workflow not started; it will be'));
  await finishKey(deps.database, claim);
}
