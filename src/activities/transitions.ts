import { type CommitResult, type Transition, commitTransition } from '../db/transitions.ts';
import type { Database } from '../db/database.ts';
import type { FaultLog } from './fault-log.ts';
import { callingRunId } from './run-id.ts';

/** PostgreSQL writes of the payment workflow, run as local activities beside it. */
export interface TransitionActivities {
  commitTransition(transition: Transition): Promise<CommitResult>;
}

export function createTransitionActivities(deps: {
  database: Database;
  logFault: FaultLog;
}): TransitionActivities {
  return {
    commitTransition: async (transition) => {
      try {
        return await commitTransition(deps.database, transition, callingRunId());
      } catch (error) {
        deps.logFault('commitTransition', transition.paymentId, error);
        throw error;
      }
    },
  };
}
