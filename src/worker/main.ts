import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { createProviderActivities } from '../activities/provider.ts';
import { createTransitionActivities } from '../activities/transitions.ts';
import type { FaultLog } from '../activities/fault-log.ts';
import { readSettings } from '../config/settings.ts';
import { createKeyring } from '../crypto/keyring.ts';
import { openDatabase } from '../db/database.ts';
import { createLogger, safeError } from '../process/logger.ts';
import { runProcess } from '../process/run-process.ts';
import { createProviderHttp } from '../providers/http.ts';
import { createPaymentNetwork } from '../providers/network-http.ts';
import { createVaultClient } from '../providers/vault-http.ts';
import { connectionOptions } from '../temporal/connection.ts';
import { createDataConverter } from '../temporal/data-converter.ts';
import { createTemporalLogger } from './temporal-logger.ts';
import { createWorkers } from './workers.ts';

/** The worker process: serves the queues of WORKER_ROLES until it is told to stop, then finishes what it has begun. */
await runProcess(async () => {
  const settings = readSettings(process.env);
  const logger = createLogger('worker', settings.LOG_LEVEL);
  Runtime.install({
    logger: createTemporalLogger(logger),
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), forward: {} },
    },
  });
  const keyring = createKeyring(settings.ENCRYPTION_KEYS);
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'card-payments-worker',
    onError: (error) => logger.warn({ err: safeError(error) }, 'database connection lost'),
  });
  const vaultHttp = createProviderHttp({
    provider: 'vault',
    baseUrl: settings.VAULT_URL,
    serviceKey: settings.VAULT_SERVICE_KEY,
    timeoutMs: 3_000,
  });
  const networkHttp = createProviderHttp({
    provider: 'network',
    baseUrl: settings.NETWORK_URL,
    serviceKey: settings.NETWORK_SERVICE_KEY,
    timeoutMs: 8_000,
  });
  const connection = await NativeConnection.connect(connectionOptions(settings));
  const roles = settings.WORKER_ROLES;
  const logFault: FaultLog = (activity, paymentId, error) =>
    logger.warn({ activity, paymentId, err: safeError(error) }, 'an activity met a fault');
  const provider = createProviderActivities({
    database,
    keyring,
    vault: createVaultClient(vaultHttp),
    network: createPaymentNetwork(networkHttp),
    publicUrl: settings.PUBLIC_URL,
    logFault,
  });
  const workers = await createWorkers({
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    queuePrefix: settings.TASK_QUEUE_PREFIX,
    dataConverter: createDataConverter(keyring),
    workflowBundle: { codePath: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)) },
    activities: {
      ...(roles.includes('payments') ? { payments: createTransitionActivities({ database, logFault }) } : {}),
      ...(roles.includes('provider') ? { provider } : {}),
    },
  });
  const runs = workers.map((worker) =>
    worker.run().catch((error: unknown) => {
      // A worker that cannot go on ends the process: its supervisor starts a fresh one.
      logger.fatal({ err: safeError(error) }, 'worker stopped');
      process.exitCode = 1;
      process.kill(process.pid, 'SIGTERM');
    }),
  );
  logger.info({ roles }, 'worker ready');
  return {
    stop: async () => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.all(runs);
      await connection.close();
      await Promise.all([vaultHttp.close(), networkHttp.close(), database.end()]);
    },
  };
});
