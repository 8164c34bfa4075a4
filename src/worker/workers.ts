import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { LoadedDataConverter } from '@temporalio/common';
import { type QueueName, taskQueue } from '../temporal/contract/ids.ts';
import type { Build } from './build.ts';
import { tracing } from '../tracing/spans.ts';
import { heartbeats, namedLines, refusals } from './activity-interceptor.ts';
import { traced } from './cause-interceptor.ts';

export interface WorkerParts {
  connection: NativeConnection;
  namespace: string;
  queuePrefix: string;
  dataConverter: LoadedDataConverter;
  /** Path of the bundle that `npm run build` wrote, or its code. */
  workflowBundle: { codePath: string } | { code: string };
  /** Workflows kept in memory between two of their tasks; one that is not is replayed from its history. */
  cachedWorkflows: number;
  /** Per queue. */
  workflowPolls: number;
  /** Null: takes every run, whatever build began it. */
  build: Build | null;
  /** Runs an act whose log lines carry ids. */
  withLineIds: <T>(ids: object, act: () => T) => T;
  /** Activities served by each queue; a queue without an entry is not served by this process. */
  activities: Partial<Record<QueueName, object>>;
}

/**
 * How long the tasks of a worker that was killed wait for it before another one gets them; ten seconds by
 * default.
 */
const stickyQueueScheduleToStartTimeout = '2 seconds';

/** Returns one Temporal worker per served queue: a slow bank or shop does not block the other queues. */
export async function createWorkers(parts: WorkerParts): Promise<Worker[]> {
  const { connection, namespace, queuePrefix, dataConverter, workflowBundle, activities } = parts;
  const common = {
    connection,
    namespace,
    dataConverter,
    shutdownGraceTime: '10 seconds',
    ...(parts.build && { workerDeploymentOptions: deploymentOptions(parts.build) }),
  } as const;
  const { spans } = tracing;
  const named = namedLines(parts.withLineIds);
  const activity = [...(spans ? [traced(spans)] : []), named, refusals, heartbeats];
  const create = ([queue, served]: [QueueName, object]): Promise<Worker> => {
    const runsWorkflows = queue !== 'provider';
    return Worker.create({
      ...common,
      taskQueue: taskQueue(queuePrefix, queue),
      activities: served,
      interceptors: { activity },
      ...(runsWorkflows ? { workflowBundle } : {}),
      // Bounds what one process does at a time; the rest waits in Temporal.
      maxConcurrentActivityTaskExecutions: 400,
      // Provider calls are begun here, and each waits without work to do.
      maxConcurrentLocalActivityExecutions: 400,
      ...(runsWorkflows
        ? {
            maxConcurrentWorkflowTaskExecutions: 400,
            maxCachedWorkflows: parts.cachedWorkflows,
            workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: parts.workflowPolls },
            stickyQueueScheduleToStartTimeout,
          }
        : {}),
    });
  };
  // Side by side: each reads the bundle in a thread of its own.
  return Promise.all((Object.entries(activities) as [QueueName, object][]).map(create));
}

const deploymentOptions = ({
  deploymentName,
  buildId,
}: Build): NonNullable<WorkerOptions['workerDeploymentOptions']> => ({
  version: { deploymentName, buildId },
  useWorkerVersioning: true,
  // Every workflow type says its own: src/temporal/contract/builds.ts.
  defaultVersioningBehavior: 'AUTO_UPGRADE',
});
