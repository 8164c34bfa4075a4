import type { Keyring } from '../../crypto/keyring.ts';
import { recordDisputeChange } from '../../db/disputes/dispute-evidence.ts';
import { findDispute, loadDispute } from '../../db/disputes/dispute-reads.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Actor } from '../../domain/audit.ts';
import { type DisputeView, disputeView, refuseDisputeAnswer } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { DisputeWorkflows } from '../../temporal/clients/disputes.ts';
import { type IdempotencyDeps, bodyHash, runOperation } from '../idempotency.ts';

export interface AnswerDisputeDeps extends IdempotencyDeps {
  keyring: Keyring;
  disputes: Pick<DisputeWorkflows, 'answer'>;
}

/**
 * Submits the staged evidence of a tenant's dispute, or accepts the dispute, once per key. Returns the
 * dispute once the network has accepted the answer, which is final. Refuses: not_found, dispute_closed,
 * evidence_already_submitted, evidence_past_due, validation_failed of `evidence` when nothing is staged.
 */
export function answerDispute(
  deps: AnswerDisputeDeps,
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
      await recordDisputeChange(
        transaction,
        { ...tenant, id },
        action,
        { before: { status: dispute.status }, after: null },
        { actor, at },
      );
    },
    work: async (operationId) => {
      const dispute = await loadDispute(deps.database, id);
      if (!dispute) throw new Refusal('not_found');
      // An earlier request under this key may have completed this already.
      const submitted = dispute.submittedAt !== null && dispute.status !== 'needsResponse';
      if (answer === 'accept' ? dispute.resolution === 'accepted' : submitted) return disputeView(dispute);
      await deps.disputes.answer(dispute, operationId, answer);
      const answered = await loadDispute(deps.database, id);
      if (!answered) throw new Refusal('service_unavailable');
      return disputeView(answered);
    },
  });
}
