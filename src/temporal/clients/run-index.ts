import { WorkflowIdConflictPolicy } from '@temporalio/common';
import { paymentWorkflowId, workflowTypes } from '../contract/ids.ts';
import type { PaymentWorkflow } from '../contract/payment.ts';
import { type StartablePayment, paymentWorkflowStart } from '../contract/start-payment.ts';
import { type WorkflowClientDeps, withinDeadline } from './calls.ts';
import { type FoundRun, createRuns } from './stuck-run.ts';

/** Longest wait for each call, in ms. */
const waitMs = 3_000;

/** Finds workflows by their runs, and ends stuck runs. Faults are thrown. */
export interface RunIndex {
  /** Returns the workflow ids of these runs, by run id; Temporal lists a new run with a delay. */
  workflowIds(runIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Terminates the open run of a workflow if it is stuck. */
  endStuck(workflowId: string): Promise<FoundRun>;
  /**
   * Replaces a stuck open run of a payment, in one call, by a run that resumes from the rows. The workflow of
   * a payment that is over then completes.
   */
  replaceStuck(payment: StartablePayment): Promise<FoundRun>;
}

/** Returns the index of runs, with a deadline on every call. */
export function createRunIndex(deps: WorkflowClientDeps): RunIndex {
  const { client, queuePrefix, now } = deps;
  const within = withinDeadline(deps);
  const runs = createRuns(client, within);
  return {
    endStuck: (workflowId) => runs.endStuck(workflowId),
    async replaceStuck(payment) {
      const run = await runs.find(paymentWorkflowId(payment.id));
      if (run === null) return 'none';
      if (!run.isStuck) return run.hasTask ? 'busy' : 'resting';
      await within(waitMs, () =>
        client.workflow.start<PaymentWorkflow>(workflowTypes.payment, {
          ...paymentWorkflowStart(payment, queuePrefix, now(), true),
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
        }),
      );
      return 'ended';
    },
    async workflowIds(runIds) {
      const ids = runIds.filter((id) => /^[0-9a-f-]{36}$/.test(id));
      if (ids.length === 0) return new Map();
      const { executions } = await within(waitMs, () =>
        client.workflowService.listWorkflowExecutions({
          namespace: client.options.namespace,
          pageSize: ids.length,
          query: `RunId IN (${ids.map((id) => `'${id}'`).join(', ')})`,
        }),
      );
      return new Map(
        executions.map(({ execution }) => [execution?.runId ?? '', execution?.workflowId ?? ''] as const),
      );
    },
  };
}
