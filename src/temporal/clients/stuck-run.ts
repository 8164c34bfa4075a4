import {
  type WorkflowExecutionDescription,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  isGrpcServiceError,
} from '@temporalio/client';

/** gRPC's code of what Temporal answers then. */
const failedPrecondition = 9;

/** From this try of one task on Temporal admits no more updates of the workflow. */
const hopelessTry = 3;

/** Why a stuck run was terminated, as the Temporal UI shows it. */
export const stuckRunReason = 'its workflow task fails again and again: another run resumes from the rows';

/**
 * Whether a run's task fails again and again, because its history does not replay or its code throws. A
 * caller that finds one terminates it and starts another, which resumes from the rows:
 * ADR 0030.
 */
export const isStuck = ({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): boolean =>
  (raw.pendingWorkflowTask?.attempt ?? 0) >= hopelessTry;

/** Whether an update timed out because no worker answered it. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;

/** Whether an update failed as it does at a stuck run: it was not answered, or not admitted any more. */
export function mayBeStuck(error: unknown): boolean {
  if (isUnanswered(error)) return true;
  if (!(error instanceof Error) || !isGrpcServiceError(error.cause)) return false;
  const code: number = error.cause.code;
  return code === failedPrecondition;
}
