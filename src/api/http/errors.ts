import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../../db/server/database.ts';
import { type CallKind, recoveryOf } from '../../domain/recovery.ts';
import { Refusal, refusals } from '../../domain/refusals.ts';
import { fenceCodes, fenceRefusalsTotal } from '../../metrics/series.ts';

/** Retry-After when a dependency is unavailable, in seconds. */
const unavailableRetrySeconds = 2;

/** Pays and confirms. Their attempt may be running after any error. */
const attempts = ['POST /v1/payments/:id/pay', 'POST /v1/payments/:id/confirm'];

function kindOf({ method, routeOptions, headers }: FastifyRequest): CallKind {
  const route = `${method} ${routeOptions.url ?? ''}`;
  if (attempts.includes(route)) return 'attempt';
  // Only keyed operations take an Idempotency-Key, and a creation without one is refused before it does
  // anything.
  const keyed = route === 'POST /v1/payments' || headers['idempotency-key'] !== undefined;
  return method === 'POST' && keyed ? 'keyed' : 'other';
}

/** Counts a refusal of the fence. Other refusals have no series of their own. */
export function countRefusal({ code }: Refusal): void {
  const fence = fenceCodes.find((known) => known === code);
  if (fence !== undefined) fenceRefusalsTotal.inc({ code: fence });
}

/** Returns the Retry-After of a refusal, in seconds; undefined when it has none. A 503 always has one. */
export const retryAfterOf = ({ code, retryAfterSeconds }: Refusal): number | undefined =>
  retryAfterSeconds ?? (refusals[code].status === 503 ? unavailableRetrySeconds : undefined);

/**
 * Writes a refusal in the documented shape, with advice on what to do next. Spec: Errors > body shape;
 * docs/errors.md.
 */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, message } = refusals[refusal.code];
  countRefusal(refusal);
  if (status === 401) void reply.header('WWW-Authenticate', 'Bearer');
  const retryAfter = retryAfterOf(refusal);
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
 * Handles every error. Answers refusals as they are, Fastify's own refusals as 400, and everything else as
 * 503, so that no 405, 413, 415, 500 or other body reaches a caller. Spec: Errors; docs/errors.md.
 */
export function handleError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const route = request.routeOptions.url;
  if (error instanceof Refusal) {
    // Operators learn which dependency failed and how; the caller does not.
    if (error.code === 'service_unavailable' && error.cause !== undefined) {
      request.log.warn({ err: error.cause, route }, 'a dependency is unavailable');
    }
    return sendRefusal(reply, error);
  }
  const { statusCode } = error as FastifyError;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return sendRefusal(reply, new Refusal('invalid_request'));
  }
  const unavailable = isDatabaseUnavailable(error);
  request.log[unavailable ? 'warn' : 'error'](
    { err: error, route },
    unavailable ? 'a dependency is unavailable' : 'a request failed',
  );
  return sendRefusal(reply, new Refusal('service_unavailable', { cause: error }));
}
