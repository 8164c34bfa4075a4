import type { FastifyReply, FastifyRequest } from 'fastify';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { loadPayment } from '../../db/payments.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { bodyBytes } from '../http/request.ts';
import { followHint } from './follow-hint.ts';

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
    const { type, paymentId, refundKey = null, disputeId = null } = callback.data;
    const payment = await loadPayment(deps.database, paymentId);
    // The simulators hold no payment of a connector.
    if (payment?.connectorId === null) {
      await followHint(deps, paymentId, {
        charge: type === 'charge.updated',
        refunds: false,
        refundKey: type === 'refund.updated' ? refundKey : null,
        disputeId: type === 'dispute.updated' ? disputeId : null,
      });
    }
    return reply.status(204).send();
  };
};
