import { type RequestListener, type Server, type ServerOptions, createServer } from 'node:http';
import type { Socket } from 'node:net';

/** What one HTTP server spends at most on those who connect to it. Times in ms. */
export interface ServerBounds {
  /** Connections open at once; more are dropped as they come. */
  maxConnections: number;
  /** Requests of one connection that wait for their answer; one more ends the connection. */
  maxUnanswered: number;
  /** No byte either way while a request is worked on: longer than the longest answer takes. */
  idleTimeoutMs: number;
  /** No byte taken of an answer that is finished. A slow reader that still reads is waited for. */
  writeTimeoutMs: number;
  /** An open connection without a request. */
  keepAliveTimeoutMs: number;
}

/**
 * Returns an HTTP server (not listening) that whoever connects cannot fill: readers that never read, and
 * requests that are sent without waiting for answers, are cut off. docs/security.md, "Floods".
 */
export function createBoundedServer(
  bounds: ServerBounds,
  options: ServerOptions,
  handler: RequestListener,
): Server {
  const unanswered = new WeakMap<Socket, number>();
  const server = createServer(options, (request, response) => {
    const { socket } = request;
    const waiting = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, waiting);
    if (waiting > bounds.maxUnanswered) {
      // What else arrived in the same piece ends here too, without work.
      socket.destroy();
      return;
    }
    socket.setTimeout(bounds.idleTimeoutMs);
    // Everything is handed over; from here on only the reader is waited for.
    response.once('prefinish', () => socket.setTimeout(bounds.writeTimeoutMs));
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handler(request, response);
  });
  server.maxConnections = bounds.maxConnections;
  server.keepAliveTimeout = bounds.keepAliveTimeoutMs;
  server.setTimeout(bounds.idleTimeoutMs);
  return server;
}
