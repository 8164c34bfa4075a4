import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Actor } from '../../domain/audit.ts';
import { insertRefund } from '../../db/refunds/refunds.ts';
import { findRefund } from '../../db/refunds/refund-reads.ts';
import { type RefundRecord, createdRefundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Written } from '../../db/payments/payment-changes.ts';
import type { ApiDeps } from '../deps.ts';
import { bodyHash } from '../../operations/body-hash.ts';
import { runIdempotent } from '../../operations/idempotency.ts';
import { type CreateRefundCommand, parseCreateRefund } from './bodies.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { bodyBytes, pathId } from '../../http/request.ts';
import { idempotencyKey, jsonBody, orRefuse } from '../http/input.ts';

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
  const asked = { paymentId, key, body, command: parsed.command };
  const { refund, replayed } = await createRefund(deps, principal, asked, actorOf(request));
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
  return reply.status(201).send({ data: createdRefundView(refund) });
};

type RefundDeps = Pick<
  ApiDeps,
  'database' | 'now' | 'logger' | 'refunds' | 'refundDelaySeconds' | 'idempotencyRetentionSeconds'
>;

/**
 * Reserves a refund and claims its key in one transaction, then starts its workflow; once per key. For the
 * API and the dashboard. `body` is what the key stands for, beside the payment. Refuses as the route does.
 */
export async function createRefund(
  deps: RefundDeps,
  tenant: Tenant,
  asked: { paymentId: string; key: string; body: unknown; command: CreateRefundCommand },
  actor: Actor,
): Promise<{ refund: RefundRecord; replayed: boolean }> {
  const { merchantId, environment } = tenant;
  const { paymentId, key, body, command } = asked;
  const hash = bodyHash({ paymentId, body });
  const claim = { merchantId, environment, operation: 'create_refund', key, bodyHash: hash };
  const { result, replayed } = await runIdempotent<Written<RefundRecord>, RefundRecord>(deps, claim, {
    create: (transaction, id, now) => {
      const submitAfter = new Date(now.getTime() + deps.refundDelaySeconds * 1000);
      const refund = { id, paymentId, ...command, createdAt: now, submitAfter };
      return insertRefund(transaction, tenant, refund, actor);
    },
    work: async (id, reserved) => {
      const refund = reserved?.row ?? (await ownRefund(deps, tenant, id));
      // It exists from here on: a start that fails is healed by the sweep and still answered 201.
      await deps.refunds
        .start(refund, reserved?.eventIds ?? [])
        .catch(() => deps.logger.warn({ refundId: id }, 'refund workflow not started; it will be'));
      return refund;
    },
    load: (id) => ownRefund(deps, tenant, id),
  });
  return { refund: result, replayed };
}

async function ownRefund(deps: RefundDeps, tenant: Tenant, id: string): Promise<RefundRecord> {
  const refund = await findRefund(deps.database, tenant, id);
  if (!refund) throw new Refusal('service_unavailable');
  return refund;
}
