import {
  type WorkflowExecutionDescription,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  isGrpcServiceError,
} from '@temporalio/client';

/** gRPC's code of what Temporal answers then. */
const failedPrecondition = 9;

/** From this try of one task on Temporal itself takes no more updates of the workflow. */
const hopelessTry = 3;

/** Why a stuck run was terminated, as the Temporal UI shows it. */
export const stuckRunReason = 'its task fails again and again: another run goes on from the rows';

/**
 * Whether a run's task fails again and again, because its history does not replay or its code throws. A caller that
 * finds one terminates it and starts another, which goes on from the rows:
 * ADR 0030.
 */
export const isStuck = ({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): boolean =>
  (raw.pendingWorkflowTask?.attempt ?? 0) >= hopelessTry;

/** Whether an update was given up because no worker answered it in time. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;

/** Whether an update failed as it does at a stuck run: not answered, or not taken any more. */
export function mayBeStuck(error: unknown): boolean {
  if (isUnanswered(error)) return true;
  if (!(error instanceof Error) || !isGrpcServiceError(error.cause)) return false;
  const code: number = error.cause.code;
  return code === failedPrecondition;
}
