import type { FastifyInstance } from 'fastify';
import { list, listOfPayment, retrieve } from './read.ts';
import { bodyLimits } from '../../http/body-limits.ts';
import { answer, requireOwnDispute, stageEvidence } from './write.ts';

export type DisputeRouteDeps = Parameters<typeof answer>[0] & Parameters<typeof list>[0];

/** Registers the dispute endpoints. docs/refunds-and-disputes.md. */
export function registerDisputes(app: FastifyInstance, deps: DisputeRouteDeps): void {
  app.get('/v1/disputes', list(deps));
  app.get('/v1/payments/:id/disputes', listOfPayment(deps));
  app.get('/v1/disputes/:id', retrieve(deps));
  const evidence = { bodyLimit: bodyLimits.evidence, onRequest: requireOwnDispute(deps) };
  const smallBody = { bodyLimit: bodyLimits.small };
  app.put('/v1/disputes/:id/evidence', evidence, stageEvidence(deps));
  app.post('/v1/disputes/:id/submit', smallBody, answer(deps, 'submit'));
  app.post('/v1/disputes/:id/accept', smallBody, answer(deps, 'accept'));
}
