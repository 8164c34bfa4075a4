import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusals.ts';

/** Retry-After while writes are held, in seconds. It is long because an operator has to end the hold. */
const retrySeconds = 60;

/** The templates of the routes that make or move money, or end an attempt to do so, by any method but GET. */
const writes =
  /^\/v1\/(payments(\/:id\/(pay|confirm|refunds))?|refunds\/:id\/cancel|disputes\/:id\/(submit|accept)|payment-links(\/:id)?|sandbox\/.+)$|^\/c\/:token\/(pay|leave-step)$|^\/dashboard\/:environment\/(payments\/:id\/.+|refunds\/:id\/cancel|disputes\/:id\/(submit|accept)|payment-links(\/:id)?)$/;
/** Pages that create a payment or continue an attempt when they are visited. */
const visits = ['/l/:slug', '/a/:token/return'];

/** Returns whether a route makes or moves money. `url` is its template. Pure. */
export const movesMoney = (method: string, url: string): boolean =>
  method === 'GET' ? visits.includes(url) : writes.test(url);

/**
 * Refuses a request that makes or moves money while the rows are older than the state of Temporal or a
 * network: service_unavailable (503). ADR 0062.
 */
export function refuseWhileHeld({ method, routeOptions }: FastifyRequest): void {
  if (!movesMoney(method, routeOptions.url ?? '')) return;
  throw new Refusal('service_unavailable', {
    message: 'Payments are paused after a restore. Nothing was done; retry later.',
    retryAfterSeconds: retrySeconds,
  });
}
