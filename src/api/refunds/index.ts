import type { FastifyInstance } from 'fastify';
import { bodyLimits } from '../../http/body-limits.ts';
import { list, listOfPayment, retrieve } from './read.ts';
import { cancel, create } from './write.ts';

export type RefundRouteDeps = Parameters<typeof create>[0] &
  Parameters<typeof cancel>[0] &
  Parameters<typeof list>[0];

/** Registers the refund endpoints. docs/refunds-and-disputes.md. */
export function registerRefunds(app: FastifyInstance, deps: RefundRouteDeps): void {
  app.post('/v1/payments/:id/refunds', { bodyLimit: bodyLimits.metadata }, create(deps));
  app.get('/v1/payments/:id/refunds', listOfPayment(deps));
  app.get('/v1/refunds', list(deps));
  app.get('/v1/refunds/:id', retrieve(deps));
  app.post('/v1/refunds/:id/cancel', { bodyLimit: bodyLimits.small }, cancel(deps));
}
