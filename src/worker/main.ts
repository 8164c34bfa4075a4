import { fileURLToPath } from 'node:url';
import { Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { readSettings } from '../runtime/settings.ts';
import { createLogger } from '../runtime/logger.ts';
import { unwrapKeys } from '../runtime/open-keys.ts';
import { runProcess } from '../runtime/run-process.ts';
import { buildInfo } from '../metrics/build-info.ts';
import { startTracing, tracesLost } from '../tracing/start.ts';
import { composeWorker } from './compose.ts';
import { createFailedTasks } from './failed-tasks.ts';
import { createSdkMetrics } from './sdk-metrics.ts';
import { createTemporalLogger } from './temporal-logger.ts';

/**
 * The worker process. It serves the queues of WORKER_ROLES until it is stopped, and then finishes the work
 * that it has begun.
 */
await runProcess(process.env, async () => {
  const settings = await unwrapKeys(readSettings(process.env));
  const logger = createLogger('worker', settings.LOG_LEVEL);
  const stopTracing = await startTracing(
    settings,
    { serviceName: 'card-payments-worker', version: buildInfo().version },
    () => logger.warn(tracesLost),
  );
  const failedTasks = createFailedTasks();
  // Without a port the metrics cannot be read.
  const sdk = settings.WORKER_PORT === undefined ? undefined : await createSdkMetrics();
  Runtime.install({
    logger: createTemporalLogger(logger, (task) => failedTasks.note(task)),
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(sdk && { metrics: sdk.options }),
    },
  });
  const { stop } = await composeWorker(
    settings,
    logger,
    { codePath: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)) },
    () => {
      // A worker that cannot continue ends the process: its supervisor starts a new one.
      process.exitCode = 1;
      process.kill(process.pid, 'SIGTERM');
    },
    { failedTasks, ...(sdk && { temporalMetrics: sdk.text }) },
  );
  return {
    stop: async () => {
      await stop();
      await stopTracing();
    },
  };
});
