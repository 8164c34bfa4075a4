import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { deploymentName, workflowBuilds } from '../contract/builds.ts';
import { type QueueName, queueNames, taskQueue } from '../contract/ids.ts';
import { grpcCodeOf, grpcCodes } from './grpc-codes.ts';

/** Longest wait for each call, in ms: the server runs workflows of its own for these calls. */
const waitMs = 10_000;
/**
 * How long a worker counts as running after its latest poll, in ms. A poll lasts up to a minute, and the
 * server lists a worker for five minutes after it is gone.
 */
const pollerMs = 75_000;
/** The key of the hash of a build's workflows, in its version's metadata. */
const bundleEntry = 'workflow-bundle';

const { TaskQueueType, WorkerDeploymentVersionStatus } = proto.temporal.api.enums.v1;

/** A build that has, or had, workers. */
export interface BuildVersion {
  buildId: string;
  status: 'inactive' | 'current' | 'ramping' | 'draining' | 'drained';
  createdAtMs: number;
  /** When the build was current for the last time; 0: never. */
  lastCurrentAtMs: number;
}

/** The deployment as Temporal knows it. */
export interface DeploymentState {
  deployment: string;
  current: string | null;
  ramping: { buildId: string; percent: number } | null;
  /** Newest first. */
  versions: BuildVersion[];
  /** Makes a change fail when another one came first. */
  token: Uint8Array;
}

/** A process that polls. `buildId` null: without versioning. */
export interface PollingWorker {
  identity: string;
  buildId: string | null;
  queue: QueueName;
}

/** An open run. */
export interface DeployedRun {
  workflowId: string;
  runId: string;
  type: string;
}

/** The deployment of the workers' builds. Faults are thrown. ADR 0056. */
export interface Deployments {
  /** Returns the deployment's state; null: no worker with versioning has polled yet. */
  read(): Promise<DeploymentState | null>;
  /** Returns the processes that poll, one entry for each queue. */
  workers(): Promise<PollingWorker[]>;
  /** Returns the hash of the build's workflows; null when none is stored. */
  bundleOf(buildId: string): Promise<string | null>;
  /** Stores the hash. The build must have polled. */
  storeBundle(buildId: string, hash: string): Promise<void>;
  /** Makes a build the current one, if nothing has changed since `state` was read. */
  setCurrent(state: DeploymentState, buildId: string): Promise<void>;
  /** Gives a build this percentage of the new runs; null ends that. */
  setRamping(state: DeploymentState, buildId: string | null, percent: number): Promise<void>;
  /** Deletes a drained build. */
  remove(buildId: string): Promise<void>;
  /** Returns the numbers of open runs by type, without zeros. `buildId` null: of no build. */
  countOpen(buildId: string | null): Promise<Record<string, number>>;
  /** Returns at most `limit` open runs that may run on this build only. */
  listPinned(buildId: string, limit: number): Promise<DeployedRun[]>;
  /** Lets a run continue on the current build. */
  move(run: DeployedRun): Promise<void>;
}

/** Returns the client of the deployment, with a deadline on each call. */
export function createDeployments(deps: { client: Client; queuePrefix: string }): Deployments {
  const { client, queuePrefix } = deps;
  const deployment = deploymentName(queuePrefix);
  const calls: Calls = {
    namespace: client.options.namespace,
    service: client.workflowService,
    deployment,
    queuePrefix,
    within: (call) => client.connection.withDeadline(Date.now() + waitMs, call),
  };
  const { namespace, service, within } = calls;
  const versionOf = (buildId: string) => ({ deploymentName: deployment, buildId });

  return {
    ...readsOf(calls),
    ...runsOf(calls),
    async bundleOf(buildId) {
      const described = await orNull(
        within(() =>
          service.describeWorkerDeploymentVersion({ namespace, deploymentVersion: versionOf(buildId) }),
        ),
      );
      const payload = described?.workerDeploymentVersionInfo?.metadata?.entries?.[bundleEntry];
      return payload ? defaultPayloadConverter.fromPayload<string>(payload) : null;
    },

    async storeBundle(buildId, hash) {
      await within(() =>
        service.updateWorkerDeploymentVersionMetadata({
          namespace,
          deploymentVersion: versionOf(buildId),
          upsertEntries: { [bundleEntry]: defaultPayloadConverter.toPayload(hash) },
        }),
      );
    },

    async setCurrent({ token: conflictToken }, buildId) {
      await within(() =>
        service.setWorkerDeploymentCurrentVersion({
          namespace,
          deploymentName: deployment,
          buildId,
          conflictToken,
          // Callers check the queues that they need.
          ignoreMissingTaskQueues: true,
        }),
      );
    },

    async setRamping({ token: conflictToken }, buildId, percentage) {
      await within(() =>
        service.setWorkerDeploymentRampingVersion({
          namespace,
          deploymentName: deployment,
          buildId: buildId ?? '',
          percentage,
          conflictToken,
          ignoreMissingTaskQueues: true,
        }),
      );
    },

    async remove(buildId) {
      await within(() =>
        service.deleteWorkerDeploymentVersion({
          namespace,
          deploymentVersion: versionOf(buildId),
          // Callers count the open runs; the server checks them only every few minutes.
          skipDrainage: true,
        }),
      );
    },
  };
}

/** The parts that the calls share. */
interface Calls {
  namespace: string;
  service: Client['workflowService'];
  deployment: string;
  queuePrefix: string;
  within: <T>(call: () => Promise<T>) => Promise<T>;
}

function readsOf(calls: Calls): Pick<Deployments, 'read' | 'workers'> {
  const { namespace, service, deployment, queuePrefix, within } = calls;
  return {
    async read() {
      const described = await orNull(
        within(() => service.describeWorkerDeployment({ namespace, deploymentName: deployment })),
      );
      if (described === null) return null;
      const { routingConfig, versionSummaries } = described.workerDeploymentInfo ?? {};
      const ramping = routingConfig?.rampingDeploymentVersion?.buildId;
      return {
        deployment,
        current: routingConfig?.currentDeploymentVersion?.buildId ?? null,
        ramping: ramping ? { buildId: ramping, percent: routingConfig.rampingVersionPercentage ?? 0 } : null,
        versions: (versionSummaries ?? [])
          .map((summary) => ({
            buildId: summary.deploymentVersion?.buildId ?? '',
            status: statusOf(summary.status),
            createdAtMs: msOf(summary.createTime),
            lastCurrentAtMs: Math.max(
              msOf(summary.lastCurrentTime),
              msOf(summary.currentSinceTime),
              msOf(summary.lastDeactivationTime),
            ),
          }))
          .toSorted((one, other) => other.createdAtMs - one.createdAtMs),
        token: described.conflictToken,
      };
    },

    async workers() {
      const kinds = [TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW, TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY];
      const polled = queueNames.flatMap((queue) => kinds.map((kind) => ({ queue, kind })));
      const answers = await Promise.all(
        polled.map(async ({ queue, kind: taskQueueType }) => {
          const name = taskQueue(queuePrefix, queue);
          const { pollers } = await within(() =>
            service.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType }),
          );
          return (pollers ?? [])
            .filter(({ lastAccessTime }) => msOf(lastAccessTime) > Date.now() - pollerMs)
            .map(({ identity, deploymentOptions }) => ({
              identity: identity ?? '',
              buildId:
                deploymentOptions?.deploymentName === deployment ? (deploymentOptions.buildId ?? '') : null,
              queue,
            }));
        }),
      );
      return answers.flat();
    },
  };
}

function runsOf(calls: Calls): Pick<Deployments, 'countOpen' | 'listPinned' | 'move'> {
  const { namespace, service, deployment, queuePrefix, within } = calls;
  const queues = queueNames.map((name) => `'${taskQueue(queuePrefix, name)}'`).join(', ');
  const openOf = (buildId: string | null): string =>
    `ExecutionStatus = 'Running' AND TaskQueue IN (${queues}) AND ` +
    (buildId === null
      ? 'TemporalWorkerDeploymentVersion IS NULL'
      : `TemporalWorkerDeploymentVersion = '${deployment}:${buildId}'`);
  return {
    async countOpen(buildId) {
      const counts: Record<string, number> = {};
      for (const type of Object.keys(workflowBuilds)) {
        const query = `${openOf(buildId)} AND WorkflowType = '${type}'`;
        const { count } = await within(() => service.countWorkflowExecutions({ namespace, query }));
        if (Number(count) > 0) counts[type] = Number(count);
      }
      return counts;
    },

    async listPinned(buildId, limit) {
      // A run that was moved is no longer listed, even before its next task.
      const query = `${openOf(buildId)} AND TemporalWorkflowVersioningBehavior = 'Pinned'`;
      const { executions } = await within(() =>
        service.listWorkflowExecutions({ namespace, pageSize: limit, query }),
      );
      return executions.map(({ execution, type }) => ({
        workflowId: execution?.workflowId ?? '',
        runId: execution?.runId ?? '',
        type: type?.name ?? '',
      }));
    },

    async move({ workflowId, runId }) {
      await orNull(
        within(() =>
          service.updateWorkflowExecutionOptions({
            namespace,
            workflowExecution: { workflowId, runId },
            workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
            updateMask: { paths: ['versioning_override'] },
          }),
        ),
      );
    },
  };
}

/** Returns the queues that no worker of the build polls. */
export const unpolledQueues = (workers: readonly PollingWorker[], buildId: string): QueueName[] =>
  queueNames.filter((name) => !workers.some((worker) => worker.queue === name && worker.buildId === buildId));

/** Returns the call's result; null when Temporal does not know its subject. */
async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (grpcCodeOf(error) === grpcCodes.notFound) return null;
    throw error;
  }
}

const statuses: Readonly<Record<number, BuildVersion['status']>> = {
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT]: 'current',
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING]: 'ramping',
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING]: 'draining',
  [WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED]: 'drained',
};

const statusOf = (status: number | null | undefined): BuildVersion['status'] =>
  statuses[status ?? 0] ?? 'inactive';

const msOf = (time: { seconds?: unknown; nanos?: number | null } | null | undefined): number =>
  Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000);
