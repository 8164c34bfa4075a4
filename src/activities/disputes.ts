import { inTransaction, type Database } from '../db/database.ts';
import { markEvidenceSubmitted, unmarkEvidenceSubmitted } from '../db/dispute-evidence.ts';
import { loadDispute } from '../db/dispute-reads.ts';
import { type DisputeUpdate, recordDispute, remindOfEvidence } from '../db/disputes.ts';
import type { Written } from '../db/payment-changes.ts';
import { type DisputeRecord, type DisputeResolution, isClosedDispute } from '../domain/dispute.ts';
import type { DisputeNetwork, NetworkDispute } from '../providers/ports.ts';

/** What a dispute's workflow needs to know of it. Instants in epoch ms. */
export interface DisputeFacts {
  closed: boolean;
  submitted: boolean;
  createdAtMs: number;
  evidenceDueAtMs: number;
  /** Of the events this look made. */
  eventIds: string[];
}

/** What became of an answer to a dispute. */
export interface AnswerResult {
  refused: AnswerRefusal | null;
  eventIds: string[];
}

/** Why the network did not take an answer to a dispute. */
export type AnswerRefusal = 'dispute_closed' | 'evidence_already_submitted' | 'evidence_past_due';

/** The activities a dispute's workflow calls, as it sees them. Each may run any number of times. */
export interface DisputeActivities {
  /** Reads the dispute at the network and writes it down; null when there is no such dispute. */
  refreshDispute(input: { reference: string }): Promise<DisputeFacts | null>;
  /** Tells the merchant once that so many hours are left. */
  remindOfEvidence(input: { disputeId: string; hours: number }): Promise<{ eventIds: string[] }>;
  /** Submits the staged evidence; `automatic` does so only when there is some and the merchant wants it. */
  submitEvidence(input: { disputeId: string; automatic: boolean }): Promise<AnswerResult>;
  /** Accepts the dispute: it is lost. */
  acceptDispute(input: { disputeId: string }): Promise<AnswerResult>;
}

export interface DisputeActivityDeps {
  database: Database;
  network: DisputeNetwork;
  now: () => number;
}

function toUpdate(dispute: NetworkDispute, resolution: DisputeResolution | null = null): DisputeUpdate {
  const withdrawn = dispute.status === 'withdrawn';
  return {
    providerReference: dispute.disputeId,
    paymentId: dispute.paymentId,
    amountCents: dispute.amountCents,
    reason: dispute.reason,
    stage: dispute.stage,
    status: dispute.status === 'withdrawn' ? 'won' : dispute.status,
    resolution: withdrawn ? 'withdrawn' : resolution,
    evidenceDueAt: new Date(dispute.evidenceDueAt),
    createdAt: new Date(dispute.createdAt),
  };
}

const factsOf = ({ row: dispute, eventIds }: Written<DisputeRecord>): DisputeFacts => ({
  closed: isClosedDispute(dispute.status),
  submitted: dispute.status === 'underReview',
  createdAtMs: dispute.createdAt.getTime(),
  evidenceDueAtMs: dispute.evidenceDueAt.getTime(),
  eventIds,
});

const nothing: AnswerResult = { refused: null, eventIds: [] };

/** Disputes at the network and in the rows. */
export function createDisputeActivities(deps: DisputeActivityDeps): DisputeActivities {
  const { database, network, now } = deps;

  const record = async (update: DisputeUpdate): Promise<Written<DisputeRecord> | null> => {
    const recorded = await inTransaction(database, (transaction) =>
      recordDispute(transaction, update, new Date(now())),
    );
    if (recorded === 'unknown_payment') return null;
    // Retried: the payment's own workflow is about to learn that it is paid.
    if (recorded === 'too_early') throw new Error('the disputed payment is not known to be paid yet');
    return recorded;
  };

  /** The network refused: reads why, and writes down how the dispute stands. */
  const refusedBecause = async (
    dispute: DisputeRecord,
  ): Promise<{ refused: AnswerRefusal; eventIds: string[] }> => {
    const read = await network.readDispute(dispute.providerReference);
    const recorded = read && (await record(toUpdate(read)));
    const eventIds = recorded?.eventIds ?? [];
    if (!recorded || isClosedDispute(recorded.row.status)) return { refused: 'dispute_closed', eventIds };
    const submitted = recorded.row.status === 'underReview';
    return { refused: submitted ? 'evidence_already_submitted' : 'evidence_past_due', eventIds };
  };

  return {
    refreshDispute: async ({ reference }) => {
      const read = await network.readDispute(reference);
      const recorded = read && (await record(toUpdate(read)));
      return recorded ? factsOf(recorded) : null;
    },

    remindOfEvidence: async ({ disputeId, hours }) => {
      const eventIds = await inTransaction(database, (transaction) =>
        remindOfEvidence(transaction, disputeId, hours, new Date(now())),
      );
      return { eventIds };
    },

    submitEvidence: async ({ disputeId, automatic }) => {
      const stored = await loadDispute(database, disputeId);
      if (automatic && (!stored?.autoSubmit || Object.keys(stored.evidence).length === 0)) {
        return nothing;
      }
      const marked = await markEvidenceSubmitted(database, disputeId, new Date(now()));
      if (!marked) {
        return {
          refused: stored?.status === 'underReview' ? 'evidence_already_submitted' : 'dispute_closed',
          eventIds: [],
        };
      }
      const key = `${disputeId}:submit`;
      const answer = await network.submitEvidence(marked.providerReference, key, marked.evidence);
      if (answer !== 'refused') {
        return { refused: null, eventIds: (await record(toUpdate(answer)))?.eventIds ?? [] };
      }
      const because = await refusedBecause(marked);
      if (because.refused === 'evidence_past_due') await unmarkEvidenceSubmitted(database, disputeId);
      return because;
    },

    acceptDispute: async ({ disputeId }) => {
      const stored = await loadDispute(database, disputeId);
      if (!stored) return { refused: 'dispute_closed', eventIds: [] };
      const answer = await network.acceptDispute(stored.providerReference, `${disputeId}:accept`);
      if (answer === 'refused') return refusedBecause(stored);
      return { refused: null, eventIds: (await record(toUpdate(answer, 'accepted')))?.eventIds ?? [] };
    },
  };
}
