import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import type { Principal } from '../../db/merchants/api-keys.ts';
import { Refusal } from '../../domain/refusals.ts';
import { pathId } from '../../http/request.ts';
import { openDispute, resolveDispute } from '../../operations/sandbox/disputes.ts';
import { injectFault } from '../../operations/sandbox/faults.ts';
import type { SandboxCall } from '../../operations/sandbox/operation.ts';
import { advanceClock, answerChallenge, decidePayment } from '../../operations/sandbox/payments.ts';
import { decideRefund } from '../../operations/sandbox/refunds.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { idempotencyKey, jsonBody, orRefuse, parseBody } from '../http/input.ts';
import {
  SandboxChallengeBody,
  SandboxClockBody,
  SandboxDisputeBody,
  SandboxFaultBody,
  SandboxOutcomeBody,
  SandboxRefundBody,
  SandboxResolveBody,
} from './bodies.ts';

/**
 * Returns the handler of a sandbox endpoint. Live keys always get 404. `Idempotency-Key` is required, and
 * each repetition gets the same answer. docs/sandbox.md, AMB-48.
 */
const handle =
  <Schema extends z.ZodType>(
    schema: Schema,
    run: (
      call: SandboxCall & { tenant: Principal },
      command: z.output<Schema>,
    ) => Promise<{ result: unknown; replayed: boolean }>,
    status = 200,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const tenant = principalOf(request);
    if (tenant.environment !== 'sandbox') throw new Refusal('not_found');
    const { id: inPath } = request.params as { id?: string };
    const id = inPath === undefined ? '' : pathId(request);
    const key = idempotencyKey(request);
    const json = jsonBody(request);
    const { body } = orRefuse(parseBody(schema, json), 'validation_failed');
    const sent = json as Record<string, unknown>;
    const { result, replayed } = await run({ tenant, key, id, sent, actor: actorOf(request) }, body);
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return reply.status(status).send({ data: result });
  };

export type SandboxRouteDeps = Parameters<typeof decidePayment>[0] &
  Parameters<typeof advanceClock>[0] &
  Parameters<typeof openDispute>[0] &
  Parameters<typeof decideRefund>[0];

/** Registers the sandbox simulation endpoints. docs/sandbox.md. */
export function registerSandbox(app: FastifyInstance, deps: SandboxRouteDeps): void {
  app.post(
    '/v1/sandbox/payments/:id/outcome',
    handle(SandboxOutcomeBody, (call, command) => decidePayment(deps, call, command)),
  );
  app.post(
    '/v1/sandbox/payments/:id/challenge',
    handle(SandboxChallengeBody, (call, command) => answerChallenge(deps, call, command)),
  );
  app.post(
    '/v1/sandbox/payments/:id/advance-clock',
    handle(SandboxClockBody, (call, command) => advanceClock(deps, call, command)),
  );
  app.post(
    '/v1/sandbox/payments/:id/disputes',
    handle(SandboxDisputeBody, (call, command) => openDispute(deps, call, command), 201),
  );
  app.post(
    '/v1/sandbox/disputes/:id/resolve',
    handle(SandboxResolveBody, (call, command) => resolveDispute(deps, call, command)),
  );
  app.post(
    '/v1/sandbox/refunds/:id/outcome',
    handle(SandboxRefundBody, (call, command) => decideRefund(deps, call, command)),
  );
  app.post(
    '/v1/sandbox/faults',
    handle(SandboxFaultBody, (call, command) => injectFault(deps, call, command)),
  );
}
