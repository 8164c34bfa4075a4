import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Refusal, type RefusalCode, isRefusalCode } from '../../domain/refusals.ts';

/**
 * Runs a call to Temporal. Throws `Refusal` service_unavailable for every other error; refusals are thrown
 * as they are.
 */
export async function orUnavailable<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal('service_unavailable', { cause: error });
  }
}

/** Returns the code a workflow refused an update with, or null when the error is no refusal. */
export function refusalCodeOf(error: unknown): RefusalCode | null {
  if (!(error instanceof WorkflowUpdateFailedError)) return null;
  const { cause } = error;
  return cause instanceof ApplicationFailure && isRefusalCode(cause.type) ? cause.type : null;
}
