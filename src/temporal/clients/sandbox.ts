import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import { TerminatedFailure, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { SandboxOrder, SandboxResult } from '../../domain/sandbox.ts';
import { sandboxWorkflowId, taskQueue, workflowTypes } from '../contract/ids.ts';
import type { SandboxWorkflow } from '../contract/sandbox.ts';
import { type WorkflowClientDeps, orUnavailable, withinDeadline } from './calls.ts';
import { createRuns } from './stuck-run.ts';

/** Longest wait for an order's result, in ms. */
const waitMs = 18_000;
/** How often a run is checked during the wait, in ms; most orders take less. */
const checkEveryMs = 3_000;

/** The workflows of sandbox orders as the API sees them. Faults come as `Refusal` service_unavailable. */
export interface SandboxWorkflows {
  /**
   * Runs an order of the sandbox once and returns its result; a caller that repeats it gets the same result.
   * A stuck run is replaced, because orders may be repeated.
   */
  run(operationId: string, order: SandboxOrder): Promise<SandboxResult>;
}

/** Returns a client of the sandbox workflows, with a deadline on every call. */
export function createSandboxWorkflows(deps: WorkflowClientDeps): SandboxWorkflows {
  const { client } = deps;
  const within = withinDeadline(deps);
  const runs = createRuns(client, within);

  const start = async (operationId: string, order: SandboxOrder): Promise<void> => {
    try {
      await client.workflow.start<SandboxWorkflow>(workflowTypes.sandbox, {
        workflowId: sandboxWorkflowId(operationId),
        taskQueue: taskQueue(deps.queuePrefix, 'payments'),
        args: [{ operationId, order }],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowExecutionTimeout: '1 minute',
        staticSummary: `sandbox · ${order.type}`,
      });
    } catch (error) {
      // The run has ended; its result stands.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };

  /** Terminates the run once it is stuck, until `done`. Faults appear in the call that waits. */
  const endWhenStuck = async (workflowId: string, done: AbortSignal): Promise<void> => {
    while (!done.aborted) {
      await sleep(checkEveryMs, undefined, { signal: done }).catch(() => undefined);
      if (!done.aborted) await runs.endStuck(workflowId).catch(() => undefined);
    }
  };

  /** Waits for the result, also of the run that replaces a stuck one. */
  const finish = async (operationId: string, order: SandboxOrder): Promise<SandboxResult> => {
    for (;;) {
      await start(operationId, order);
      try {
        return await client.workflow.getHandle<SandboxWorkflow>(sandboxWorkflowId(operationId)).result();
      } catch (error) {
        const isReplaced = error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure;
        if (!isReplaced) throw error;
      }
    }
  };

  return {
    run: (operationId, order) =>
      orUnavailable(async () => {
        const done = new AbortController();
        void endWhenStuck(sandboxWorkflowId(operationId), done.signal);
        try {
          return await within(waitMs, () => finish(operationId, order));
        } finally {
          done.abort();
        }
      }),
  };
}
