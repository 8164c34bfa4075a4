import { entryNamed } from '../../domain/entry-named.ts';
import { Stripe } from 'stripe';
import type { RefundReason } from '../../domain/refund.ts';
import { ProviderUnavailable } from '../ports.ts';
import type { FoundRefund, NetworkRefund, RefundNetwork, RefundRequest } from '../refund-port.ts';
import { isMissing, orUnavailable } from './client.ts';

/** Refunds of one charge that are searched for ours: more than a payment can have. */
const pageLimit = 500;

/** Refunds of the account that are read at a time. */
const pageSize = 100;

/** The highest age of a refund before the cursor that may have been listed late, in seconds. */
const overlapSeconds = 3_600;

/**
 * Returns the port of Stripe's refunds. The refund's id is the idempotency key and is in the metadata.
 * Without a cursor, or when Stripe no longer has the cursor's refund, only the newest page is listed.
 */
export function createStripeRefunds(stripe: Stripe): RefundNetwork {
  const listOf = (intent: string): Promise<Stripe.Refund[]> => {
    const listed = stripe.refunds.list({ payment_intent: intent, limit: 100 });
    return orUnavailable(listed.autoPagingToArray({ limit: pageLimit }));
  };

  /** Returns the account's refunds after one of them, newest first. Null: Stripe no longer knows that one. */
  const pageAfter = (cursor: string | null): Promise<Stripe.ApiList<Stripe.Refund> | null> =>
    orUnavailable<Stripe.ApiList<Stripe.Refund> | null>(
      stripe.refunds.list({ limit: pageSize, ...(cursor === null ? {} : { ending_before: cursor }) }),
      (error) => (cursor !== null && isMissing(error) ? null : undefined),
    );

  const find = async (request: RefundRequest): Promise<NetworkRefund | null> => {
    const refunds = await listOf(chargeOf(request));
    const own = refunds.find(({ metadata }) => metadata?.['refundId'] === request.key);
    return own ? refundOf(own, request) : null;
  };

  return {
    async refund(request) {
      const made = await orUnavailable<Stripe.Refund | 'refused'>(
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
    // Stripe closes no keys. It stores a refusal under its key for a day, and the list that is read before
    // every send contains the refunds that were made.
    voidRefund: null,
    elsewhere: {
      async listNewRefunds(cursor) {
        const page = (await pageAfter(cursor)) ?? (await pageAfter(null));
        const [newest] = page?.data ?? [];
        if (!page || !newest) return { refunds: [], cursor, more: false };
        const refunds = page.data.flatMap(listedRefund);
        return { refunds, cursor: newest.id, more: cursor !== null && page.has_more };
      },
      async listRefundsBehind(cursor, now) {
        const page = await orUnavailable<Stripe.ApiList<Stripe.Refund> | null>(
          stripe.refunds.list({ limit: pageSize, starting_after: cursor }),
          (error) => (isMissing(error) ? null : undefined),
        );
        const refunds = page?.data ?? [];
        const earliest = now.getTime() / 1_000 - overlapSeconds;
        // A failed refund is never stored, so it would be new at each reading.
        return refunds
          .filter(({ created, status }) => created >= earliest && !isFailed(status))
          .flatMap(listedRefund);
      },
      refundsOf: async (chargeReference) => (await listOf(chargeReference)).map(foundRefund),
    },
  };
}

const isFailed = (status: string | null): boolean => status === 'failed' || status === 'canceled';

/** Returns a refund of the account's list; none for a refund without a payment intent. */
const listedRefund = ({ id, metadata, payment_intent: intent }: Stripe.Refund) =>
  typeof intent === 'string'
    ? [{ reference: id, key: metadata?.['refundId'] ?? null, chargeReference: intent }]
    : [];

/** Returns whether Stripe refused definitely, so that nothing was refunded under this key. */
const isRefused = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  error.statusCode === 400 &&
  error.code !== 'lock_timeout';

const keyed = ({ key, paymentId, amountCents }: RefundRequest) => ({ key, paymentId, amountCents });

const chargeOf = ({ chargeReference }: RefundRequest): string => {
  if (chargeReference !== null) return chargeReference;
  throw new ProviderUnavailable('network', false, 'the charge behind the refund is not known');
};

/** Returns the refund. An answer about another refund, amount or currency proves nothing and is an error. */
function refundOf(refund: Stripe.Refund, request: RefundRequest): NetworkRefund {
  const same = refund.metadata?.['refundId'] === request.key && refund.amount === request.amountCents;
  if (!same || refund.currency !== 'usd') {
    throw new ProviderUnavailable('network', true, 'the answer is about another refund');
  }
  return { ...keyed(request), ...stateOf(refund) };
}

/** The service's refund reasons by Stripe's names, without those that only Stripe itself gives. */
const reasons: Readonly<Record<string, RefundReason>> = {
  duplicate: 'duplicate',
  fraudulent: 'fraudulent',
  requested_by_customer: 'requestedByCustomer',
};

function foundRefund(refund: Stripe.Refund): FoundRefund {
  if (refund.currency !== 'usd') {
    throw new ProviderUnavailable('network', true, 'a refund is in another currency than its charge');
  }
  return {
    reference: refund.id,
    key: refund.metadata?.['refundId'] ?? null,
    amountCents: refund.amount,
    reason: refund.reason === null ? null : (entryNamed(reasons, refund.reason) ?? 'other'),
    ...stateOf(refund),
  };
}

function stateOf({ status }: Stripe.Refund): Pick<NetworkRefund, 'status' | 'failureCode'> {
  switch (status) {
    case 'succeeded':
      return { status: 'succeeded', failureCode: null };
    case 'pending':
    case 'requires_action':
      return { status: 'pending', failureCode: null };
    case 'failed':
    case 'canceled':
      return { status: 'failed', failureCode: 'refund_rejected' };
    case null:
    default:
      throw new ProviderUnavailable('network', true, 'the refund is in a state that is not known here');
  }
}
