import { randomUUID } from 'node:crypto';
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  createServer,
} from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { recoveryOf } from '../domain/recovery.ts';
import { refusals } from '../domain/refusals.ts';

/** The limits of one HTTP server on its connections. Times in ms. */
export interface ServerBounds {
  /** Connections open at once; further ones are dropped as they arrive. */
  maxConnections: number;
  /** Requests on one connection that wait for their answer; one more ends the connection. */
  maxUnanswered: number;
  /**
   * Time without a byte in either direction while a request is processed. Longer than the slowest answer
   * takes.
   */
  idleTimeoutMs: number;
  /**
   * Time in which the client takes no byte of a finished answer. A slow reader that still reads is not cut
   * off.
   */
  writeTimeoutMs: number;
  /** Time that an open connection may stay without a request. */
  keepAliveTimeoutMs: number;
}

/**
 * Returns an HTTP server (not listening) that clients cannot exhaust: clients that never read their answers,
 * or that send requests without waiting for answers, are cut off. docs/security.md, "Floods".
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
      // Requests that arrived in the same chunk end here too, without work.
      socket.destroy();
      return;
    }
    socket.setTimeout(bounds.idleTimeoutMs);
    // The whole answer is written; from here on the server waits only for the client.
    response.once('prefinish', () => socket.setTimeout(bounds.writeTimeoutMs));
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handler(request, response);
  });
  server.maxConnections = bounds.maxConnections;
  server.keepAliveTimeout = bounds.keepAliveTimeoutMs;
  server.setTimeout(bounds.idleTimeoutMs);
  return server;
}

/**
 * Returns whether a request names its host exactly once (RFC 9112, section 3.2). With two names, a proxy and
 * this server could choose different ones. HTTP/1.0 may name none.
 */
export function hasOneHostHeader({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** Returns the headers of every answer. `Request-Id`: docs/errors.md. */
export function standardHeaders(requestId: string, production: boolean): Record<string, string> {
  return {
    'Request-Id': requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    ...(production ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}

/**
 * Answers bytes that are not a request, or a request that took too long, in the documented shape, and closes
 * the connection. A connection on which nothing was sent is closed without an answer: a browser that opened
 * it ahead would take the answer for that of its next request.
 */
export function refuseMalformed(
  socket: Pick<Socket, 'writable' | 'end' | 'destroy' | 'bytesRead'>,
  production: boolean,
): void {
  if (!socket.writable) return;
  if (socket.bytesRead === 0) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({
    error: { code: 'invalid_request', message: refusals.invalid_request.message },
  });
  const headers = {
    ...standardHeaders(randomUUID(), production),
    Recovery: recoveryOf('invalid_request', 'other'),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`);
}

/**
 * Answers in the documented shape the requests that Node would answer with an empty 417 or by closing.
 * ERR-04, EP-02.
 */
export function answerMalformedRequests(server: Server, production: boolean): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Socket) => refuseMalformed(socket, production));
}

/**
 * Makes every answer that is sent while the app closes also close its connection. A connection that a client
 * keeps open for its next request would otherwise delay the stop. `drain.begun`: the app will close soon.
 */
export function closeWhenStopping(app: FastifyInstance, drain = { begun: false }): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (stopping || drain.begun) reply.header('connection', 'close');
  });
}
