import { log } from '@temporalio/activity';
import { type CommitResult, commitTransition } from '../db/transitions.ts';
import type { Transition } from '../db/transition.ts';
import { type Database, isDataRefused } from '../db/database.ts';
import { markUnknown } from '../db/attempt-answers.ts';
import { type ResumedPayment, resumePayment } from '../db/payment-ownership.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import type { RefundRecord } from '../domain/refund.ts';
import { callingRunId } from './calling-run.ts';

/** What a payment's workflow hears of a commit. */
export type Committed = Omit<CommitResult, 'eventId' | 'refund'> & {
  /** The database refuses the transition for ever as it is: written without its texts, or not at all. */
  refused?: 'texts' | 'all';
};

/** PostgreSQL writes of the payment workflow, run as local activities beside it. */
export interface TransitionActivities {
  commitTransition(transition: Transition): Promise<Committed>;
  /** Notes that nobody waits for the attempt's answer any more. */
  markUnknown(input: { paymentId: string; attemptNo: number }): Promise<void>;
  /** What a run that starts, or goes on, from the rows calls first. */
  resumePayment(input: { paymentId: string }): Promise<ResumedPayment>;
}

/**
 * Returns the activities that write a payment's rows in the name of the calling run. Deliveries of what was
 * committed, and the refund of a late success, are started from here, beside it; the sweeps start what is
 * missing.
 */
export function createTransitionActivities(deps: {
  database: Database;
  webhooks: WebhookDispatcher;
  /** Starts a refund's workflow, which delivers these events first. */
  startRefund: (refund: RefundRecord, eventIds: string[]) => Promise<void>;
}): TransitionActivities {
  const { database, webhooks, startRefund } = deps;

  const commit = async (transition: Transition): Promise<Committed> => {
    const { eventId, refund, ...committed } = await commitTransition(database, transition, callingRunId());
    if (eventId !== null) webhooks.dispatch(eventId);
    if (refund) {
      void startRefund(refund.row, refund.eventIds).catch((error: unknown) =>
        log.warn('the refund of a late success was not started; the sweep will', { error }),
      );
    }
    return committed;
  };

  return {
    commitTransition: async (transition) => {
      try {
        return await commit(transition);
      } catch (error) {
        if (!isDataRefused(error)) throw error;
        log.error('the database refuses a transition; it is written without its texts', { error });
        return { ...(await commit(withoutTexts(transition))), refused: 'texts' };
      }
    },
    markUnknown: ({ paymentId, attemptNo }) => markUnknown(database, paymentId, attemptNo),
    resumePayment: ({ paymentId }) => resumePayment(database, paymentId, callingRunId()),
  };
}

/** What a provider said in words is the only part of a transition that is not our own. */
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
