import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { LoadedDataConverter } from '@temporalio/common';
import { type QueueName, taskQueue } from '../temporal/contract/ids.ts';
import type { Build } from './build.ts';
import { tracing } from '../tracing/spans.ts';
import { heartbeats, namedLines, refusals } from './activity-interceptor.ts';
import { traced } from './cause-interceptor.ts';
import { watchEvictions } from './evictions.ts';
import type { FailedTask } from './temporal-logger.ts';

export interface WorkerParts {
  connection: NativeConnection;
  namespace: string;
  queuePrefix: string;
  dataConverter: LoadedDataConverter;
  /** Path of the bundle that `npm run build` wrote, or its code. */
  workflowBundle: { codePath: string } | { code: string };
  /** Workflows kept in memory between two of their tasks. Any other is replayed from its history. */
  cachedWorkflows: number;
  /** Workflow task polls per queue. */
  workflowPolls: number;
  /** Null: the worker takes every run, whichever build began it. */
  build: Build | null;
  /** Runs a function whose log lines carry ids. */
  withLineIds: <T>(ids: object, act: () => T) => T;
  /** Called for each try of a workflow task that fails. */
  onFailedTask: (task: FailedTask) => void;
  /** Activities served by each queue; a queue without an entry is not served by this process. */
  activities: Partial<Record<QueueName, object>>;
}

/**
 * How long the tasks of a killed worker wait for it before another worker gets them; Temporal's default is
 * ten seconds.
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
  const create = async ([queue, served]: [QueueName, object]): Promise<Worker> => {
    const runsWorkflows = queue !== 'provider';
    const worker = await Worker.create({
      ...common,
      taskQueue: taskQueue(queuePrefix, queue),
      activities: served,
      interceptors: { activity },
      ...(runsWorkflows ? { workflowBundle } : {}),
      // Bounds the concurrent work of one process; the rest waits in Temporal.
      maxConcurrentActivityTaskExecutions: 400,
      // Provider calls begin here, and each mostly waits.
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
    watchEvictions(worker, parts.onFailedTask);
    return worker;
  };
  // Concurrently: each reads the bundle in a thread of its own.
  return Promise.all((Object.entries(activities) as [QueueName, object][]).map(create));
}

const deploymentOptions = ({
  deploymentName,
  buildId,
}: Build): NonNullable<WorkerOptions['workerDeploymentOptions']> => ({
  version: { deploymentName, buildId },
  useWorkerVersioning: true,
  // Every workflow type sets its own: src/temporal/contract/builds.ts.
  defaultVersioningBehavior: 'AUTO_UPGRADE',
});
