import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  isGrpcServiceError,
} from '@temporalio/client';
import type { WithinDeadline } from './calls.ts';
import { grpcCodes } from './grpc-codes.ts';

/** A run counts as stuck from this try of one workflow task on: Temporal admits no more updates of it. */
const stuckFromTry = 3;

/** Longest wait for each call, in ms. */
const waitMs = 2_000;

/** Why a stuck run was terminated, as the Temporal UI shows it. */
const stuckRunReason = 'its workflow task fails again and again: another run resumes from the rows';

/**
 * Returns whether a run's workflow task fails again and again, because its history does not replay or its
 * code throws. ADR 0030, ADR 0036.
 */
const isStuck = ({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): boolean =>
  (raw.pendingWorkflowTask?.attempt ?? 0) >= stuckFromTry;

/** An open run. `hasTask`: a workflow task is in progress, so the run may turn out to be stuck. */
export interface OpenRun {
  runId: string;
  isStuck: boolean;
  hasTask: boolean;
}

/**
 * What `endStuck` found. `none`: the workflow has no open run. `ended`: its open run was stuck and is
 * terminated. `busy`: the open run has a workflow task, and may turn out to be stuck in some seconds.
 * `resting`: the open run has none, and continues at its next timer, signal or result.
 */
export type FoundRun = 'none' | 'ended' | 'busy' | 'resting';

/** The runs of any kind of workflow, for callers that recover them. Faults are thrown. */
export interface Runs {
  /** Returns the open run of a workflow, or null. */
  find(workflowId: string): Promise<OpenRun | null>;
  /** Terminates a run that cannot continue. */
  end(workflowId: string, runId: string): Promise<void>;
  /**
   * Terminates the open run if it is stuck. The caller then starts another, because every workflow resumes
   * from the rows.
   */
  endStuck(workflowId: string): Promise<FoundRun>;
}

/** Returns the calls that find and end runs, with a deadline on each. */
export function createRuns(client: Client, within: WithinDeadline): Runs {
  const find = async (workflowId: string): Promise<OpenRun | null> => {
    try {
      const run = await within(waitMs, () => client.workflow.getHandle(workflowId).describe());
      if (run.status.name !== 'RUNNING') return null;
      const hasTask = (run.raw.pendingWorkflowTask ?? null) !== null;
      return { runId: run.runId, isStuck: isStuck(run), hasTask };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  };
  const end = async (workflowId: string, runId: string): Promise<void> => {
    try {
      await within(waitMs, () => client.workflow.getHandle(workflowId, runId).terminate(stuckRunReason));
    } catch (error) {
      // The run has ended meanwhile.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
  return {
    find,
    end,
    async endStuck(workflowId) {
      const run = await find(workflowId);
      if (run === null) return 'none';
      if (!run.isStuck) return run.hasTask ? 'busy' : 'resting';
      await end(workflowId, run.runId);
      return 'ended';
    },
  };
}

/** Returns whether an update timed out because no worker answered it. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;

/** Returns whether an update failed as it does at a stuck run: it was not answered, or no longer admitted. */
export function mayBeStuck(error: unknown): boolean {
  if (isUnanswered(error)) return true;
  if (!(error instanceof Error) || !isGrpcServiceError(error.cause)) return false;
  const code: number = error.cause.code;
  // Temporal admits no more updates of the workflow.
  return code === grpcCodes.failedPrecondition;
}
