import { type WorkflowClientDeps, withinDeadline } from './calls.ts';
import { type Runs, createRuns } from './stuck-run.ts';

/** Longest wait for the list, in ms. */
const waitMs = 3_000;

/** Finds workflows by their runs, and ends those that nothing waits for. Faults are thrown. */
export interface RunIndex {
  /** The workflow ids of these runs, by run id; Temporal lists a new run with a delay. */
  workflowIds(runIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Terminates the open run of a workflow if it is stuck; `busy`: it may turn out to be in some seconds. */
  endStuck(workflowId: string): ReturnType<Runs['endStuck']>;
}

/** Returns the index of runs, with a deadline on every call. */
export function createRunIndex(deps: WorkflowClientDeps): RunIndex {
  const { client } = deps;
  const within = withinDeadline(deps);
  const runs = createRuns(client, within);
  return {
    endStuck: (workflowId) => runs.endStuck(workflowId),
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
