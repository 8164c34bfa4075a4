import { Agent } from 'undici';

/**
 * The most connections of one process to one provider. Each call holds one until its answer, for which an
 * issuer may take seconds: with fewer connections than the pays that a process can begin meanwhile, slow
 * calls make all others wait. A connection accepts no request before the previous one is answered.
 */
const maxConnections = 500;

/** Returns a pool for a provider's calls; `close` waits for those under way. */
export function createConnectionPool(bounds: {
  /** Longest wait for a new connection, in ms. */
  connectTimeoutMs: number;
  maxAnswerBytes: number;
}): Agent {
  return new Agent({
    connect: { timeout: bounds.connectTimeoutMs },
    connections: maxConnections,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    maxResponseSize: bounds.maxAnswerBytes,
  });
}
