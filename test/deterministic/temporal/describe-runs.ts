import proto from '@temporalio/proto';
import { timestampOf } from './protocol.ts';
import type { Run } from './run.ts';

const { WorkflowExecutionStatus } = proto.temporal.api.enums.v1;

/** Returns a timestamp whose seconds the client can read. */
const instant = (ms: number) => proto.google.protobuf.Timestamp.fromObject(timestampOf(ms));

const statuses = {
  RUNNING: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING,
  COMPLETED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED,
  FAILED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED,
  CANCELED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CANCELED,
  TERMINATED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED,
  TIMED_OUT: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TIMED_OUT,
  CONTINUED_AS_NEW: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW,
} as const;

/** A run as Temporal's API describes it. */
export const infoOf = (run: Run) => ({
  execution: { workflowId: run.start.workflowId, runId: run.start.runId },
  type: { name: run.start.type },
  status: statuses[run.status],
  startTime: instant(run.start.startedAtMs),
  ...(run.closedAtMs === null ? {} : { closeTime: instant(run.closedAtMs) }),
  taskQueue: run.start.taskQueue,
  // The client needs a Long.
  historyLength: { toNumber: (): number => run.tasks.length },
  memo: {},
  searchAttributes: { indexedFields: {} },
});

/** Returns the filter of a query, by the form of the queries that the service and the harness send. */
export function filterOf(query: string): (run: Run) => boolean {
  const ids = /RunId IN \(([^)]*)\)/.exec(query)?.[1];
  if (ids !== undefined) return ({ start }) => ids.includes(start.runId);
  if (query.includes("ExecutionStatus = 'Running'")) return (run) => run.isOpen;
  const begun = /StartTime >= '([^']*)'/.exec(query)?.[1];
  if (begun !== undefined) {
    const sinceMs = Date.parse(begun);
    return ({ start, closedAtMs }) =>
      query.includes(`'${start.type}'`) && Math.max(start.startedAtMs, closedAtMs ?? 0) >= sinceMs;
  }
  const since = (status: string): number =>
    Date.parse(new RegExp(`${status}[^C]*CloseTime >= '([^']*)'`).exec(query)?.[1] ?? '');
  const [ended, completed] = [since("'TimedOut'"), since("'Completed'")];
  return (run) =>
    query.includes(`'${run.start.type}'`) &&
    run.closedAtMs !== null &&
    run.closedAtMs >= (run.status === 'COMPLETED' ? completed : ended);
}

/** Returns the first event of a history, and those that name the accepted updates. */
export const readEvents = (run: Run) => [
  { workflowExecutionStartedEventAttributes: { input: { payloads: run.start.input } } },
  ...acceptedEvents(run),
];

const acceptedEvents = (run: Run) =>
  run.tasks.flatMap(({ updates }) =>
    updates.map(({ doUpdate }) => ({
      workflowExecutionUpdateAcceptedEventAttributes: {
        acceptedRequest: { meta: { updateId: doUpdate?.id ?? '' } },
      },
    })),
  );

/** Returns the event that ended a run. */
export function closeEvent(run: Run): object {
  if (run.status === 'COMPLETED')
    return { workflowExecutionCompletedEventAttributes: { result: { payloads: run.result } } };
  if (run.status === 'CANCELED') return { workflowExecutionCanceledEventAttributes: {} };
  if (run.status === 'TERMINATED') return { workflowExecutionTerminatedEventAttributes: { reason: '' } };
  if (run.status === 'TIMED_OUT') return { workflowExecutionTimedOutEventAttributes: {} };
  return { workflowExecutionFailedEventAttributes: { failure: run.failure } };
}
