import { Agent } from 'undici';

/**
 * The most connections of one process to one provider. Each call holds a connection until its answer, which
 * an issuer may delay for seconds. With fewer connections than pays that a process can start meanwhile, slow
 * calls would make all others wait. A connection accepts no request before the previous one is answered.
 */
const maxConnections = 500;

/** Returns a pool for a provider's calls; `close` waits for calls in progress. */
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
