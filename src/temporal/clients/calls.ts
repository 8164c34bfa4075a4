import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowUpdateFailedError, isGrpcServiceError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Refusal, type RefusalCode, isRefusalCode } from '../../domain/refusals.ts';
import { grpcCodes } from './grpc-codes.ts';

/**
 * Runs a call to Temporal and gives up after `waitMs`: without a limit a missing worker would hang a request
 * forever.
 */
export type WithinDeadline = <T>(waitMs: number, call: () => Promise<T>) => Promise<T>;

/** Returns the function by which clients call Temporal. gRPC measures the deadline by the system's clock. */
export const withinDeadline =
  ({ client }: { client: Client }): WithinDeadline =>
  (waitMs, call) =>
    client.connection.withDeadline(Date.now() + waitMs, call);

/** The dependencies of the clients of workflows. */
export interface WorkflowClientDeps {
  client: Client;
  queuePrefix: string;
  /** PostgreSQL's time in epoch ms: it is compared with the deadlines in the rows. */
  now: () => number;
}

/**
 * How long an update that Temporal did not admit is sent again, and the pauses between two tries, in ms.
 */
const admissionRetry = { waitMs: 15_000, firstPauseMs: 50, longestPauseMs: 500 } as const;

/**
 * Returns whether Temporal reports that an update never reached the workflow, and may be sent again:
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
  if (code === grpcCodes.resourceExhausted || code === grpcCodes.aborted) return true;
  return code === grpcCodes.unavailable && /update was aborted/i.test(error.cause.details);
}

/**
 * Sends an update, and sends it again while Temporal does not admit it, so that each of many callers of one
 * workflow gets the workflow's answer. The update needs an id of its own, which makes a repeat the same
 * update. Throws the error of the last try.
 */
export async function retryUntilAdmitted<T>(send: () => Promise<T>, now: () => number): Promise<T> {
  const began = now();
  let pauseMs: number = admissionRetry.firstPauseMs;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!wasNotAdmitted(error) || now() - began + pauseMs > admissionRetry.waitMs) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, admissionRetry.longestPauseMs);
    }
  }
}

/**
 * Runs a call to Temporal. Throws refusals unchanged, and `Refusal` service_unavailable for any other error.
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
