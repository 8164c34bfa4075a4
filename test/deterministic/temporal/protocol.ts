import proto, { type coresdk, type temporal } from '@temporalio/proto';

export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Command = coresdk.workflow_commands.IWorkflowCommand;
export type Resolution = coresdk.activity_result.IActivityResolution;
export type Payloads = temporal.api.common.v1.IPayload[];
export type Failure = temporal.api.failure.v1.IFailure;
export type StartRequest = temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest;

export const namespace = 'default';

/** Time-out of a workflow task whose start names none, in ms. */
export const usualTaskMs = 10_000;

export const timeouts = proto.temporal.api.enums.v1.TimeoutType;

/** The part of a run that its workflow sees at the start. */
export interface RunStart {
  workflowId: string;
  runId: string;
  /** The first run's id, which the ids of activities contain; a reset run keeps it. */
  firstRunId: string;
  type: string;
  taskQueue: string;
  input: Payloads;
  searchAttributes: Record<string, temporal.api.common.v1.IPayload>;
  startedAtMs: number;
  /** Time-out of a workflow task. */
  taskMs: number;
  /** Id of the request that started it. */
  requestId: string;
}

/** The result of a local activity in a task. */
export interface LocalResult {
  seq: number;
  result: Resolution;
  atMs: number;
}

/**
 * A completed workflow task: the input of the workflow, in this order, and its commands. The tasks of a run
 * are its history.
 */
export interface Task {
  atMs: number;
  /** Whether the server suggested to continue as new, because the history is long. */
  suggestsNew: boolean;
  /** Signals, timers and activities that ended. */
  jobs: Job[];
  /** The updates that were accepted. */
  updates: Job[];
  local: LocalResult[];
  patches: string[];
  flags: number[];
  /** Commands in words, equal in two replays of one history. */
  commands: string[];
}

interface Duration {
  seconds?: unknown;
  nanos?: number | null;
}

export const msOf = (duration: Duration | null | undefined): number | null =>
  duration ? Number(duration.seconds ?? 0) * 1_000 + (duration.nanos ?? 0) / 1e6 : null;

export const timestampOf = (ms: number) => ({
  seconds: Math.floor(ms / 1_000),
  nanos: Math.round((ms % 1_000) * 1e6),
});

/** Returns the kind and subject of a command, as histories record it; null when they record nothing. */
export function inWords(command: Command): string | null {
  const { startTimer, cancelTimer, scheduleActivity, requestCancelActivity, setPatchMarker } = command;
  if (startTimer) return `start timer ${startTimer.seq} of ${msOf(startTimer.startToFireTimeout)} ms`;
  if (cancelTimer) return `cancel timer ${cancelTimer.seq}`;
  if (scheduleActivity) return `schedule ${scheduleActivity.activityType} ${scheduleActivity.seq}`;
  if (requestCancelActivity) return `cancel activity ${requestCancelActivity.seq}`;
  if (setPatchMarker) return `patch ${setPatchMarker.patchId}`;
  if (command.upsertWorkflowSearchAttributes) return 'upsert search attributes';
  if (command.modifyWorkflowProperties) return 'modify properties';
  if (command.completeWorkflowExecution) return 'complete';
  if (command.failWorkflowExecution) return 'fail';
  if (command.cancelWorkflowExecution) return 'end as cancelled';
  if (command.continueAsNewWorkflowExecution) return 'continue as new';
  const { updateResponse } = command;
  if (updateResponse?.accepted) return `accept update ${updateResponse.protocolInstanceId}`;
  if (updateResponse?.completed) return `complete update ${updateResponse.protocolInstanceId}`;
  return null;
}

/** Returns the failure of an activity that was cancelled before its worker answered. */
export const cancelledFailure = (activityId: string, type: string): Failure => ({
  message: 'Activity cancelled',
  activityFailureInfo: { activityId, activityType: { name: type } },
  cause: { message: 'Activity cancelled', canceledFailureInfo: {} },
});

/** Wraps the failure of an activity as the server does. */
export const activityFailure = (activityId: string, type: string, cause: Failure): Failure => ({
  message: 'Activity task failed',
  activityFailureInfo: { activityId, activityType: { name: type } },
  cause,
});

export const timeoutFailure = (timeoutType: number): Failure => ({
  message: 'activity timed out',
  timeoutFailureInfo: { timeoutType },
});
