import { type Transition, commitTransition } from '../db/transitions.ts';
import type { Database } from '../db/database.ts';

/** PostgreSQL writes of the payment workflow, run as local activities beside it. */
export interface TransitionActivities {
  commitTransition(transition: Transition): Promise<{ eventId: string | null }>;
}

export function createTransitionActivities(deps: { database: Database }): TransitionActivities {
  return { commitTransition: (transition) => commitTransition(deps.database, transition) };
}
