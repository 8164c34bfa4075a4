import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { parseBody } from '../../server.ts';
import type { StripeContext } from './context.ts';
import { attemptIdOf, paymentIdOf } from './payment-reference.ts';
import type { Charge, Intent, Refund, StoredPaymentMethod } from './records.ts';
import { walletView } from './views.ts';

const ledgerQuery = z.object({ paymentId: z.string().min(1).max(128) });

/**
 * Registers the public ledger of the sandbox, in the form of the network simulator's. It shows what really
 * happened to a payment's amount, and how many calls the service made.
 */
export function ledgerRoutes({ ledger, calls }: StripeContext): FastifyPluginAsync {
  return async (app) => {
    app.get('/ledger', async (request) => {
      const { paymentId } = parseBody(ledgerQuery, request.query);
      const intents = ledger.intents().filter((intent) => paymentIdOf(intent) === paymentId);
      const charges = intents.flatMap((intent) => ledger.chargesOf(intent.id));
      return {
        charges: [
          ...charges.map((charge) => ({
            ...lineOf(charge, charge.id, charge.amountCents, CHARGE_STATUS[charge.status]),
            card: cardOf(ledger.findMethod(charge.paymentMethodId)),
          })),
          ...intents.flatMap((intent) => uncharged(intent)),
        ],
        refunds: charges
          .flatMap((charge) => ledger.refundsOf(charge.id))
          .map((refund) => refundLine(refund, paymentId)),
        disputes: charges
          .flatMap((charge) => ledger.disputesOf(charge.id))
          .map(({ id, amountCents, reason, status }) => ({
            disputeId: id,
            paymentId,
            amountCents,
            reason,
            status,
          })),
      };
    });
    app.get('/stats', async () => ({ calls: Object.fromEntries(calls) }));
  };
}

const CHARGE_STATUS = { pending: 'pending', succeeded: 'captured', failed: 'declined' } as const;

/** Returns attempts without a charge: in the customer's step, after a failed one, or of a canceled intent. */
function uncharged(intent: Intent) {
  const { status, lastError, amountCents } = intent;
  if (status === 'requires_action') return [lineOf(intent, intent.id, amountCents, 'pending')];
  if (status === 'canceled') return [lineOf(intent, intent.id, amountCents, 'voided')];
  if (lastError?.decline === 'authentication') return [lineOf(intent, intent.id, amountCents, 'declined')];
  return [];
}

function lineOf(
  of: Charge | Intent,
  chargeId: string,
  amountCents: number,
  status: 'captured' | 'declined' | 'pending' | 'voided',
) {
  return {
    chargeId,
    paymentId: paymentIdOf(of),
    attemptId: attemptIdOf(of),
    amountCents,
    status,
    createdAt: new Date(of.createdAt).toISOString(),
  };
}

/** The card, and the wallet that it was in, with Stripe's names. */
function cardOf(method: StoredPaymentMethod | undefined) {
  return method ? { brand: method.brand, last4: method.last4, wallet: walletView(method) } : null;
}

function refundLine(refund: Refund, paymentId: string) {
  const { id, key, chargeId, amountCents, status, failureReason, createdAt } = refund;
  return {
    refundId: id,
    key,
    paymentId,
    chargeKey: chargeId,
    amountCents,
    status,
    failureCode: failureReason,
    createdAt: new Date(createdAt).toISOString(),
  };
}
