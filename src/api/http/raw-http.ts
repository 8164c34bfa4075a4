import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { recoveryOf } from '../../domain/recovery.ts';
import { refusals } from '../../domain/refusals.ts';

/** What every answer carries, whoever writes it. `Request-Id`: docs/errors.md. */
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
 * Answers bytes that are no request, or a request that took too long, in the documented shape, and hangs up.
 * A connection on which nothing was ever sent is closed without a word: a browser that opened it ahead would
 * take the answer for that of its next request.
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
 * Takes over what Node would answer by itself with an empty 417, or by closing without a word. ERR-04, EP-02.
 */
export function answerMalformedRequests(server: Server, production: boolean): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request: IncomingMessage, socket: Socket) => refuseMalformed(socket, production));
}
