import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseBody, Refusal } from '../../server.ts';
import { authenticate, type Caller } from './auth.ts';
import { answerChallenge, cancelIntent, captureDeclined } from './charging.ts';
import { stripeFaultModes, type StripeContext } from './context.ts';
import { declineNames } from './declines.ts';
import { payoutView } from './balance.ts';
import { addEndpoint } from './event-routes.ts';
import { newObject } from './ids.ts';
import { webhookOrderBody } from './webhook-orders.ts';

interface IdRoute {
  Params: { id: string };
}

const faultBody = z.object({
  mode: z.enum(stripeFaultModes),
  count: z.int().min(1).max(1_000).default(1),
  paymentId: z.string().min(1).max(128).optional(),
  on: z.string().min(1).max(100).optional(),
});
const intentBody = z.strictObject({ outcome: z.enum(['succeeded', 'canceled', ...declineNames]) });
const challengeBody = z.strictObject({ result: z.enum(['authenticated', 'failed', 'abandoned']) });
const refundBody = z.strictObject({
  status: z.enum(['succeeded', 'failed']),
  failureReason: z.string().min(1).max(64).default('unknown'),
});
const disputeBody = z.strictObject({
  charge: z.string().optional(),
  paymentIntent: z.string().optional(),
  reason: z.string().min(1).max(64).default('fraudulent'),
  inquiry: z.boolean().default(false),
  amountCents: z.int().min(1).optional(),
  dueInSeconds: z
    .int()
    .min(0)
    .max(365 * 86_400)
    .default(7 * 86_400),
});
const decisionBody = z.strictObject({ status: z.enum(['won', 'lost', 'warning_closed']) });
const changeBody = z.strictObject({
  status: z.string().min(1).max(64).optional(),
  amountCents: z.int().min(1).optional(),
  dueInSeconds: z
    .int()
    .min(0)
    .max(365 * 86_400)
    .optional(),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/)
    .optional(),
});
const payoutBody = z.strictObject({ amountCents: z.int().min(1) });
const accountBody = z.strictObject({
  chargesEnabled: z.boolean().default(true),
  cardPayments: z.enum(['active', 'inactive', 'pending']).default('active'),
});
const endpointBody = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2048),
  secret: z.string().regex(/^whsec_\S{16,}$/),
});

/**
 * Registers the orders of tests and sandboxes, in JSON, with a secret key of test mode. An order applies only
 * to that key's account, and never to live mode.
 */
export function simulateRoutes(stripe: StripeContext): FastifyPluginAsync {
  const { ledger, faults, webhookOrders, accounts, together, now } = stripe;

  return async (app) => {
    app.post('/simulate/faults', async (request, reply) => {
      const { accountId } = ordering(request);
      faults.add({ ...parseBody(faultBody, request.body), merchantId: accountId });
      return reply.code(204).send();
    });
    app.delete('/simulate/faults', async (request, reply) => {
      const { accountId } = ordering(request);
      faults.clear(accountId);
      return reply.code(204).send();
    });

    app.post('/simulate/webhooks', async (request, reply) => {
      const { accountId } = ordering(request);
      webhookOrders.add({ ...parseBody(webhookOrderBody, request.body), accountId });
      return reply.code(204).send();
    });
    app.delete('/simulate/webhooks', async (request, reply) => {
      webhookOrders.clear(ordering(request).accountId);
      return reply.code(204).send();
    });

    app.post('/simulate/webhook_endpoints', async (request) => {
      const caller = ordering(request);
      const { url, secret } = parseBody(endpointBody, request.body);
      const { id } = addEndpoint(stripe, caller, { url, enabled_events: ['*'] }, secret);
      return { id };
    });

    app.put('/simulate/account', async (request, reply) => {
      accounts.put(ordering(request).accountId, parseBody(accountBody, request.body));
      return reply.code(204).send();
    });

    app.post<IdRoute>('/simulate/payment_intents/:id', async (request) => {
      const intent = ledger.intent(ordering(request), request.params.id);
      const { outcome } = parseBody(intentBody, request.body);
      if (outcome === 'canceled')
        return ledger.showIntent(together(() => cancelIntent(ledger, intent, 'automatic', null, now())));
      if (intent.status !== 'processing' && intent.status !== 'requires_action') {
        throw new Refusal(
          409,
          'not_open',
          'Only an intent that is processing or waits for its customer can end so.',
        );
      }
      return ledger.showIntent(together(() => ledger.finish(intent, outcome, null)));
    });

    app.post<IdRoute>('/simulate/payment_intents/:id/capture', async (request) => {
      const intent = ledger.intent(ordering(request), request.params.id);
      return ledger.showIntent(together(() => captureDeclined(ledger, intent)));
    });

    app.post<IdRoute>('/simulate/payment_intents/:id/challenge', async (request) => {
      const intent = ledger.intent(ordering(request), request.params.id);
      const { result } = parseBody(challengeBody, request.body);
      if (intent.step?.state !== 'open')
        throw new Refusal(409, 'no_challenge', 'There is no open challenge.');
      return ledger.showIntent(
        result === 'abandoned' ? intent : together(() => answerChallenge(ledger, intent, result)),
      );
    });

    app.post<IdRoute>('/simulate/refunds/:id', async (request) => {
      const refund = ledger.refund(ordering(request), request.params.id);
      const { status, failureReason } = parseBody(refundBody, request.body);
      if (refund.status === 'failed') throw new Refusal(409, 'refund_final', 'This refund has failed.');
      const reason = status === 'failed' ? failureReason : null;
      return ledger.showRefund(together(() => ledger.changeRefund(refund, status, reason, null)));
    });

    app.post('/simulate/payouts', async (request) => {
      const { amountCents } = parseBody(payoutBody, request.body);
      const payout = { ...newObject('po', ordering(request), now()), amountCents };
      return payoutView(together(() => ledger.addPayout(payout)));
    });

    disputeOrders(stripe, app);
  };
}

function disputeOrders({ ledger, together, now }: StripeContext, app: FastifyInstance): void {
  app.post('/simulate/disputes', async (request) => {
    const caller = ordering(request);
    const order = parseBody(disputeBody, request.body);
    const charge =
      order.charge === undefined
        ? ledger
            .chargesOf(ledger.intent(caller, order.paymentIntent ?? '').id)
            .find(({ status }) => status === 'succeeded')
        : ledger.charge(caller, order.charge);
    if (charge?.status !== 'succeeded') throw new Refusal(409, 'not_paid', 'There is no paid charge.');
    const { reason, inquiry, dueInSeconds } = order;
    const amountCents = order.amountCents ?? charge.amountCents;
    const opening = { reason, inquiry, amountCents, dueInMs: dueInSeconds * 1000 };
    return ledger.showDispute(together(() => ledger.openDispute(charge, opening, null)));
  });

  app.post<IdRoute>('/simulate/disputes/:id', async (request) => {
    const dispute = ledger.dispute(ordering(request), request.params.id);
    const { status } = parseBody(decisionBody, request.body);
    if (['won', 'lost', 'warning_closed'].includes(dispute.status)) {
      throw new Refusal(409, 'dispute_closed', 'This dispute is decided.');
    }
    return ledger.showDispute(together(() => ledger.closeDispute(dispute, status, null)));
  });

  app.post<IdRoute>('/simulate/disputes/:id/change', async (request) => {
    const dispute = ledger.dispute(ordering(request), request.params.id);
    const { dueInSeconds, ...order } = parseBody(changeBody, request.body);
    const { status = dispute.status, amountCents = dispute.amountCents, currency = dispute.currency } = order;
    const dueBy = dueInSeconds === undefined ? dispute.dueBy : now() + dueInSeconds * 1000;
    const change = { status, amountCents, currency, dueBy };
    return ledger.showDispute(together(() => ledger.changeDispute(dispute, change)));
  });
}

/** Returns the caller of an order: the holder of a secret key of test mode. */
function ordering(request: FastifyRequest): Caller {
  const caller = authenticate(request.headers.authorization);
  if (caller.live) throw new Refusal(403, 'not_in_live_mode', 'Nothing is ordered in live mode.');
  return caller;
}
