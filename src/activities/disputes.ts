import { createHash } from 'node:crypto';
import { log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { inTransaction, type Database } from '../db/server/database.ts';
import {
  markAutoSubmitted,
  markEvidenceSubmitted,
  unmarkEvidenceSubmitted,
} from '../db/disputes/dispute-evidence.ts';
import {
  markDisputeUnreadable,
  scheduleDisputeCheck,
  clearUnreadableDispute,
} from '../db/disputes/dispute-checks.ts';
import { loadDispute } from '../db/disputes/dispute-reads.ts';
import { type DisputeUpdate, disputeIdOf, recordDispute, remindOfEvidence } from '../db/disputes/disputes.ts';
import type { Written } from '../db/payments/payment-changes.ts';
import {
  type DisputeRecord,
  type DisputeResolution,
  type DisputeStatus,
  isClosedDispute,
} from '../domain/dispute.ts';
import { nextDisputeCheck, stageBeganAt } from '../domain/dispute-agenda.ts';
import type { PaymentStatus } from '../domain/statuses.ts';
import type { ConnectorOwner, Connectors } from '../providers/connectors.ts';
import { type DisputeNetwork, DisputeUnreadable, type NetworkDispute } from '../providers/dispute-port.ts';
import { disputeUnreadable } from '../temporal/contract/dispute.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';

/** The facts of a dispute that its workflow needs. Instants in epoch ms. */
export interface DisputeFacts {
  status: DisputeStatus;
  paymentStatus: PaymentStatus;
  /** When the dispute's present stage began. */
  createdAtMs: number;
  evidenceDueAtMs: number;
  /** Null: no evidence is with the network, or on its way there. */
  submittedAtMs: number | null;
  reminded: number[];
  autoSubmitted: boolean;
}

/** The result of an answer to a dispute. */
export interface AnswerResult {
  refused: AnswerRefusal | null;
}

/** Why the network refused an answer to a dispute. */
export type AnswerRefusal =
  'dispute_closed' | 'evidence_already_submitted' | 'evidence_past_due' | 'service_unavailable';

/**
 * The activities a dispute's workflow calls, as it sees them. Each may run any number of times. When the
 * network's dispute is not understood, it is put aside and the activity fails with `dispute_unreadable`,
 * which is not retried.
 */
export interface DisputeActivities {
  /**
   * Reads the dispute at the network and stores it. Returns null when the network has no such dispute, or
   * when it is of no payment of this connector. Throws while its payment is not known to be paid.
   */
  refreshDispute(input: ConnectorOwner & { reference: string }): Promise<DisputeFacts | null>;
  /** Notifies the merchant once that this many hours are left. */
  remindOfEvidence(input: { disputeId: string; hours: number }): Promise<void>;
  /** Submits the staged evidence; `automatic` does so only when there is some and the merchant wants it. */
  submitEvidence(input: { disputeId: string; automatic: boolean }): Promise<AnswerResult>;
  /** Accepts the dispute: it is lost. */
  acceptDispute(input: { disputeId: string }): Promise<AnswerResult>;
}

export interface DisputeActivityDeps {
  database: Database;
  connectors: Connectors;
  /** Starts the deliveries of committed events. */
  webhooks: Pick<WebhookDispatcher, 'dispatch'>;
  now: () => number;
}

/** Returns the status under which a network's dispute is stored: a withdrawn dispute is won. */
export const storedStatus = (status: NetworkDispute['status']): DisputeStatus =>
  status === 'withdrawn' ? 'won' : status;

function toUpdate(
  dispute: NetworkDispute,
  { connectorId, environment }: ConnectorOwner,
  resolution: DisputeResolution | null = null,
): DisputeUpdate {
  const withdrawn = dispute.status === 'withdrawn';
  return {
    providerReference: dispute.disputeId,
    paymentId: dispute.paymentId,
    connectorId,
    environment,
    chargeReference: dispute.chargeReference,
    amountCents: dispute.amountCents,
    reason: dispute.reason,
    stage: dispute.stage,
    status: storedStatus(dispute.status),
    resolution: withdrawn ? 'withdrawn' : resolution,
    evidenceDueAt: dispute.evidenceDueAt === null ? null : new Date(dispute.evidenceDueAt),
    createdAt: new Date(dispute.createdAt),
  };
}

const factsOf = ({ row: dispute, paymentStatus }: Written<DisputeRecord>): DisputeFacts => ({
  status: dispute.status,
  paymentStatus,
  createdAtMs: stageBeganAt(dispute).getTime(),
  evidenceDueAtMs: dispute.evidenceDueAt.getTime(),
  submittedAtMs: dispute.submittedAt?.getTime() ?? null,
  reminded: dispute.reminded,
  autoSubmitted: dispute.autoSubmitted,
});

/**
 * Returns the idempotency key of an answer to a stage of a dispute. The key of the first stage does not name
 * the stage. `submit` adds a digest of the evidence, because a network may keep its refusal of a key.
 */
const answerKey = ({ id, stage, reopenedAt }: DisputeRecord, answer: 'submit' | 'accept'): string =>
  reopenedAt === null ? `${id}:${answer}` : `${id}:${answer}:${stage}`;

/** Returns a short digest of the evidence that is the same for the same texts in any order. */
const digestOf = (evidence: DisputeRecord['evidence']): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(evidence).toSorted(([one], [other]) => (one < other ? -1 : 1))))
    .digest('hex')
    .slice(0, 16);

const done: AnswerResult = { refused: null };

/** Returns the activities that read and answer disputes at the network and store them. */
export function createDisputeActivities(deps: DisputeActivityDeps): DisputeActivities {
  const { database, connectors, webhooks, now } = deps;
  const record = createRecorder(deps);
  const { markUnreadable, orMarkUnreadable } = createUnreadableMarker(deps);
  const networkOf = async (owner: ConnectorOwner): Promise<DisputeNetwork> =>
    (await connectors.portsOf(owner)).disputes;

  /** Returns why the network refused. Reads the dispute there and stores its present state. */
  const refusedBecause = async (dispute: DisputeRecord): Promise<{ refused: AnswerRefusal }> => {
    const network = await networkOf(dispute);
    const read = await network.readDispute(dispute.providerReference);
    const recorded = read && (await record(toUpdate(read, dispute)));
    if (!recorded || isClosedDispute(recorded.row.status)) return { refused: 'dispute_closed' };
    const submitted = recorded.row.status === 'underReview';
    return { refused: submitted ? 'evidence_already_submitted' : 'evidence_past_due' };
  };

  /** Submits the staged evidence. It is marked first, so that the rows show what the network receives. */
  const submit = async (disputeId: string): Promise<AnswerResult> => {
    const marked = await markEvidenceSubmitted(database, disputeId, new Date(now()));
    if (!marked) {
      const stored = await loadDispute(database, disputeId);
      return {
        refused: stored?.status === 'underReview' ? 'evidence_already_submitted' : 'dispute_closed',
      };
    }
    const network = await networkOf(marked);
    const answer = await network.submitEvidence(
      marked.providerReference,
      `${answerKey(marked, 'submit')}:${digestOf(marked.evidence)}`,
      marked.evidence,
    );
    if (answer !== 'refused') {
      await record(toUpdate(answer, marked));
      return done;
    }
    const because = await refusedBecause(marked);
    if (because.refused === 'evidence_past_due') await unmarkEvidenceSubmitted(database, disputeId);
    return because;
  };

  /** Returns the network's id of a dispute; empty when there is no such dispute. */
  const referenceOf = async (disputeId: string): Promise<string> =>
    (await loadDispute(database, disputeId))?.providerReference ?? '';

  const refresh = async (reference: string, owner: ConnectorOwner): Promise<DisputeFacts | null> => {
    const network = await networkOf(owner);
    const read = await network.readDispute(reference);
    const recorded = read && (await record(toUpdate(read, owner)));
    if (recorded) return factsOf(recorded);
    // This connector's network has no such dispute, or the dispute is of no payment of this connector.
    await markUnreadable(reference, 'not_of_this_payment', true);
    return null;
  };

  const accept = async (disputeId: string): Promise<AnswerResult> => {
    const stored = await loadDispute(database, disputeId);
    if (!stored) return { refused: 'dispute_closed' };
    const network = await networkOf(stored);
    const answer = await network.acceptDispute(stored.providerReference, answerKey(stored, 'accept'));
    if (answer === 'refused') return refusedBecause(stored);
    await record(toUpdate(answer, stored, 'accepted'));
    return done;
  };

  const submitAutomatically = async (disputeId: string): Promise<AnswerResult> => {
    const stored = await loadDispute(database, disputeId);
    const staged = stored !== null && Object.keys(stored.evidence).length > 0;
    const answer = staged && stored.autoSubmit ? await submit(disputeId) : done;
    await markAutoSubmitted(database, disputeId);
    return answer;
  };

  return {
    refreshDispute: ({ reference, ...owner }) => orMarkUnreadable(reference, () => refresh(reference, owner)),

    remindOfEvidence: async ({ disputeId, hours }) => {
      const eventIds = await inTransaction(database, (transaction) =>
        remindOfEvidence(transaction, disputeId, hours, new Date(now())),
      );
      for (const eventId of eventIds) webhooks.dispatch(eventId);
    },

    submitEvidence: async ({ disputeId, automatic }) =>
      orMarkUnreadable(await referenceOf(disputeId), () =>
        automatic ? submitAutomatically(disputeId) : submit(disputeId),
      ),

    acceptDispute: async ({ disputeId }) =>
      orMarkUnreadable(await referenceOf(disputeId), () => accept(disputeId)),
  };
}

/**
 * Returns the function that stores a dispute from the network. It returns null when the payment is unknown
 * here or of another connector, and throws while the payment is not known to be paid. It throws
 * `DisputeUnreadable` when the payment is final and was never paid: a person decides about that money.
 */
function createRecorder({ database, webhooks, now }: DisputeActivityDeps) {
  return async (update: DisputeUpdate): Promise<Written<DisputeRecord> | null> => {
    const at = new Date(now());
    const recorded = await inTransaction(database, async (transaction) => {
      const written = await recordDispute(transaction, update, at);
      if (typeof written === 'object') {
        await scheduleDisputeCheck(transaction, written.row.id, nextDisputeCheck(written.row, at));
        await clearUnreadableDispute(transaction, update.providerReference, at);
      }
      return written;
    });
    if (recorded === 'unknown_payment') return null;
    if (recorded === 'never_paid') throw new DisputeUnreadable('payment_never_paid');
    // Temporal retries the activity: the payment's own workflow will soon record that it is paid.
    if (recorded === 'too_early') {
      throw new Error(`payment ${update.paymentId} is disputed and not known to be paid yet`);
    }
    for (const eventId of recorded.eventIds) webhooks.dispatch(eventId);
    return recorded;
  };
}

/** Returns the functions that put an unreadable dispute aside, with an alert, until it is read again. */
function createUnreadableMarker({ database, now }: DisputeActivityDeps) {
  const markUnreadable = async (reference: string, detail: string, onlyIfKnown: boolean): Promise<void> => {
    const dispute = { id: disputeIdOf(reference), reference, detail, onlyIfKnown };
    if (await markDisputeUnreadable(database, dispute, new Date(now()))) {
      log.warn('needs attention: a dispute of the network cannot be stored', { reference, detail });
    }
  };

  /** Runs work that reads the network's dispute. An unreadable one is put aside, and the work fails. */
  const orMarkUnreadable = async <T>(reference: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DisputeUnreadable)) throw error;
      await markUnreadable(reference, error.problem, false);
      throw ApplicationFailure.create({
        message: error.message,
        type: disputeUnreadable,
        nonRetryable: true,
        category: ApplicationFailureCategory.BENIGN,
        cause: error,
      });
    }
  };
  return { markUnreadable, orMarkUnreadable };
}
