import { explainStart } from '../runtime/explain-start.ts';
import { readSettings, SettingsError } from '../runtime/settings.ts';
import { createLogger } from '../runtime/logger.ts';
import { unwrapKeys } from '../runtime/open-keys.ts';
import { runProcess } from '../runtime/run-process.ts';
import { buildInfo } from '../metrics/build-info.ts';
import { startTracing, tracesLost } from '../tracing/start.ts';
import { composeApi } from './compose.ts';

/**
 * The API process. It serves the public port for merchants and customers, and the private port for operators.
 */
await runProcess(process.env, async () => {
  const settings = await unwrapKeys(readSettings(process.env));
  const logger = createLogger('api', settings.LOG_LEVEL);
  const stopTracing = await startTracing(
    settings,
    { serviceName: 'card-payments-api', version: buildInfo().version },
    () => logger.warn(tracesLost),
  );
  const { app, privateApp, checked, drain, stop } = composeApi(settings, logger);
  await app.listen({ host: settings.API_HOST, port: settings.API_PORT });
  await privateApp.listen({ host: settings.PRIVATE_HOST, port: settings.PRIVATE_PORT });
  logger.info({ port: settings.API_PORT }, 'api ready');
  // The API serves while PostgreSQL is unavailable (503), but never with a database that must not be used.
  void checked.catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof SettingsError ? error.message : explainStart(error, process.env)}\n`,
    );
    process.exit(1);
  });
  return {
    drain,
    drainMs: settings.DRAIN_SECONDS * 1_000,
    stop: async () => {
      await stop();
      await stopTracing();
    },
  };
});
