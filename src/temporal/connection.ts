import { Client, Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { tracing } from '../tracing/spans.ts';
import { sendCause } from './cause-interceptor.ts';

/**
 * Returns address, TLS and credentials from the environment or a profile (TEMPORAL_*), the same for clients
 * and workers. `address` is used when neither names one.
 */
export function connectionOptions(
  address: string,
): ReturnType<typeof loadClientConnectConfig>['connectionOptions'] {
  const { connectionOptions: fromProfile } = loadClientConnectConfig();
  return { ...fromProfile, address: fromProfile.address ?? address };
}

/**
 * Returns why the connection to Temporal is not fit for production, or null. A process that reaches Temporal
 * can stop payments, so both ends must authenticate: with TLS, and a client certificate or an API key.
 */
export function refuseOpenTemporal(production: boolean): string | null {
  const { tls, apiKey } = connectionOptions('unused');
  const certified = typeof tls === 'object' && tls?.clientCertPair !== undefined;
  if (!production || certified || (tls && apiKey)) return null;
  return (
    'DEPLOYMENT=production needs TLS to Temporal: set TEMPORAL_TLS_CLIENT_CERT_PATH and ' +
    'TEMPORAL_TLS_CLIENT_KEY_PATH, or TEMPORAL_API_KEY (docs/operations.md, "Temporal")'
  );
}

/**
 * Longest pause between two tries to connect, in ms. By default gRPC pauses for up to two minutes after a
 * long outage, and every request that needs Temporal would get 503 for that time.
 */
const reconnectMs = 2_000;

/**
 * Returns a client that connects lazily, so that the API starts while Temporal is unavailable and answers the
 * requests that do not need it.
 */
export function createTemporalClient(
  { address, namespace }: { address: string; namespace: string },
  dataConverter: LoadedDataConverter,
): Client {
  const connection = Connection.lazy({
    ...connectionOptions(address),
    channelArgs: { 'grpc.max_reconnect_backoff_ms': reconnectMs },
    // Replaces the default of ten tries over twenty seconds, which would hide an outage behind a hanging
    // request.
    interceptors: [
      makeGrpcRetryInterceptor(defaultGrpcRetryOptions({ maxAttempts: 3, initialIntervalMs: () => 100 })),
    ],
  });
  return new Client({
    connection,
    namespace,
    dataConverter,
    ...(tracing.spans && { interceptors: { workflow: [sendCause(tracing.spans)] } }),
  });
}
