import { entryNamed } from '../../domain/entry-named.ts';
import { Stripe } from 'stripe';
import type { ListedCharge, ListedDispute, ListedRefund, ListedSpan, NetworkListings } from '../listings.ts';
import { balanceEntryOf } from './balance.ts';
import { isMissing, orUnavailable } from './client.ts';

/** Objects of one page: the most that Stripe lists. */
const limit = 100;

/** Refunds of one charge that are searched for ours: more than a payment can have. */
const maxRefunds = 500;

/** Returns the object; null when Stripe has none. */
const orMissing = <Item>(call: Promise<Item>): Promise<Item | null> =>
  orUnavailable<Item | null>(call, (error) => (isMissing(error) ? null : undefined));

/** The common parts of Stripe's lists. */
interface StripePage<Item> {
  data: Item[];
  has_more: boolean;
}

/**
 * Returns the port of Stripe's lists. Charges are its payment intents, because each attempt has its own.
 * Objects that the account made without this service name no payment of ours in their metadata and are left
 * out. A refund or dispute that names none is found by its intent.
 */
export function createStripeListings(stripe: Stripe): NetworkListings {
  return {
    listCharges: (span, cursor) =>
      page(stripe.paymentIntents.list(parametersOf(span, cursor)), chargeOf, cursor),
    listRefunds: (span, cursor) => page(stripe.refunds.list(parametersOf(span, cursor)), refundOf, cursor),
    listDisputes: (span, cursor) =>
      page(
        stripe.disputes.list({ ...parametersOf(span, cursor), expand: ['data.payment_intent'] }),
        disputeOf,
        cursor,
      ),
    listBalance: (span, cursor) =>
      page(
        stripe.balanceTransactions.list({ ...parametersOf(span, cursor), expand: ['data.source'] }),
        balanceEntryOf,
        cursor,
        (error) => (error instanceof Stripe.errors.StripePermissionError ? nothing : undefined),
      ),
    findCharge: async ({ reference }) => {
      if (reference === null) return null;
      const intent = await orMissing(stripe.paymentIntents.retrieve(reference));
      return intent && chargeOf(intent);
    },
    findRefund: async ({ key, reference, chargeReference }) => {
      if (reference !== null) {
        const refund = await orMissing(stripe.refunds.retrieve(reference));
        return refund && refundOf(refund);
      }
      if (key === null || chargeReference === null) return null;
      const listed = stripe.refunds.list({ payment_intent: chargeReference, limit });
      const refunds = await orUnavailable(listed.autoPagingToArray({ limit: maxRefunds }));
      const found = refunds.find(({ metadata }) => metadata?.['refundId'] === key);
      return found ? refundOf(found) : null;
    },
    findDispute: async (reference) => {
      const dispute = await orMissing(stripe.disputes.retrieve(reference, { expand: ['payment_intent'] }));
      return dispute && disputeOf(dispute);
    },
  };
}

/** Stripe counts whole seconds, so an object at a span's edge may be listed in the adjacent span too. */
const parametersOf = ({ fromMs, toMs }: ListedSpan, cursor: string | null) => ({
  created: { gte: Math.floor(fromMs / 1_000), lt: Math.ceil(toMs / 1_000) },
  limit,
  ...(cursor === null ? {} : { starting_after: cursor }),
});

const nothing = { data: [], has_more: false };

async function page<Item extends { id: string }, Listed>(
  call: Promise<StripePage<Item>>,
  listed: (item: Item) => Listed | null,
  cursor: string | null,
  known?: (error: unknown) => StripePage<Item> | undefined,
) {
  const { data, has_more: hasMore } = await orUnavailable(call, known);
  const next = hasMore ? (data.at(-1)?.id ?? cursor) : null;
  return { items: data.flatMap((item) => listed(item) ?? []), unreadable: 0, next };
}

const chargeStatuses: Readonly<Record<string, ListedCharge['status']>> = {
  succeeded: 'captured',
  processing: 'open',
  requires_action: 'open',
  requires_confirmation: 'none',
  requires_payment_method: 'none',
  canceled: 'none',
};

function chargeOf(intent: Stripe.PaymentIntent): ListedCharge | null {
  const { paymentId, attempt, reference, creationKeyHash: keyHash } = intent.metadata;
  if (!paymentId || !attempt) return null;
  return {
    reference: intent.id,
    key: `${paymentId}:${attempt}`,
    paymentId,
    amountCents: intent.status === 'succeeded' ? intent.amount_received : intent.amount,
    currency: intent.currency.toUpperCase(),
    status: entryNamed(chargeStatuses, intent.status) ?? 'unreadable',
    createdAtMs: intent.created * 1_000,
    method: 'card',
    creation: reference ? { reference, keyHash: keyHash ?? null } : null,
  };
}

const refundStatuses: Readonly<Record<string, ListedRefund['status']>> = {
  pending: 'pending',
  requires_action: 'pending',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
};

function refundOf(refund: Stripe.Refund): ListedRefund | null {
  const { payment_intent: intent } = refund;
  if (typeof intent !== 'string') return null;
  return {
    reference: refund.id,
    key: refund.metadata?.['refundId'] ?? null,
    paymentId: refund.metadata?.['paymentId'] ?? null,
    chargeReference: intent,
    amountCents: refund.amount,
    currency: refund.currency.toUpperCase(),
    status: refundStatuses[refund.status ?? ''] ?? 'unreadable',
    createdAtMs: refund.created * 1_000,
  };
}

const disputeStatuses: Readonly<Record<string, ListedDispute['status']>> = {
  warning_needs_response: 'needsResponse',
  warning_under_review: 'underReview',
  warning_closed: 'withdrawn',
  prevented: 'withdrawn',
  needs_response: 'needsResponse',
  under_review: 'underReview',
  won: 'won',
  lost: 'lost',
};

function disputeOf(dispute: Stripe.Dispute): ListedDispute | null {
  const { payment_intent: intent } = dispute;
  if (typeof intent !== 'object' || intent === null) return null;
  const { paymentId } = intent.metadata;
  if (!paymentId) return null;
  return {
    reference: dispute.id,
    paymentId,
    chargeReference: intent.id,
    amountCents: dispute.amount,
    currency: dispute.currency.toUpperCase(),
    status: entryNamed(disputeStatuses, dispute.status) ?? 'unreadable',
    createdAtMs: dispute.created * 1_000,
  };
}
