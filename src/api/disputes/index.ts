import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { answerDispute } from './answer.ts';
import { list, listOfPayment } from './list.ts';
import { retrieve } from './retrieve.ts';
import { bodyLimits } from '../../http/body-limits.ts';
import { requireOwnDispute, stageEvidence } from './stage-evidence.ts';

/** The dispute endpoints. docs/refunds-and-disputes.md. */
export function registerDisputes(app: FastifyInstance, deps: ApiDeps): void {
  app.get('/v1/disputes', list(deps));
  app.get('/v1/payments/:id/disputes', listOfPayment(deps));
  app.get('/v1/disputes/:id', retrieve(deps));
  const evidence = { bodyLimit: bodyLimits.evidence, onRequest: requireOwnDispute(deps) };
  const noBody = { bodyLimit: bodyLimits.small };
  app.put('/v1/disputes/:id/evidence', evidence, stageEvidence(deps));
  app.post('/v1/disputes/:id/submit', noBody, answerDispute(deps, 'submit'));
  app.post('/v1/disputes/:id/accept', noBody, answerDispute(deps, 'accept'));
}
