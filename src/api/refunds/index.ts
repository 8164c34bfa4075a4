import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { bodyLimits } from '../../http/body-limits.ts';
import { cancel } from './cancel.ts';
import { create } from './create.ts';
import { list, listOfPayment } from './list.ts';
import { retrieve } from './retrieve.ts';

/** The refund endpoints. docs/refunds-and-disputes.md. */
export function registerRefunds(app: FastifyInstance, deps: ApiDeps): void {
  app.post('/v1/payments/:id/refunds', { bodyLimit: bodyLimits.metadata }, create(deps));
  app.get('/v1/payments/:id/refunds', listOfPayment(deps));
  app.get('/v1/refunds', list(deps));
  app.get('/v1/refunds/:id', retrieve(deps));
  app.post('/v1/refunds/:id/cancel', { bodyLimit: bodyLimits.small }, cancel(deps));
}
