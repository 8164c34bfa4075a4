import { Stripe } from 'stripe';
import { z } from 'zod';
import { ProviderUnavailable } from '../ports.ts';
import {
  type DisputeNetwork,
  DisputeUnreadable,
  type NetworkDispute,
  type UnreadableDispute,
} from '../dispute-port.ts';
import { plausibleDispute } from '../plausible-dispute.ts';
import { isMissing, orUnavailable } from './client.ts';
import { evidenceOf } from './evidence.ts';

/** Events that are read at a time. Each names a dispute, which is then read itself. */
const pageSize = 20;

const expand = ['payment_intent'];

/** The events about a new or changed dispute. */
const eventTypes = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
];

/**
 * Returns the port of Stripe's disputes. Changes are found by polling its list of events, which covers thirty
 * days. Without a cursor, or when Stripe no longer keeps the cursor's event, only the newest page is read. An
 * event is only a hint; the dispute itself is read. Disputes of payments that were not made here have no
 * payment of ours in their metadata and are ignored.
 */
export function createStripeDisputes(stripe: Stripe): DisputeNetwork {
  const retrieve = (id: string): Promise<Stripe.Dispute | null> =>
    orUnavailable<Stripe.Dispute | null>(stripe.disputes.retrieve(id, { expand }), (error) =>
      isMissing(error) ? null : undefined,
    );
  const read = async (id: string): Promise<NetworkDispute | null> => {
    const dispute = await retrieve(id);
    return dispute && disputeOf(dispute);
  };

  /** Returns a dispute of the list, null when it is of no payment of ours, or why it cannot be read. */
  const readListed = async ({ id, intent }: Listed): Promise<NetworkDispute | UnreadableDispute | null> => {
    const unreadable = { disputeId: id, paymentId: null, chargeReference: intent };
    let dispute: Stripe.Dispute | null;
    try {
      dispute = await retrieve(id);
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      return { ...unreadable, problem: 'no_answer' };
    }
    try {
      const found = dispute && disputeOf(dispute);
      // Its event names an intent, but the dispute itself names none, so its payment cannot be read.
      const isCut = found === null && dispute !== null && intent !== null && !hasIntent(dispute);
      return isCut ? { ...unreadable, problem: 'malformed' } : found;
    } catch (error) {
      if (!(error instanceof DisputeUnreadable)) throw error;
      return { ...unreadable, ...(dispute && ownerOf(dispute)), problem: error.problem };
    }
  };

  /** Returns events, newest first. Null: the cursor's event is older than those that Stripe keeps. */
  const eventsAfter = (cursor: string | null): Promise<Stripe.ApiList<Stripe.Event> | null> =>
    orUnavailable<Stripe.ApiList<Stripe.Event> | null>(
      stripe.events.list({
        types: eventTypes,
        limit: pageSize,
        ...(cursor === null ? {} : { ending_before: cursor }),
      }),
      (error) => (cursor !== null && isMissing(error) ? null : undefined),
    );

  const act = (call: Promise<Stripe.Dispute>): Promise<NetworkDispute | 'refused'> =>
    orUnavailable<Stripe.Dispute | null>(call, (error) => (isRefused(error) ? null : undefined)).then(
      (dispute) => (dispute ? (disputeOf(dispute) ?? 'refused') : 'refused'),
    );

  return {
    async listDisputeChanges(cursor) {
      const page = (await eventsAfter(cursor)) ?? (await eventsAfter(null));
      const events = page?.data ?? [];
      const [newest] = events;
      if (!page || !newest) return { disputes: [], unreadable: [], cursor, more: false };
      const listed = new Map(
        events
          .toReversed()
          .flatMap((event) => listedIn(event) ?? [])
          .map((one) => [one.id, one]),
      );
      const disputes: NetworkDispute[] = [];
      const unreadable: UnreadableDispute[] = [];
      for (const one of listed.values()) {
        const dispute = await readListed(one);
        if (dispute === null) continue;
        if ('problem' in dispute) unreadable.push(dispute);
        else disputes.push(dispute);
      }
      // When Stripe answers for no dispute, none of them is at fault, and the page is read again.
      if (
        listed.size > 0 &&
        unreadable.filter(({ problem }) => problem === 'no_answer').length === listed.size
      ) {
        throw new ProviderUnavailable('network', true, 'no dispute of the page was answered');
      }
      return { disputes, unreadable, cursor: newest.id, more: cursor !== null && page.has_more };
    },
    readDispute: read,
    submitEvidence: (id, key, evidence) =>
      act(
        stripe.disputes.update(
          id,
          { evidence: evidenceOf(evidence), submit: true, expand },
          { idempotencyKey: key },
        ),
      ),
    acceptDispute: (id, key) => act(stripe.disputes.close(id, { expand }, { idempotencyKey: key })),
  };
}

const isRefused = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 400;

/** A dispute that an event names, and the payment intent behind it. */
interface Listed {
  id: string;
  intent: string | null;
}

const listedIn = ({ data }: Stripe.Event): Listed | null => {
  const {
    object,
    id,
    payment_intent: intent,
  } = data.object as {
    object?: unknown;
    id?: unknown;
    payment_intent?: unknown;
  };
  if (object !== 'dispute' || typeof id !== 'string') return null;
  return { id, intent: typeof intent === 'string' ? intent : null };
};

const stages = { inquiry: 'inquiry', chargeback: 'chargeback' } as const;

/** Stripe's states as the service's. An inquiry that ends by itself was never a dispute of money. */
const states: Readonly<Record<string, Pick<NetworkDispute, 'status' | 'stage'>>> = {
  warning_needs_response: { status: 'needsResponse', stage: stages.inquiry },
  warning_under_review: { status: 'underReview', stage: stages.inquiry },
  warning_closed: { status: 'withdrawn', stage: stages.inquiry },
  prevented: { status: 'withdrawn', stage: stages.inquiry },
  needs_response: { status: 'needsResponse', stage: stages.chargeback },
  under_review: { status: 'underReview', stage: stages.chargeback },
  won: { status: 'won', stage: stages.chargeback },
  lost: { status: 'lost', stage: stages.chargeback },
};

/** An instant of Stripe's, in seconds, that a Date can hold. */
const instant = z.int().min(0).max(253_402_300_799);
/** The parts of a dispute that are read. Stripe adds members and values without a new version. */
const disputeShape = z.object({
  id: z.string().min(1).max(128),
  amount: z.int(),
  currency: z.string(),
  reason: z.string().min(1).max(128),
  status: z.string(),
  created: instant,
  evidence_details: z.object({ due_by: instant.nullish() }),
});

const hasIntent = ({ payment_intent: intent }: Stripe.Dispute): boolean =>
  typeof intent === 'object' && intent !== null;

/** Returns our payment behind a dispute and the intent that took its money; null: it is not ours. */
function ownerOf(dispute: Stripe.Dispute): { paymentId: string; chargeReference: string } | null {
  const { payment_intent: intent } = dispute as { payment_intent?: Stripe.PaymentIntent | string | null };
  if (typeof intent !== 'object' || intent === null) return null;
  const { metadata } = intent as { metadata?: Record<string, string> | null };
  const paymentId = metadata?.['paymentId'];
  return paymentId ? { paymentId, chargeReference: intent.id } : null;
}

/**
 * Returns the dispute; null when its payment was not made here. Throws `DisputeUnreadable` for a dispute that
 * this version does not understand: in another currency, in an unknown state, or malformed.
 */
function disputeOf(dispute: Stripe.Dispute): NetworkDispute | null {
  const owner = ownerOf(dispute);
  if (!owner) return null;
  const shape = disputeShape.safeParse(dispute);
  if (!shape.success) throw new DisputeUnreadable('malformed');
  const { id, amount, currency, reason, status, created, evidence_details: evidence } = shape.data;
  if (currency !== 'usd') throw new DisputeUnreadable('other_currency');
  const state = Object.hasOwn(states, status) ? states[status] : undefined;
  if (!state) throw new DisputeUnreadable('unknown_state');
  const { due_by: due = null } = evidence;
  return plausibleDispute({
    disputeId: id,
    ...owner,
    amountCents: amount,
    reason,
    ...state,
    evidenceDueAt: due === null ? null : new Date(due * 1000).toISOString(),
    createdAt: new Date(created * 1000).toISOString(),
  });
}
