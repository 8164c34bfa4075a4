import { Stripe } from 'stripe';
import { type NetworkRefund, ProviderUnavailable, type RefundNetwork, type RefundRequest } from '../ports.ts';
import { calling } from './client.ts';

/** Refunds of one charge that are looked through for ours: more than a payment of ours can have. */
const lookedThrough = 500;

/** Stripe's refunds behind the port: the refund's id is the idempotency key, and stands in the metadata. */
export function createStripeRefunds(stripe: Stripe): RefundNetwork {
  const find = async (request: RefundRequest): Promise<NetworkRefund | null> => {
    const listed = stripe.refunds.list({ payment_intent: chargeOf(request), limit: 100 });
    const refunds = await calling(listed.autoPagingToArray({ limit: lookedThrough }));
    const own = refunds.find(({ metadata }) => metadata?.['refundId'] === request.key);
    return own ? refundOf(own, request) : null;
  };

  return {
    async refund(request) {
      const made = await calling<Stripe.Refund | 'refused'>(
        stripe.refunds.create(
          {
            payment_intent: chargeOf(request),
            amount: request.amountCents,
            metadata: { paymentId: request.paymentId, refundId: request.key },
          },
          { idempotencyKey: request.key },
        ),
        (error) => (isRefused(error) ? 'refused' : undefined),
      );
      return made === 'refused' ? made : refundOf(made, request);
    },
    lookupRefund: find,
    async voidRefund(request) {
      // Stripe closes no key. What was refused stays refused under it, and what was sent has arrived or been
      // given up long before the hours after which a refund is given up here.
      const found = await find(request);
      return found ?? { ...keyed(request), status: 'failed', failureCode: 'voided' };
    },
  };
}

/** A definite no: nothing was refunded under this key. */
const isRefused = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  error.statusCode === 400 &&
  error.code !== 'lock_timeout';

const keyed = ({ key, paymentId, amountCents }: RefundRequest) => ({ key, paymentId, amountCents });

const chargeOf = ({ chargeReference }: RefundRequest): string => {
  if (chargeReference !== null) return chargeReference;
  throw new ProviderUnavailable('network', false, 'the charge behind the refund is not known');
};

/** An answer about another refund, amount or currency proves nothing about this one. */
function refundOf(refund: Stripe.Refund, request: RefundRequest): NetworkRefund {
  const same = refund.metadata?.['refundId'] === request.key && refund.amount === request.amountCents;
  if (!same || refund.currency !== 'usd') {
    throw new ProviderUnavailable('network', true, 'the answer is about another refund');
  }
  switch (refund.status) {
    case 'succeeded':
      return { ...keyed(request), status: 'succeeded', failureCode: null };
    case 'pending':
    case 'requires_action':
      return { ...keyed(request), status: 'pending', failureCode: null };
    case 'failed':
    case 'canceled':
      return { ...keyed(request), status: 'failed', failureCode: 'refund_rejected' };
    case null:
    default:
      throw new ProviderUnavailable('network', true, 'the refund is in a state that is not known here');
  }
}
