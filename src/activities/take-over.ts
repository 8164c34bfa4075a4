import type { Database } from '../db/database.ts';
import { type TakenOver, takeOver } from '../db/payment-ownership.ts';
import { callingRunId } from './run-id.ts';

/** What a run that starts, or goes on, from the rows calls first. */
export interface TakeOverActivities {
  takeOver(input: { paymentId: string }): Promise<TakenOver>;
}

export function createTakeOverActivities(deps: { database: Database }): TakeOverActivities {
  return {
    takeOver: ({ paymentId }) => takeOver(deps.database, paymentId, callingRunId()),
  };
}
