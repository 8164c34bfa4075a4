import { ApplicationFailure, Context, log } from '@temporalio/activity';
import { markUnknown } from '../db/payments/attempt-answers.ts';
import { type Database, isDataRefused } from '../db/server/database.ts';
import { type ResumedPayment, resumePayment } from '../db/payments/payment-ownership.ts';
import { type CommitResult, type AnswerRecord, commitTransition } from '../db/payments/transitions.ts';
import type { RefundRecord } from '../domain/refund.ts';
import type { Transition } from '../domain/transition.ts';
import { attemptsTotal, timeToPaidSeconds } from '../metrics/series.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';

/** The outcome under which metrics count an attempt's status; a released attempt reached no provider. */
const outcomes = {
  paid: 'paid',
  declined: 'declined',
  failed: 'failed',
  requiresAction: 'requires_action',
  voided: 'voided',
  released: null,
} as const satisfies Record<NonNullable<Transition['attempt']>['status'], string | null>;

/** The result of a commit, as the payment's workflow gets it. */
export type Committed = Omit<CommitResult, 'eventId' | 'refund' | 'counted'> & {
  /**
   * The database can never store the transition's texts, so it was stored without them. `all`: it was not
   * stored, in histories of earlier versions.
   */
  refused?: 'texts' | 'all';
};

/** PostgreSQL writes of the payment workflow, run as local activities beside it. */
export interface TransitionActivities {
  commitTransition(transition: Transition): Promise<Committed>;
  /** Records that no call waits for the attempt's answer any more. */
  markUnknown(input: { paymentId: string; attemptNo: number }): Promise<void>;
  /** Called first by a run that starts or resumes from the rows. */
  resumePayment(input: { paymentId: string }): Promise<ResumedPayment>;
}

/**
 * Writes a transition in the name of a workflow run. `answer`: the provider's answer that the transition
 * follows from, which is written with it if no other transition came first.
 */
export type CommitTransition = (
  transition: Transition,
  runId: string,
  answer?: AnswerRecord,
) => Promise<Committed>;

/**
 * Returns the function that commits transitions. It also starts the deliveries of committed events and the
 * refund of a late success, and does not wait for them. The sweeps start those that are missing.
 */
export function createCommit(deps: {
  database: Database;
  webhooks: Pick<WebhookDispatcher, 'dispatch'>;
  /** Starts a refund's workflow, which delivers these events first. */
  startRefund: (refund: RefundRecord, eventIds: string[]) => Promise<void>;
}): CommitTransition {
  const { database, webhooks, startRefund } = deps;
  return async (transition, runId, answer) => {
    const { eventId, refund, counted, ...committed } = await commitTransition(
      database,
      transition,
      runId,
      answer,
    );
    if (counted) {
      const { paidAfterSeconds, ...labels } = counted;
      const outcome = outcomes[transition.attempt?.status ?? 'released'];
      if (outcome !== null) attemptsTotal.inc({ ...labels, outcome });
      const { environment } = labels;
      if (paidAfterSeconds !== null)
        timeToPaidSeconds.observe({ environment }, Math.max(0, paidAfterSeconds));
    }
    if (eventId !== null) webhooks.dispatch(eventId);
    if (refund) {
      void startRefund(refund.row, refund.eventIds).catch((error: unknown) =>
        log.warn('the refund of a late success was not started; the sweep will', { error }),
      );
    }
    return committed;
  };
}

/**
 * Returns the id of the workflow run that called this activity. Its writes count only while that run owns the
 * payment.
 */
export function callingRunId(): string {
  const { workflowExecution } = Context.current().info;
  if (!workflowExecution) throw ApplicationFailure.nonRetryable('the activity was not called by a workflow');
  return workflowExecution.runId;
}

/** Returns the activities that write a payment's rows in the name of the calling run. */
export function createTransitionActivities(deps: {
  database: Database;
  commit: CommitTransition;
}): TransitionActivities {
  const { database, commit } = deps;
  return {
    commitTransition: async (transition) => {
      try {
        return await commit(transition, callingRunId());
      } catch (error) {
        if (!isDataRefused(error)) throw error;
        log.error('the database refuses a transition; it is written without its texts', { error });
        return { ...(await commit(withoutTexts(transition), callingRunId())), refused: 'texts' };
      }
    },
    markUnknown: async ({ paymentId, attemptNo }) => {
      const marked = await markUnknown(database, paymentId, attemptNo);
      if (marked !== null) attemptsTotal.inc({ ...marked, outcome: 'unknown' });
    },
    resumePayment: ({ paymentId }) => resumePayment(database, paymentId, callingRunId()),
  };
}

/**
 * Returns the transition without the provider's texts, the only part that this service did not write itself.
 */
function withoutTexts(transition: Transition): Transition {
  const { failure, attempt } = transition;
  return {
    ...transition,
    failure: failure && { code: 'processing_error', message: 'The payment could not be processed.' },
    attempt: attempt && {
      ...attempt,
      failureCode: attempt.failureCode && 'processing_error',
      message: attempt.message && 'The payment could not be processed.',
    },
  };
}
