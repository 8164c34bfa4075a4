import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { FaultLog } from '../activities/fault-log.ts';
import { createProviderActivities } from '../activities/provider.ts';
import { createTransitionActivities } from '../activities/transitions.ts';
import type { Settings } from '../config/settings.ts';
import { createKeyring } from '../crypto/keyring.ts';
import { openDatabase } from '../db/database.ts';
import { safeError } from '../process/logger.ts';
import { createProviderHttp } from '../providers/http.ts';
import { createPaymentNetwork } from '../providers/network-http.ts';
import { createVaultClient } from '../providers/vault-http.ts';
import { connectionOptions } from '../temporal/connection.ts';
import { createDataConverter } from '../temporal/data-converter.ts';
import { type WorkerParts, createWorkers } from './workers.ts';

/** Builds and runs the workers of WORKER_ROLES; `stop` finishes what they have begun. */
export async function composeWorker(
  settings: Settings,
  logger: Logger,
  workflowBundle: WorkerParts['workflowBundle'],
  onFault: () => void,
): Promise<{ stop: () => Promise<void> }> {
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
  const roles = settings.WORKER_ROLES;
  const workers = await createWorkers({
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    queuePrefix: settings.TASK_QUEUE_PREFIX,
    dataConverter: createDataConverter(keyring),
    workflowBundle,
    activities: {
      ...(roles.includes('payments') ? { payments: createTransitionActivities({ database, logFault }) } : {}),
      ...(roles.includes('provider') ? { provider } : {}),
    },
  });
  const runs = workers.map((worker) =>
    worker.run().catch((error: unknown) => {
      logger.fatal({ err: safeError(error) }, 'worker stopped');
      onFault();
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
}
