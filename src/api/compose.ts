import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { openConnectors } from '../connectors/open.ts';
import { logWaiting } from '../runtime/explain-start.ts';
import { dashboardUrl, type Settings, SettingsError } from '../runtime/settings.ts';
import { simulatorsOf } from '../runtime/simulators.ts';
import { createKeyring } from '../crypto/keyring.ts';
import { watchKeyChanges } from '../db/merchants/key-changes.ts';
import { checkServer, retryUntilReachable } from '../db/server/checks.ts';
import { type ClockWatch, watchClock } from '../db/server/clock-watch.ts';
import { refuseKeys } from '../db/server/key-canary.ts';
import { createDatabaseClock } from '../db/server/database-clock.ts';
import { watchHold } from '../db/server/restore-watch.ts';
import { insertRequests } from '../db/server/api-requests.ts';
import { isDataRefused, openDatabase } from '../db/server/database.ts';
import { openTenantReads } from '../db/server/tenant-reads.ts';
import { createMetricsPage } from '../metrics/page.ts';
import { beginApiSeries } from '../metrics/series.ts';
import { createTemporalClient, refuseOpenTemporal } from '../temporal/connection.ts';
import { compareWithTemporal } from '../temporal/server-time.ts';
import { createDataConverter } from '../temporal/data-converter.ts';
import { createDeliveryWorkflows } from '../temporal/clients/deliveries.ts';
import { createDisputeWorkflows } from '../temporal/clients/disputes.ts';
import { createRefundWorkflows } from '../temporal/clients/refunds.ts';
import { createSandboxWorkflows } from '../temporal/clients/sandbox.ts';
import { buildApp } from './app.ts';
import { createIdentityProvider, type IdentityProvider } from '../dashboard/sign-in/identity-provider.ts';
import { logMissingConnectors } from './log-missing-connectors.ts';
import { createPaymentWorkflows } from '../temporal/clients/payments.ts';
import { createStartQueue } from '../operations/payments/start-queue.ts';
import { createKeyCache } from './http/authentication.ts';
import { buildOperatorApp } from './operators/app.ts';
import { createRequestLog } from './http/request-log.ts';
import { type RateLimits, createRateLimiter, parseRateLimits } from '../operations/rate-limits.ts';

/** Statement timeout of a list, in ms: a list must not hold a connection for long. */
const listTimeoutMs = 2_000;

/**
 * Builds both apps of the API process and their dependencies; neither listens yet. Throws `SettingsError`.
 */
export function composeApi(
  settings: Settings,
  logger: Logger,
): {
  app: FastifyInstance;
  privateApp: FastifyInstance;
  /** Rejects with a `SettingsError` if PostgreSQL answers but must not be used. */
  checked: Promise<void>;
  /** Continues to serve for DRAIN_SECONDS while `/readyz` answers 503. */
  drain: () => Promise<void>;
  stop: () => Promise<void>;
} {
  const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
  const limits = rateLimits(settings);
  beginApiSeries();
  const pool = {
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'card-payments-api',
    onError: (error: Error) => logger.warn({ err: error }, 'database connection lost'),
  };
  const database = openDatabase({ ...pool, signWith: keyring });
  const tenants = openTenantReads({ ...pool, applicationName: 'card-payments-api-reads' });
  const lists = openTenantReads({
    ...pool,
    poolSize: settings.DATABASE_LIST_POOL_SIZE,
    statementTimeoutMs: listTimeoutMs,
    applicationName: 'card-payments-api-lists',
  });
  const stopping = new AbortController();
  const drain = { begun: false };
  const hold = { begun: false };
  const clock = createDatabaseClock(database);
  const { now } = clock;
  const keys = createKeyCache({ database, lookupKeyId: keyring.lookupKeyId, now });
  const watching =
    settings.DATABASE_POOLER === 'none'
      ? watchKeyChanges(settings.DATABASE_URL, keys.clear, stopping.signal)
      : undefined;
  const production = settings.DEPLOYMENT === 'production';
  const unfit = refuseOpenTemporal(production);
  if (unfit !== null) throw new SettingsError(unfit);
  const client = createTemporalClient(
    { address: settings.TEMPORAL_ADDRESS, namespace: settings.TEMPORAL_NAMESPACE },
    createDataConverter(keyring),
  );
  const simulators = simulatorsOf(settings);
  const providers = openConnectors({
    database,
    keyring,
    now,
    simulators,
    simulatorOptions: { networkTimeoutMs: 2_000, unseenKeyHorizonMs: null },
    cardFrame:
      settings.CARD_FRAME_URL === undefined
        ? null
        : {
            url: settings.CARD_FRAME_URL,
            vaultUrl: settings.CARD_FRAME_VAULT_URL,
            wallets:
              settings.WALLET_FRAME_URL === undefined
                ? null
                : { url: settings.WALLET_FRAME_URL, stripeUrl: settings.WALLET_FRAME_STRIPE_URL },
            key: settings.CARD_FRAME_KEY,
          },
  });
  const temporal = { client, queuePrefix: settings.TASK_QUEUE_PREFIX, now };
  const workflows = createPaymentWorkflows(temporal);
  const starts = createStartQueue({ database, workflows, logger });
  const requestLog = createRequestLog({
    insert: (requests) => insertRequests(database, requests),
    isRefused: isDataRefused,
    logger,
  });
  const app = buildApp({
    database,
    tenants,
    lists,
    keys,
    keyring,
    logger,
    now,
    untilClockIsSet: () => clock.untilSet(),
    production,
    simulatedLive: simulators.live !== null,
    connectors: providers.connectors,
    workflows,
    starts,
    refunds: createRefundWorkflows(temporal),
    disputes: createDisputeWorkflows(temporal),
    deliveries: createDeliveryWorkflows(temporal),
    sandbox: createSandboxWorkflows(temporal),
    refundDelaySeconds: settings.REFUND_DELAY_SECONDS,
    limiter: createRateLimiter({ database, limits, now }),
    requestLog,
    publicUrl: settings.PUBLIC_URL,
    dashboardUrl: dashboardUrl(settings),
    identityProvider: identityProvider(settings, now),
    statusSource: settings.STATUS_SOURCE,
    checkoutDeadlineSeconds: settings.CHECKOUT_DEADLINE_SECONDS,
    captureWindowSeconds: settings.CAPTURE_WINDOW_SECONDS,
    idempotencyRetentionSeconds: settings.IDEMPOTENCY_RETENTION_SECONDS,
    networkCallbackSecrets: {
      sandbox: settings.NETWORK_CALLBACK_SECRET,
      live: simulators.live === null ? null : settings.LIVE_NETWORK_CALLBACK_SECRET,
    },
    trustedProxies: settings.TRUSTED_PROXIES,
    maxConnections: settings.API_MAX_CONNECTIONS,
    drain,
    hold,
    countLoopbackFailures: production || settings.RATE_LIMITS.includes('failures='),
  });
  const privateApp = buildOperatorApp({
    database,
    client,
    keyring,
    codecToken: settings.CODEC_TOKEN,
    openCodec: settings.DEPLOYMENT === 'development',
    temporalUiUrl: settings.TEMPORAL_UI_URL,
    drain,
    hold,
    metrics: createMetricsPage({ pools: { main: database, reads: tenants, lists }, requestLog }),
    now,
  });
  const ownUrl = settings.DATABASE_POOLER === 'none' ? settings.DATABASE_URL : null;
  const checked = checkServer(database, 'api', production, stopping.signal, {
    url: ownUrl,
    onWaiting: logWaiting,
  }).then(async (unfitServer) => {
    const refused =
      unfitServer ?? (await retryUntilReachable(stopping.signal, () => refuseKeys(database, keyring)));
    if (refused !== null) throw new SettingsError(refused);
  });
  if (production) void logMissingConnectors(database, logger, checked);
  const followingHold = checked.then(
    () => watchHold({ database, logger }, hold, stopping.signal),
    () => undefined,
  );
  const identity = `${hostname()}:${process.pid}`;
  const watchingClock: Promise<ClockWatch | null> = checked.then(
    () =>
      stopping.signal.aborted
        ? null
        : watchClock({
            process: `api ${identity}`,
            database,
            clock,
            compareTemporal: () =>
              compareWithTemporal(client, settings.TEMPORAL_NAMESPACE, {
                prefix: settings.TASK_QUEUE_PREFIX,
                identity,
              }),
            logger,
          }),
    () => null,
  );
  // The serving process handles a rejection; a test that builds the apps itself need not handle it.
  checked.catch(() => undefined);
  return {
    app,
    privateApp,
    checked,
    drain: async () => {
      drain.begun = true;
      await sleep(settings.DRAIN_SECONDS * 1_000);
    },
    stop: async () => {
      stopping.abort();
      await (await watchingClock)?.stop();
      await followingHold;
      await app.close();
      await privateApp.close();
      await starts.drain(5_000);
      await requestLog.stop(2_000);
      await Promise.all([client.connection.close(), providers.close()]);
      await watching;
      await tenants.end();
      await lists.end();
      await database.end();
    },
  };
}

function identityProvider(settings: Settings, now: () => number): IdentityProvider | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = settings;
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) return null;
  return createIdentityProvider({
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    name: OIDC_NAME,
    redirectUri: `${dashboardUrl(settings)}/dashboard/sign-in/oidc/callback`,
    now,
  });
}

function rateLimits({ RATE_LIMITS: text }: Settings): RateLimits {
  try {
    return parseRateLimits(text);
  } catch (error) {
    throw new SettingsError(error instanceof Error ? error.message : 'RATE_LIMITS cannot be read');
  }
}
