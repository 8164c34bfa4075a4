import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { type LoadedDataConverter, noopMetricMeter } from '@temporalio/common';
import { Activity } from '@temporalio/worker/lib/activity.js';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { type Payloads, type Resolution, type RunStart, namespace } from './protocol.ts';

/** One try of an activity. */
export interface ActivityOrder {
  run: RunStart;
  activityId: string;
  type: string;
  taskQueue: string;
  input: Payloads;
  attempt: number;
  isLocal: boolean;
  heartbeatMs: number | null;
  startToCloseMs: number;
}

/** The parts of a worker that run activities. */
export interface ActivityHost {
  activities: Record<string, (...args: unknown[]) => Promise<unknown>>;
  interceptors: ActivityInterceptorsFactory[];
  dataConverter: LoadedDataConverter;
}

const silent = () => undefined;
const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };

/** A try in progress. */
export interface RunningActivity {
  ended: Promise<Resolution>;
  cancel: () => void;
}

/** Starts an activity of the service in the SDK's own context, with its worker's interceptors. */
export function beginActivity(
  { activities, interceptors, dataConverter }: ActivityHost,
  order: ActivityOrder,
  nowMs: number,
  onHeartbeat: () => void,
): RunningActivity {
  const { run, activityId, type, isLocal, attempt, heartbeatMs, startToCloseMs, taskQueue } = order;
  const { workflowId, runId } = run;
  const place = { type: 'activity', namespace, workflowId, activityId, isLocal } as const;
  const info = {
    taskToken: new Uint8Array(),
    base64TaskToken: '',
    taskQueue,
    activityId,
    activityType: type,
    activityNamespace: namespace,
    workflowNamespace: namespace,
    namespace,
    workflowExecution: { workflowId, runId },
    workflowType: run.type,
    attempt,
    isLocal,
    ...(heartbeatMs === null ? {} : { heartbeatTimeoutMs: heartbeatMs }),
    heartbeatDetails: undefined,
    scheduledTimestampMs: nowMs,
    currentAttemptScheduledTimestampMs: nowMs,
    scheduleToCloseTimeoutMs: 0,
    startToCloseTimeoutMs: startToCloseMs,
    inWorkflow: true,
  };
  const activity = new Activity(
    info,
    activities[type],
    dataConverter,
    place,
    onHeartbeat,
    undefined,
    logger,
    noopMetricMeter,
    interceptors,
  );
  const execute = async (): Promise<Resolution> => {
    const args = await decodeArrayFromPayloads(dataConverter, order.input, place);
    return await activity.run({ args, headers: {} });
  };
  return { ended: execute(), cancel: () => activity.cancel('CANCELLED', undefined as never) };
}
