import { hostname } from 'node:os';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createCommit, createTransitionActivities } from '../activities/transitions.ts';
import { logWaiting } from '../runtime/explain-start.ts';
import { type Settings, SettingsError } from '../runtime/settings.ts';
import { withLineIds } from '../runtime/logger.ts';
import { simulatorsOf } from '../runtime/simulators.ts';
import { createKeyring } from '../crypto/keyring.ts';
import { checkServer, retryUntilReachable } from '../db/server/checks.ts';
import { watchClock } from '../db/server/clock-watch.ts';
import { refuseKeys } from '../db/server/key-canary.ts';
import { watchHold } from '../db/server/restore-watch.ts';
import { createDatabaseClock } from '../db/server/database-clock.ts';
import { openDatabase } from '../db/server/database.ts';
import { tracing } from '../tracing/spans.ts';
import { sendCause } from '../temporal/cause-interceptor.ts';
import { connectionOptions, refuseOpenTemporal } from '../temporal/connection.ts';
import { createDeliveryWorkflows } from '../temporal/clients/deliveries.ts';
import { createDeployments } from '../temporal/clients/deployments.ts';
import { createRefundWorkflows } from '../temporal/clients/refunds.ts';
import { createMetricsPage } from '../metrics/page.ts';
import { beginWorkerSeries } from '../metrics/series.ts';
import { createSystemGauges } from '../metrics/system-figures.ts';
import { createRunIndex } from '../temporal/clients/run-index.ts';
import { createDeliveryStarter } from '../webhooks/delivery-starter.ts';
import { createDataConverter } from '../temporal/data-converter.ts';
import { compareWithTemporal } from '../temporal/server-time.ts';
import { markRefused } from '../temporal/payload-codec.ts';
import { deleteFormerSchedules } from './former-schedules.ts';
import { buildOf } from './build.ts';
import { joinDeployment, refuseBuild } from './deployment.ts';
import { type FailedTasks, createFailedTasks, watchFailedTasks } from './failed-tasks.ts';
import { serveWorkerHealth } from './health.ts';
import { refuseNamespace } from './old-namespace.ts';
import { runPausableWorkers } from './pausable-workers.ts';
import { composeProviderActivities } from './provider-activities.ts';
import { composeSweeps } from './sweeps.ts';
import { composeWebhooks } from './webhooks.ts';
import type { FailedTask } from './temporal-logger.ts';
import { type WorkerParts, createWorkers } from './workers.ts';

/** The reports of Temporal's SDK about the process. */
interface SdkReports {
  failedTasks?: FailedTasks;
  /** Returns the SDK's own metrics as text. */
  temporalMetrics?: () => Promise<string>;
}

/** Longest wait for PostgreSQL at the start, in ms. Then the process ends, and its supervisor restarts it. */
const databaseWaitMs = 60_000;

/** Builds and runs the workers of WORKER_ROLES. `stop` finishes the work that they have begun. */
export async function composeWorker(
  settings: Settings,
  logger: Logger,
  workflowBundle: WorkerParts['workflowBundle'],
  onFault: () => void,
  { failedTasks = createFailedTasks(), temporalMetrics }: SdkReports = {},
): Promise<{ stop: () => Promise<void> }> {
  const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'card-payments-worker',
    onError: (error) => logger.warn({ err: error }, 'database connection lost'),
    signWith: keyring,
  });
  const production = settings.DEPLOYMENT === 'production';
  const ownUrl = settings.DATABASE_POOLER === 'none' ? settings.DATABASE_URL : null;
  const waiting = AbortSignal.timeout(databaseWaitMs);
  const refused =
    (await checkServer(database, 'worker', production, waiting, {
      url: ownUrl,
      onWaiting: logWaiting,
    })) ?? (await retryUntilReachable(waiting, () => refuseKeys(database, keyring)));
  if (refused !== null) throw new SettingsError(refused);
  const unfit = refuseOpenTemporal(production);
  if (unfit !== null) throw new SettingsError(unfit);
  const connection = await NativeConnection.connect({
    ...connectionOptions(settings.TEMPORAL_ADDRESS),
    // Histories are a few small events, and compressing them costs more than it saves.
    grpcCompression: { codec: 'none' },
  });
  const client = new Client({
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    dataConverter: createDataConverter(keyring),
    ...(tracing.spans && { interceptors: { workflow: [sendCause(tracing.spans)] } }),
  });
  const foreign = await refuseNamespace(client, settings.TEMPORAL_NAMESPACE, settings.TASK_QUEUE_PREFIX);
  if (foreign !== null) throw new SettingsError(foreign);
  const build = await buildOf(settings, workflowBundle);
  const deployments = createDeployments({ client, queuePrefix: settings.TASK_QUEUE_PREFIX });
  const foreignBuild = build && (await refuseBuild(deployments, build));
  if (foreignBuild !== null) throw new SettingsError(foreignBuild);
  beginWorkerSeries();
  const roles = settings.WORKER_ROLES;
  const clock = createDatabaseClock(database);
  const { now } = clock;
  const identity = `worker ${hostname()}:${process.pid}`;
  const clockWatch = await watchClock({
    process: identity,
    database,
    clock,
    compareTemporal: () =>
      compareWithTemporal(client, settings.TEMPORAL_NAMESPACE, {
        prefix: settings.TASK_QUEUE_PREFIX,
        identity: `${hostname()}:${process.pid}`,
      }),
    logger,
  });
  const starter = createDeliveryStarter({
    database,
    workflows: createDeliveryWorkflows({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now }),
    now,
  });
  const refunds = createRefundWorkflows({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now });
  const { dispatcher: webhooks, activities: deliveryActivities } = composeWebhooks({
    settings,
    database,
    keyring,
    starter,
    now,
    logger,
  });
  const commit = createCommit({
    database,
    webhooks,
    startRefund: (refund, eventIds) => refunds.start(refund, eventIds),
  });
  const provider = composeProviderActivities({
    database,
    keyring,
    webhooks,
    commit,
    publicUrl: settings.PUBLIC_URL,
    logger,
    simulators: simulatorsOf(settings),
    simulatorOptions: {
      networkTimeoutMs: 8_000,
      unseenKeyHorizonMs:
        settings.NETWORK_UNSEEN_KEY_HORIZON_SECONDS === undefined
          ? null
          : settings.NETWORK_UNSEEN_KEY_HORIZON_SECONDS * 1000,
    },
    now,
  });
  const parts = {
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    queuePrefix: settings.TASK_QUEUE_PREFIX,
    dataConverter: createDataConverter(keyring, markRefused),
    workflowBundle,
    build,
    cachedWorkflows: settings.WORKFLOW_CACHE_SIZE,
    workflowPolls: settings.WORKFLOW_POLLS,
    withLineIds,
    onFailedTask: (task: FailedTask) => failedTasks.keep(task),
  };
  const failed = (error: unknown): void => {
    logger.fatal({ err: error }, 'worker stopped');
    onFault();
  };
  const calling: WorkerParts['activities'] = {
    ...(roles.includes('payments')
      ? { payments: { ...createTransitionActivities({ database, commit }), ...provider.attempts } }
      : {}),
    ...(roles.includes('provider') ? { provider: { ...provider.attempts, ...provider.others } } : {}),
  };
  const delivering: WorkerParts['activities'] = deliveryActivities ? { webhooks: deliveryActivities } : {};
  // This includes the queue of payments: its worker runs their charges as local activities.
  const callers = await runPausableWorkers({
    create: () => createWorkers({ ...parts, activities: calling }),
    isAllowed: clockWatch.isRight(),
    onFault: failed,
  });
  clockWatch.onChange((isRight) => callers.allow(isRight));
  const deliverers = await runPausableWorkers({
    create: () => createWorkers({ ...parts, activities: delivering }),
    isAllowed: true,
    onFault: failed,
  });
  await deleteFormerSchedules(client, settings.TASK_QUEUE_PREFIX, (error) =>
    logger.warn({ err: error }, 'a schedule of an earlier version was not deleted'),
  );
  const joining =
    build &&
    joinDeployment({
      deployments,
      build,
      onRefused: (reason) => {
        process.stderr.write(`${reason}\n`);
        onFault();
      },
      logger,
    });
  const stopping = new AbortController();
  const hold = { begun: false };
  const followingHold = watchHold({ database, logger }, hold, stopping.signal);
  const sweeps = composeSweeps({
    settings,
    database,
    keyring,
    client,
    deployments,
    provider: provider.checks,
    starter,
    clock,
    clockWatch,
    process: identity,
    logger,
  });
  const taskWatch = watchFailedTasks({
    tasks: failedTasks,
    runs: createRunIndex({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now }),
    database,
    process: identity,
    logger,
  });
  const health =
    settings.WORKER_PORT === undefined
      ? undefined
      : await serveWorkerHealth({
          host: settings.PRIVATE_HOST,
          port: settings.WORKER_PORT,
          database,
          client,
          hold,
          workersRun: () =>
            (Object.keys(calling).length === 0 || callers.areRunning()) &&
            (Object.keys(delivering).length === 0 || deliverers.areRunning()),
          failedWorkflowTasks: () => failedTasks.count(),
          metrics: createMetricsPage({
            pools: { main: database },
            ...(build && { buildId: build.buildId }),
            others: [createSystemGauges(sweeps.figures)],
            ...(temporalMetrics && { more: temporalMetrics }),
          }),
        });
  logger.info({ roles, port: health?.port, ...(build && { buildId: build.buildId }) }, 'worker ready');
  return {
    stop: async () => {
      const stopped = [sweeps.stop(), callers.stop(), deliverers.stop(), clockWatch.stop(), taskWatch.stop()];
      stopping.abort();
      await Promise.all([...stopped, joining?.stop(), followingHold]);
      await health?.close();
      await webhooks.close();
      await connection.close();
      await Promise.all([provider.close(), database.end()]);
    },
  };
}
