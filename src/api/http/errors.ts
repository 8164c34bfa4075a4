import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../../db/server/database.ts';
import { type CallKind, recoveryOf } from '../../domain/recovery.ts';
import { Refusal, refusals } from '../../domain/refusals.ts';

/** What callers are told to wait when a dependency is away, in seconds. */
const unavailableRetrySeconds = 2;

/** Pays and confirms: what they asked for may be under way whatever they were answered. */
const attempts = ['POST /v1/payments/:id/pay', 'POST /v1/payments/:id/confirm'];

function kindOf({ method, routeOptions, headers }: FastifyRequest): CallKind {
  const route = `${method} ${routeOptions.url ?? ''}`;
  if (attempts.includes(route)) return 'attempt';
  // Where a key is sent it is required, and a creation without one is refused before anything is asked.
  const keyed = route === 'POST /v1/payments' || headers['idempotency-key'] !== undefined;
  return method === 'POST' && keyed ? 'keyed' : 'other';
}

/**
 * Writes a refusal in the documented shape, with what to do next. Spec: Errors > body shape; docs/errors.md.
 */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, message } = refusals[refusal.code];
  if (status === 401) void reply.header('WWW-Authenticate', 'Bearer');
  const retryAfter = refusal.retryAfterSeconds ?? (status === 503 ? unavailableRetrySeconds : undefined);
  if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
  void reply.header('Recovery', recoveryOf(refusal.code, kindOf(reply.request)));
  return reply.status(status).send({
    error: {
      code: refusal.code,
      message: refusal.message || message,
      ...(refusal.field === undefined ? {} : { field: refusal.field }),
    },
  });
}

/**
 * The one error handler: refusals as they are, what Fastify itself refuses as 400, and everything else as
 * 503, so that no 405, 413, 415, 500 or foreign body ever reaches a caller. Spec: Errors; docs/errors.md.
 */
export function handleError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const route = request.routeOptions.url;
  if (error instanceof Refusal) {
    // The caller need not know which dependency failed, and how; operators do.
    if (error.code === 'service_unavailable' && error.cause !== undefined) {
      request.log.warn({ err: error.cause, route }, 'a dependency is unavailable');
    }
    return sendRefusal(reply, error);
  }
  const { statusCode } = error as FastifyError;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return sendRefusal(reply, new Refusal('invalid_request'));
  }
  const away = isDatabaseUnavailable(error);
  request.log[away ? 'warn' : 'error'](
    { err: error, route },
    away ? 'a dependency is unavailable' : 'a request failed',
  );
  return sendRefusal(reply, new Refusal('service_unavailable', { cause: error }));
}
