import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { openDispute, resolve } from './disputes.ts';
import { faults } from './faults.ts';
import { advanceClock, challenge, outcome } from './payments.ts';
import { refundOutcome } from './refunds.ts';

/** The sandbox simulation endpoints. docs/sandbox.md. */
export function registerSandbox(app: FastifyInstance, deps: ApiDeps): void {
  app.post('/v1/sandbox/payments/:id/outcome', outcome(deps));
  app.post('/v1/sandbox/payments/:id/challenge', challenge(deps));
  app.post('/v1/sandbox/payments/:id/advance-clock', advanceClock(deps));
  app.post('/v1/sandbox/payments/:id/disputes', openDispute(deps));
  app.post('/v1/sandbox/disputes/:id/resolve', resolve(deps));
  app.post('/v1/sandbox/refunds/:id/outcome', refundOutcome(deps));
  app.post('/v1/sandbox/faults', faults(deps));
}
