import { type CommitResult, type Transition, commitTransition } from '../db/transitions.ts';
import type { Database } from '../db/database.ts';
import { type ResumedPayment, resumePayment } from '../db/payment-ownership.ts';
import { callingRunId } from './calling-run.ts';

/** PostgreSQL writes of the payment workflow, run as local activities beside it. */
export interface TransitionActivities {
  commitTransition(transition: Transition): Promise<CommitResult>;
  /** What a run that starts, or goes on, from the rows calls first. */
  resumePayment(input: { paymentId: string }): Promise<ResumedPayment>;
}

/** Returns the activities that write a payment's rows in the name of the calling run. */
export function createTransitionActivities(deps: { database: Database }): TransitionActivities {
  return {
    commitTransition: (transition) => commitTransition(deps.database, transition, callingRunId()),
    resumePayment: ({ paymentId }) => resumePayment(deps.database, paymentId, callingRunId()),
  };
}
