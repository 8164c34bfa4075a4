import { Agent } from 'undici';

/**
 * Connections of one process to one provider. Each call holds one until its answer, which an issuer may take
 * seconds for: with fewer than the pays that a process can begin meanwhile, a slow one makes all others wait
 * for a connection. It takes no request before there is an answer to the one before it.
 */
const most = 500;

/** Returns a pool for a provider's calls; `close` waits for those under way. */
export function createConnectionPool(bounds: {
  /** Longest wait for a connection to be made, in ms. */
  connectTimeoutMs: number;
  maxAnswerBytes: number;
}): Agent {
  return new Agent({
    connect: { timeout: bounds.connectTimeoutMs },
    connections: most,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    maxResponseSize: bounds.maxAnswerBytes,
  });
}
