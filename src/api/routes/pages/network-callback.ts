import type { FastifyReply, FastifyRequest } from 'fastify';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { loadPayment } from '../../../db/payments.ts';
import { Refusal } from '../../../domain/refusals.ts';
import type { ApiDeps } from '../../deps.ts';
import { bodyBytes } from '../../request.ts';

const callbackSchema = z.object({ type: z.string().max(100), paymentId: z.uuid() });

/**
 * POST /callbacks/network: a signed hint that something changed at the network. It is never believed, only followed by
 * reading the network again (B1). Answers 204, also for hints nobody needs.
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
    const { paymentId } = callback.data;
    const payment = await loadPayment(deps.database, paymentId);
    if (payment && payment.settledAt === null && callback.data.type === 'charge.updated') {
      await deps.workflows.notifyProviderEvent(paymentId, await mayConfirm(deps, payment)).catch(() => {
        throw new Refusal('service_unavailable');
      });
    }
    return reply.status(204).send();
  };
};

/**
 * A merchant approved for custom action handling confirms by itself; for all others the service does, so that a
 * customer who closes the browser after the challenge has still paid.
 */
async function mayConfirm(
  deps: ApiDeps,
  payment: { checkoutMode: string; merchantId: string; environment: string },
): Promise<boolean> {
  if (payment.checkoutMode === 'hosted') return true;
  const { rows } = await deps.database.query<{ custom: boolean }>(
    'SELECT custom_actions AS custom FROM merchant_settings WHERE merchant_id = $1 AND environment = $2',
    [payment.merchantId, payment.environment],
  );
  return rows[0]?.custom === false;
}
