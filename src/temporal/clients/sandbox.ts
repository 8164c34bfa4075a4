import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { SandboxOrder, SandboxResult } from '../../domain/sandbox.ts';
import { sandboxWorkflowId, taskQueue, workflowTypes } from '../contract/ids.ts';
import type { SandboxWorkflow } from '../contract/sandbox.ts';
import { type WorkflowClientDeps, orUnavailable, withinDeadline } from './calls.ts';

/** Longest wait for an order's result, in ms. */
const waitMs = 18_000;

/** The workflows of sandbox orders as the API sees them. Faults come as `Refusal` service_unavailable. */
export interface SandboxWorkflows {
  /** Runs an order of the sandbox once and returns its result, also to a caller that repeats it. */
  run(operationId: string, order: SandboxOrder): Promise<SandboxResult>;
}

/** Returns a client of the sandbox workflows, with a deadline on every call. */
export function createSandboxWorkflows(deps: WorkflowClientDeps): SandboxWorkflows {
  const { client } = deps;
  const within = withinDeadline(deps);

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
      // It has ended: its result stands.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };

  return {
    run: (operationId, order) =>
      orUnavailable(() =>
        within(waitMs, async () => {
          await start(operationId, order);
          return client.workflow.getHandle<SandboxWorkflow>(sandboxWorkflowId(operationId)).result();
        }),
      ),
  };
}
