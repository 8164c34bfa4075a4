import { type RequestListener, type Server, createServer } from 'node:http';
import type { Socket } from 'node:net';

const MAX_CONNECTIONS = 4_000;
const MAX_UNANSWERED = 16;
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
/** Longest wait for a client that reads no byte of a finished answer. Answers held on purpose never end. */
const WRITE_TIMEOUT_MS = 15_000;

/**
 * Returns an HTTP server (not listening) that cuts off clients that never read their answers, and clients
 * that send requests without waiting for answers.
 */
export function createBoundedServer(handler: RequestListener, writeTimeoutMs = WRITE_TIMEOUT_MS): Server {
  const unanswered = new WeakMap<Socket, number>();
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const { socket } = request;
    const waiting = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, waiting);
    if (waiting > MAX_UNANSWERED) {
      socket.destroy();
      return;
    }
    socket.setTimeout(0);
    response.once('prefinish', () => socket.setTimeout(writeTimeoutMs));
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handler(request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}
