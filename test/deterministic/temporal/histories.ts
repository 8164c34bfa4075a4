import proto, { type temporal } from '@temporalio/proto';
import { type Job, type LocalResult, type RunStart, type Task, msOf, usualTaskMs } from './protocol.ts';

type Event = temporal.api.history.v1.IHistoryEvent;

const { EventType } = proto.temporal.api.enums.v1;

/** A history that a real server recorded, as the tasks that produced it. */
export interface RecordedRun {
  start: RunStart;
  tasks: Task[];
}

/**
 * Returns the tasks of a recorded history: the input that each gave to the workflow, and the commands that
 * its events name. `runId`: the run's own, which histories do not contain.
 */
export function recordedRun(events: readonly Event[], workflowId: string): RecordedRun {
  const begun = events[0]?.workflowExecutionStartedEventAttributes;
  if (!begun) throw new Error('a history begins with the start of its run');
  const start: RunStart = {
    workflowId: begun.workflowId || workflowId,
    runId: begun.originalExecutionRunId ?? '',
    firstRunId: begun.firstExecutionRunId ?? '',
    type: begun.workflowType?.name ?? '',
    taskQueue: begun.taskQueue?.name ?? '',
    input: begun.input?.payloads ?? [],
    searchAttributes: begun.searchAttributes?.indexedFields ?? {},
    startedAtMs: msOf(events[0]?.eventTime) ?? 0,
    taskMs: msOf(begun.workflowTaskTimeout) ?? usualTaskMs,
    requestId: '',
  };
  const tasks: Task[] = [];
  const numbers = new Map<string, number>();
  let jobs: Job[] = [];
  let startedAtMs = start.startedAtMs;
  let suggestsNew = false;
  let current: Task | null = null;
  for (const event of events) {
    const job = jobOf(event, numbers);
    if (job) jobs.push(job);
    if (event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED) {
      startedAtMs = msOf(event.eventTime) ?? 0;
      suggestsNew = event.workflowTaskStartedEventAttributes?.suggestContinueAsNew ?? false;
    }
    const completed = event.workflowTaskCompletedEventAttributes;
    if (completed) {
      const flags = completed.sdkMetadata?.langUsedFlags ?? [];
      const nothing = { updates: [], local: [], patches: [], commands: [] };
      current = { atMs: startedAtMs, suggestsNew, jobs, flags, ...nothing };
      tasks.push(current);
      jobs = [];
    } else if (current) take(event, current, numbers);
  }
  return { start, tasks };
}

/** Adds an event after a completed task to the task. */
function take(event: Event, task: Task, numbers: Map<string, number>): void {
  const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
  if (accepted) {
    const { meta, input } = accepted.acceptedRequest ?? {};
    const id = accepted.protocolInstanceId ?? '';
    task.updates.push({
      doUpdate: {
        id: meta?.updateId ?? '',
        protocolInstanceId: id,
        name: input?.name ?? '',
        input: input?.args?.payloads ?? [],
        headers: {},
        meta: { updateId: meta?.updateId ?? '', identity: meta?.identity ?? '' },
        runValidator: false,
      },
    });
    // The server uses an update's id as the id of its protocol instance.
    task.commands.push(`accept update ${id}`);
  }
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName === 'core_local_activity') task.local.push(localResult(event, marker, task.atMs));
  if (marker?.markerName === 'core_patch') {
    const { id } = dataOf(marker.details?.['patch-data']) as { id: string };
    task.patches.push(id);
    task.commands.push(`patch ${id}`);
  }
  const words = commandOf(event, numbers);
  if (words) task.commands.push(words);
}

function jobOf(event: Event, numbers: Map<string, number>): Job | null {
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal) {
    return {
      signalWorkflow: {
        signalName: signal.signalName ?? '',
        input: signal.input?.payloads ?? [],
        headers: {},
      },
    };
  }
  if (event.timerFiredEventAttributes) {
    return { fireTimer: { seq: Number(event.timerFiredEventAttributes.timerId) } };
  }
  const completed = event.activityTaskCompletedEventAttributes;
  const seqOf = (id: unknown): number => numbers.get(String(id)) ?? 0;
  if (completed) {
    const result = completed.result?.payloads?.[0] ?? null;
    return { resolveActivity: { seq: seqOf(completed.scheduledEventId), result: { completed: { result } } } };
  }
  const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  if (failed) {
    const failure = { message: 'Activity task failed', cause: failed.failure, activityFailureInfo: {} };
    return {
      resolveActivity: {
        seq: seqOf(failed.scheduledEventId),
        result: { failed: { failure: failure as never } },
      },
    };
  }
  if (event.workflowExecutionCancelRequestedEventAttributes) return { cancelWorkflow: { reason: '' } };
  return null;
}

/** Returns the command behind an event, in the words of `inWords`. */
function commandOf(event: Event, numbers: Map<string, number>): string | null {
  const timer = event.timerStartedEventAttributes;
  if (timer) return `start timer ${timer.timerId} of ${msOf(timer.startToFireTimeout)} ms`;
  const cancelled = event.timerCanceledEventAttributes;
  if (cancelled) return `cancel timer ${cancelled.timerId}`;
  const activity = event.activityTaskScheduledEventAttributes;
  if (activity) {
    const seq = Number.parseInt(activity.activityId ?? '', 10);
    numbers.set(String(event.eventId), seq);
    return `schedule ${activity.activityType?.name} ${seq}`;
  }
  const asked = event.activityTaskCancelRequestedEventAttributes;
  if (asked) return `cancel activity ${numbers.get(String(asked.scheduledEventId))}`;
  const upserted = event.upsertWorkflowSearchAttributesEventAttributes;
  if (upserted) {
    // The core itself sends the command that names the patches.
    return upserted.searchAttributes?.indexedFields?.['TemporalChangeVersion']
      ? null
      : 'upsert search attributes';
  }
  if (event.workflowPropertiesModifiedEventAttributes) return 'modify properties';
  if (event.workflowExecutionCompletedEventAttributes) return 'complete';
  if (event.workflowExecutionFailedEventAttributes) return 'fail';
  if (event.workflowExecutionContinuedAsNewEventAttributes) return 'continue as new';
  const ended = event.workflowExecutionUpdateCompletedEventAttributes;
  return ended ? `complete update ${ended.meta?.updateId}` : null;
}

interface Marker {
  details?: Record<string, temporal.api.common.v1.IPayloads> | null;
  failure?: temporal.api.failure.v1.IFailure | null;
}

interface LocalData {
  seq: number;
  complete_time?: { seconds: number; nanos: number };
  backoff?: object | null;
}

function localResult(event: Event, marker: Marker, startedAtMs: number): LocalResult {
  const data = dataOf(marker.details?.['data']) as LocalData;
  const result = marker.details?.['result']?.payloads?.[0] ?? null;
  const atMs = msOf(data.complete_time) ?? msOf(event.eventTime) ?? startedAtMs;
  if (marker.failure) return { seq: data.seq, atMs, result: { failed: { failure: marker.failure } } };
  return { seq: data.seq, atMs, result: { completed: { result } } };
}

const dataOf = (payloads: temporal.api.common.v1.IPayloads | undefined): unknown =>
  JSON.parse(Buffer.from(payloads?.payloads?.[0]?.data ?? []).toString('utf8'));
