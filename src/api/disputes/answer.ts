import type { FastifyReply, FastifyRequest } from 'fastify';
import { findDispute, loadDispute } from '../../db/disputes/dispute-reads.ts';
import { recordDispute } from '../../db/disputes/dispute-evidence.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Actor } from '../../domain/audit.ts';
import { type DisputeView, disputeView, refuseDisputeAnswer } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { bodyHash } from '../../operations/body-hash.ts';
import { noBody, idempotencyKey } from '../http/input.ts';
import { runOperation } from '../../operations/idempotency.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { pathId } from '../../http/request.ts';

/**
 * POST /v1/disputes/{id}/submit and /accept: 200 `{data: Dispute}` once the network took the answer, which is
 * final; the same on replay. Refuses: invalid_request, not_found, dispute_closed, evidence_already_submitted,
 * evidence_past_due, validation_failed of `evidence` when nothing is staged. docs/refunds-and-disputes.md.
 */
export const answerDispute =
  (deps: ApiDeps, answer: 'submit' | 'accept') => async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = principalOf(request);
    const id = pathId(request);
    const key = idempotencyKey(request);
    noBody(request);
    const { result: data, replayed } = await answerOwnDispute(
      deps,
      principal,
      { id, answer, key },
      actorOf(request),
    );
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return reply.send({ data });
  };

/** Answers a tenant's dispute, once per key, for the API and the dashboard. Refuses as the route does. */
export function answerOwnDispute(
  deps: Pick<ApiDeps, 'database' | 'keyring' | 'now' | 'disputes' | 'idempotencyRetentionSeconds'>,
  tenant: Tenant,
  { id, answer, key }: { id: string; answer: 'submit' | 'accept'; key: string },
  actor: Actor,
): Promise<{ result: DisputeView; replayed: boolean }> {
  const { merchantId, environment } = tenant;
  const claim = { merchantId, environment, operation: `${answer}_dispute`, key, bodyHash: bodyHash({ id }) };
  return runOperation<DisputeView>(deps, claim, {
    check: async (transaction) => {
      const dispute = await findDispute(transaction, tenant, id);
      if (!dispute) throw new Refusal('not_found');
      const at = new Date(deps.now());
      const refused = refuseDisputeAnswer(dispute, answer, at);
      if (refused) throw new Refusal(refused);
      if (answer === 'submit' && Object.keys(dispute.evidence).length === 0) {
        throw new Refusal('validation_failed', {
          field: 'evidence',
          message: 'evidence must be staged before it is submitted',
        });
      }
      const action = answer === 'submit' ? 'dispute.submitted' : 'dispute.accepted';
      await recordDispute(transaction, tenant, id, action, { status: dispute.status }, null, { actor, at });
    },
    work: async (operationId) => {
      const dispute = await loadDispute(deps.database, id);
      if (!dispute) throw new Refusal('not_found');
      // The request whose work this finishes may have come this far.
      const submitted = dispute.submittedAt !== null && dispute.status !== 'needsResponse';
      if (answer === 'accept' ? dispute.resolution === 'accepted' : submitted) return disputeView(dispute);
      await deps.disputes.answer(dispute, operationId, answer);
      const answered = await loadDispute(deps.database, id);
      if (!answered) throw new Refusal('service_unavailable');
      return disputeView(answered);
    },
  });
}
