import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Settings } from '../runtime/settings.ts';
import { createKeyring } from '../crypto/keyring.ts';
import { checkServer } from '../db/checks.ts';
import { openDatabase } from '../db/database.ts';
import { openTenantReads } from '../db/tenant-reads.ts';
import { createTemporalClient } from '../temporal/connection.ts';
import { createDataConverter } from '../temporal/data-converter.ts';
import { createDeliveryWorkflows } from '../temporal/clients/deliveries.ts';
import { createAfterPaymentWorkflows } from '../temporal/clients/after-payment.ts';
import { buildApp } from './app.ts';
import { createPaymentWorkflows } from '../temporal/clients/payments.ts';
import { buildPrivateApp } from './operators/app.ts';
import { createRateLimiter, parseRateLimits } from './http/rate-limits.ts';

/** Builds both apps of the API process and what they depend on; nothing listens yet. Throws `SettingsError`. */
export function composeApi(
  settings: Settings,
  logger: Logger,
): {
  app: FastifyInstance;
  privateApp: FastifyInstance;
  /** Rejects with a `SettingsError` when PostgreSQL answers and may not be used. */
  checked: Promise<void>;
  stop: () => Promise<void>;
} {
  const keyring = createKeyring(settings.ENCRYPTION_KEYS);
  const limits = parseRateLimits(settings.RATE_LIMITS);
  const pool = {
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'card-payments-api',
    onError: (error: Error) => logger.warn({ err: error }, 'database connection lost'),
  };
  const database = openDatabase(pool);
  const tenants = openTenantReads({ ...pool, applicationName: 'card-payments-api-reads' });
  const client = createTemporalClient(settings, createDataConverter(keyring));
  const now = Date.now;
  const production = settings.DEPLOYMENT === 'production';
  const app = buildApp({
    database,
    tenants,
    keyring,
    logger,
    now,
    production,
    workflows: createPaymentWorkflows({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now }),
    deliveries: createDeliveryWorkflows({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now }),
    afterPayment: createAfterPaymentWorkflows({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now }),
    refundDelaySeconds: settings.REFUND_DELAY_SECONDS,
    limiter: createRateLimiter({ database, limits, now }),
    publicUrl: settings.PUBLIC_URL,
    vaultPublicUrl: settings.VAULT_PUBLIC_URL ?? settings.VAULT_URL,
    statusSource: settings.STATUS_SOURCE,
    checkoutDeadlineSeconds: settings.CHECKOUT_DEADLINE_SECONDS,
    captureWindowSeconds: settings.CAPTURE_WINDOW_SECONDS,
    idempotencyRetentionSeconds: settings.IDEMPOTENCY_RETENTION_SECONDS,
    networkCallbackSecret: settings.NETWORK_CALLBACK_SECRET,
    countLoopbackFailures: production || settings.RATE_LIMITS.includes('failures='),
    onStartFailed: (paymentId) => logger.warn({ paymentId }, 'workflow not started; it will be'),
  });
  const privateApp = buildPrivateApp({ database, client, keyring, settings });
  const stopping = new AbortController();
  const checked = checkServer(database, production, stopping.signal);
  // Heard by the process that serves; a test that builds the apps by hand need not listen.
  checked.catch(() => undefined);
  return {
    app,
    privateApp,
    checked,
    stop: async () => {
      stopping.abort();
      await app.close();
      await privateApp.close();
      await client.connection.close();
      await tenants.end();
      await database.end();
    },
  };
}
