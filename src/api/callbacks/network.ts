import type { FastifyReply, FastifyRequest } from 'fastify';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { disputeIdOf } from '../../db/disputes.ts';
import { hasCustomActions } from '../../db/merchants.ts';
import { loadPayment } from '../../db/payments.ts';
import { loadRefund } from '../../db/refunds.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { bodyBytes } from '../http/request.ts';

const callbackSchema = z.object({
  type: z.string().max(100),
  paymentId: z.uuid(),
  refundKey: z.uuid().optional(),
  disputeId: z.string().min(1).max(128).optional(),
});

/**
 * POST /callbacks/network: a signed hint that something changed at the network. It is never believed, only
 * followed by reading the network again. Returns 204, also for hints nobody needs.
 */
export const networkCallback = (deps: ApiDeps) => {
  const webhook = new Webhook(deps.networkCallbackSecret);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const bytes = Buffer.from(bodyBytes(request) ?? []);
    let payload: unknown;
    try {
      payload = webhook.verify(bytes, request.headers as Record<string, string>);
    } catch {
      throw new Refusal('unauthorized');
    }
    const callback = callbackSchema.safeParse(payload);
    if (!callback.success) throw new Refusal('invalid_request');
    const payment = await loadPayment(deps.database, callback.data.paymentId);
    if (payment) await passOn(deps, payment, callback.data);
    return reply.status(204).send();
  };
};

/**
 * Hands a hint to the workflow that can follow it. Refuses service_unavailable, so that the network sends it
 * again.
 */
async function passOn(
  deps: ApiDeps,
  payment: PaymentRecord,
  hint: z.output<typeof callbackSchema>,
): Promise<void> {
  if (hint.type === 'charge.updated' && payment.finalizedAt === null) {
    await deps.workflows.notifyProviderEvent(payment.id, await mayConfirm(deps, payment)).catch(() => {
      throw new Refusal('service_unavailable');
    });
  }
  if (hint.type === 'refund.updated' && hint.refundKey !== undefined) {
    const refund = await loadRefund(deps.database, hint.refundKey);
    if (refund) await deps.refunds.notify(refund, { submitNow: false, eventIds: [] });
  }
  if (hint.type === 'dispute.updated' && hint.disputeId !== undefined) {
    const id = disputeIdOf(hint.disputeId);
    await deps.disputes.notify({ ...payment, id, reference: hint.disputeId });
  }
}

/**
 * A merchant approved for custom action handling confirms by itself; for all others the service does, so that
 * a customer who closes the browser after the challenge has still paid.
 */
async function mayConfirm(
  { database }: ApiDeps,
  { checkoutMode, merchantId, environment }: PaymentRecord,
): Promise<boolean> {
  if (checkoutMode === 'hosted') return true;
  return (await hasCustomActions(database, { merchantId, environment })) === false;
}
