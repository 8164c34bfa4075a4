import type { FastifyReply, FastifyRequest } from 'fastify';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { attemptNoOf } from '../../db/payments/capture-hints.ts';
import { loadPayment } from '../../db/payments/payments.ts';
import { Refusal } from '../../domain/refusals.ts';
import { bodyBytes } from '../../http/request.ts';
import { type HintDeps, notifyOfHint } from '../../operations/payments/notify-of-hint.ts';
import { verifyCallback } from './verify-callback.ts';

/** The signature secret of each environment's simulated network; null if it has none. */
export interface NetworkCallbackSecrets {
  sandbox: string;
  live: string | null;
}

const callbackSchema = z.object({
  type: z.string().max(100),
  paymentId: z.uuid(),
  /** The key of the charge that changed. */
  key: z.string().max(128).optional(),
  refundKey: z.uuid().optional(),
  disputeId: z.string().min(1).max(128).optional(),
});

/**
 * POST /callbacks/network: a signed hint that something changed at the network. The hint is not trusted: the
 * network is queried again. The secret that signed it decides its environment; a hint about a payment of the
 * other environment is ignored. Returns 204, also for ignored hints.
 */
export const networkCallback = (deps: HintDeps & { networkCallbackSecrets: NetworkCallbackSecrets }) => {
  const { sandbox, live } = deps.networkCallbackSecrets;
  const signers = [
    { environment: 'sandbox', webhook: new Webhook(sandbox) },
    ...(live === null ? [] : [{ environment: 'live', webhook: new Webhook(live) }]),
  ];
  const signed = (request: FastifyRequest, body: string) => {
    for (const { environment, webhook } of signers) {
      const payload = verifyCallback(webhook, request.headers, body, deps.now());
      if (payload !== undefined) return { environment, payload };
    }
    throw new Refusal('unauthorized');
  };
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const body = Buffer.from(bodyBytes(request) ?? []).toString();
    const { environment, payload } = signed(request, body);
    const callback = callbackSchema.safeParse(payload);
    if (!callback.success) throw new Refusal('invalid_request');
    const { type, paymentId, key = '', refundKey = null, disputeId = null } = callback.data;
    const payment = await loadPayment(deps.database, paymentId);
    // A payment with a connector is not at the simulators.
    if (payment?.connectorId === null && payment.environment === environment) {
      await notifyOfHint(deps, paymentId, {
        charge:
          type === 'charge.updated'
            ? { attemptNo: attemptNoOf(paymentId, key), providerReference: null }
            : null,
        succeeded: null,
        refunds: false,
        refundId: type === 'refund.updated' ? refundKey : null,
        disputeId: type === 'dispute.updated' ? disputeId : null,
      });
    }
    return reply.status(204).send();
  };
};
