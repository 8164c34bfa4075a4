import { admitToAction, leaveAction } from '../../db/payments/action-lease.ts';
import type { Database } from '../../db/server/database.ts';
import { Refusal } from '../../domain/refusals.ts';

/** Longest time that one caller keeps the others away, in ms: above the longest wait for a workflow. */
const leaseMs = 25_000;

/**
 * Runs `ask`, which asks the workflow to confirm or give up the customer's open step, one caller at a time:
 * however many come together, one question reaches the workflow. Refuses: confirmation_in_progress (409), and
 * what `ask` refuses.
 * Spec: POST confirm; FENCE-06.
 */
export async function actOnAction<T>(
  { database, now }: { database: Database; now: () => number },
  paymentId: string,
  ask: () => Promise<T>,
): Promise<T> {
  if (!(await admitToAction(database, paymentId, new Date(now()), leaseMs))) {
    throw new Refusal('confirmation_in_progress');
  }
  try {
    return await ask();
  } finally {
    // A lease that cannot be given back runs out by itself.
    await leaveAction(database, paymentId).catch(() => undefined);
  }
}
