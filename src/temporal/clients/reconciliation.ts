import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { reconciliationWorkflowId, taskQueue, workflowTypes } from '../contract/ids.ts';
import type { ReconciliationWorkflow } from '../contract/reconciliation.ts';
import { type WorkflowClientDeps, withinDeadline } from './calls.ts';
import { createRuns } from './stuck-run.ts';

/** Longest wait for the server, in ms. */
const waitMs = 3_000;

/** The workflows of reconciliations as their starters see them. Faults are thrown. */
export interface ReconciliationWorkflows {
  /** Starts the workflow of an unfinished run when it has no open run or a stuck one. May be repeated. */
  start(runId: string): Promise<void>;
}

/** Returns a client of the reconciliations, with a deadline on every call. */
export function createReconciliationWorkflows(deps: WorkflowClientDeps): ReconciliationWorkflows {
  const { client } = deps;
  const within = withinDeadline(deps);
  const runs = createRuns(client, within);
  return {
    async start(runId) {
      const workflowId = reconciliationWorkflowId(runId);
      const found = await runs.endStuck(workflowId);
      if (found === 'busy' || found === 'resting') return;
      try {
        await within(waitMs, () =>
          client.workflow.start<ReconciliationWorkflow>(workflowTypes.reconciliation, {
            workflowId,
            taskQueue: taskQueue(deps.queuePrefix, 'payments'),
            args: [{ runId }],
            workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
            workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
            staticSummary: 'reconciliation',
          }),
        );
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
  };
}
