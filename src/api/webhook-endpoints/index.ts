import type { FastifyInstance } from 'fastify';
import { deliveries, list, retrieve } from './read.ts';
import { startReplay, test } from './send.ts';
import { change, create, remove, rotate } from './write.ts';

export type WebhookEndpointRouteDeps = Parameters<typeof create>[0] &
  Parameters<typeof rotate>[0] &
  Parameters<typeof startReplay>[0] &
  Parameters<typeof deliveries>[0];

/**
 * Registers the routes for a merchant's webhook endpoints, in the environment of its key. docs/webhooks.md.
 */
export function registerWebhookEndpoints(app: FastifyInstance, deps: WebhookEndpointRouteDeps): void {
  app.get('/v1/webhook-endpoints', list(deps));
  app.post('/v1/webhook-endpoints', create(deps));
  app.get('/v1/webhook-endpoints/:id', retrieve(deps));
  app.patch('/v1/webhook-endpoints/:id', change(deps));
  app.delete('/v1/webhook-endpoints/:id', remove(deps));
  app.post('/v1/webhook-endpoints/:id/rotate-secret', rotate(deps));
  app.post('/v1/webhook-endpoints/:id/test', test(deps));
  app.get('/v1/webhook-endpoints/:id/deliveries', deliveries(deps));
  app.post('/v1/webhook-endpoints/:id/replay', startReplay(deps));
}
