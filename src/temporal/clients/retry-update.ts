import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowUpdateFailedError, isGrpcServiceError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';

/**
 * How long an update that Temporal did not admit is sent again, and the pauses between two tries, in ms.
 */
const turn = { waitMs: 15_000, firstPauseMs: 50, longestPauseMs: 500 } as const;

/** gRPC's codes. */
const [resourceExhausted, aborted, unavailable] = [8, 10, 14];

/**
 * Whether Temporal reports that an update never reached the workflow, and may be sent again:
 * - it admits ten updates of one workflow at a time and rejects the next ones;
 * - a workflow task that timed out, as on a busy machine, drops its updates, and a task that was scheduled
 *   again without them returns them undelivered.
 *
 * An unreachable Temporal is not retried here.
 */
export function wasNotAdmitted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof WorkflowUpdateFailedError)
    return error.cause instanceof ApplicationFailure && error.cause.type === 'UnprocessedUpdate';
  if (!isGrpcServiceError(error.cause)) return false;
  const code: number = error.cause.code;
  if (code === resourceExhausted || code === aborted) return true;
  return code === unavailable && /update was aborted/i.test(error.cause.details);
}

/**
 * Sends an update, and sends it again while Temporal does not admit it, so that each of many callers of one
 * workflow gets the workflow's answer. The update needs an id of its own: then a repeated one is the same
 * update. Throws what the last try threw.
 */
export async function retryUntilAdmitted<T>(send: () => Promise<T>, now: () => number): Promise<T> {
  const began = now();
  let pauseMs: number = turn.firstPauseMs;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!wasNotAdmitted(error) || now() - began + pauseMs > turn.waitMs) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, turn.longestPauseMs);
    }
  }
}
