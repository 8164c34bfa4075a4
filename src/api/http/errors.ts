import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../../db/database.ts';
import { Refusal, refusals } from '../../domain/refusals.ts';

/** What callers are told to wait when a dependency is away, in seconds. */
const unavailableRetrySeconds = 2;

/** Writes a refusal in the documented shape. Spec: Errors > body shape. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, message } = refusals[refusal.code];
  if (status === 401) void reply.header('WWW-Authenticate', 'Bearer');
  const retryAfter = refusal.retryAfterSeconds ?? (status === 503 ? unavailableRetrySeconds : undefined);
  if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
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
