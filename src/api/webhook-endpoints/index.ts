import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { deliveries, list, retrieve } from './read.ts';
import { startReplay, test } from './send.ts';
import { change, create, remove, rotate } from './write.ts';

/** Webhook endpoints of a merchant in the environment of its key. docs/webhooks.md. */
export function registerWebhookEndpoints(app: FastifyInstance, deps: ApiDeps): void {
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
