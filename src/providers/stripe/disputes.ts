import { Stripe } from 'stripe';
import { type DisputeNetwork, type NetworkDispute, ProviderUnavailable } from '../ports.ts';
import { calling, isMissing } from './client.ts';
import { evidenceOf } from './evidence.ts';

/** Events read at a time; each names a dispute, which is then read itself. */
const pageSize = 20;

const expand = ['payment_intent'];

/** The events about a dispute's beginning or change. */
const eventTypes = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
];

/**
 * Returns the port on Stripe's disputes. Changes are found by polling its list of events, which holds thirty
 * days; an event is only a hint, the dispute itself is read. Disputes of payments that were not made here
 * have no payment of ours in their metadata, and are ignored.
 */
export function createStripeDisputes(stripe: Stripe): DisputeNetwork {
  const read = async (id: string): Promise<NetworkDispute | null> => {
    const dispute = await calling<Stripe.Dispute | null>(stripe.disputes.retrieve(id, { expand }), (error) =>
      isMissing(error) ? null : undefined,
    );
    return dispute && disputeOf(dispute);
  };

  /** Newest first. Null: the event of the cursor is older than what Stripe keeps. */
  const eventsAfter = (cursor: string | null): Promise<Stripe.ApiList<Stripe.Event> | null> =>
    calling<Stripe.ApiList<Stripe.Event> | null>(
      stripe.events.list({
        types: eventTypes,
        limit: pageSize,
        ...(cursor === null ? {} : { ending_before: cursor }),
      }),
      (error) => (cursor !== null && isMissing(error) ? null : undefined),
    );

  const act = (call: Promise<Stripe.Dispute>): Promise<NetworkDispute | 'refused'> =>
    calling<Stripe.Dispute | null>(call, (error) => (isRefused(error) ? null : undefined)).then((dispute) =>
      dispute ? (disputeOf(dispute) ?? 'refused') : 'refused',
    );

  return {
    async listDisputeChanges(cursor) {
      const page = (await eventsAfter(cursor)) ?? (await eventsAfter(null));
      const events = page?.data ?? [];
      const [newest] = events;
      if (!page || !newest) return { disputes: [], cursor, more: false };
      const ids = new Set(events.toReversed().flatMap((event) => disputeIdIn(event) ?? []));
      const disputes: NetworkDispute[] = [];
      for (const id of ids) {
        const dispute = await read(id);
        if (dispute) disputes.push(dispute);
      }
      return { disputes, cursor: newest.id, more: cursor !== null && page.has_more };
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

const disputeIdIn = ({ data }: Stripe.Event): string | null => {
  const { object, id } = data.object as { object?: unknown; id?: unknown };
  return object === 'dispute' && typeof id === 'string' ? id : null;
};

const stages = { inquiry: 'inquiry', chargeback: 'chargeback' } as const;

/** Stripe's states as the service's; an inquiry that ends by itself was never a dispute of money. */
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

/** Days until the deadline where Stripe names none any more. */
const assumedDays = 7;

/**
 * Returns the dispute, null where its payment was not made here. Throws `ProviderUnavailable` for one that
 * cannot be read: in another currency, or in a state that this version does not know.
 */
function disputeOf(dispute: Stripe.Dispute): NetworkDispute | null {
  const intent = typeof dispute.payment_intent === 'object' ? dispute.payment_intent : null;
  const paymentId = intent?.metadata['paymentId'];
  if (!intent || !paymentId) return null;
  const state = states[dispute.status];
  if (!state || dispute.currency !== 'usd') {
    throw new ProviderUnavailable('network', true, 'the dispute is in a state that is not known here');
  }
  const due = dispute.evidence_details.due_by ?? dispute.created + assumedDays * 86_400;
  return {
    disputeId: dispute.id,
    paymentId,
    chargeReference: intent.id,
    amountCents: dispute.amount,
    reason: dispute.reason,
    ...state,
    evidenceDueAt: new Date(due * 1000).toISOString(),
    createdAt: new Date(dispute.created * 1000).toISOString(),
  };
}
