import { findDispute } from '../../db/disputes/dispute-reads.ts';
import { disputeIdOf } from '../../db/disputes/disputes.ts';
import { type DisputeStage, type DisputeView, disputeView, isClosedDispute } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { NetworkDecision } from '../../domain/sandbox.ts';
import type { DisputeWorkflows } from '../../temporal/clients/disputes.ts';
import {
  type SandboxCall,
  type SandboxDeps,
  pollUntil,
  runSandboxOperation,
  sandboxPayment,
} from './operation.ts';

/** A dispute that the customer opens. */
export interface OpenDisputeCommand {
  reason: string;
  stage?: DisputeStage | undefined;
  amountCents?: number | undefined;
  dueInSeconds?: number | undefined;
}

/** The network's decision about a dispute. */
export interface ResolveDisputeCommand {
  outcome: NetworkDecision;
}

interface DisputeDeps extends SandboxDeps {
  disputes: Pick<DisputeWorkflows, 'notify'>;
}

/**
 * Opens a dispute at the network. Refuses: not_found, sandbox_not_applicable for a payment that was not paid,
 * validation_failed for an amount above the payment's.
 */
export function openDispute(
  deps: DisputeDeps,
  call: SandboxCall,
  command: OpenDisputeCommand,
): Promise<{ result: DisputeView; replayed: boolean }> {
  const { tenant, id } = call;
  return runSandboxOperation(deps, call, {
    operation: 'payment_dispute',
    check: async (transaction) => {
      const payment = await sandboxPayment(transaction, tenant, id);
      if (payment.paidAt === null) throw new Refusal('sandbox_not_applicable');
      if ((command.amountCents ?? 0) > payment.amountCents) {
        throw new Refusal('validation_failed', {
          field: 'amountCents',
          message: 'amountCents must not exceed the payment',
        });
      }
    },
    work: async (operationId) => {
      const payment = await sandboxPayment(deps.database, tenant, id);
      const { reason, stage = null, amountCents = null, dueInSeconds = null } = command;
      const { disputeReference: reference } = await deps.sandbox.run(operationId, {
        merchantId: tenant.merchantId,
        type: 'openDispute',
        paymentId: id,
        reason,
        stage,
        amountCents,
        dueInSeconds,
      });
      if (reference === null) throw new Refusal('sandbox_not_applicable');
      const disputeId = disputeIdOf(reference);
      await deps.disputes.notify({ ...payment, id: disputeId, reference });
      const dispute = await pollUntil(
        () => findDispute(deps.database, tenant, disputeId),
        (found) => found !== null,
        deps.now,
      );
      if (!dispute) throw new Refusal('service_unavailable');
      return disputeView(dispute);
    },
  });
}

/**
 * Makes the network decide a dispute, or move it to its next stage. Refuses: not_found, dispute_closed;
 * sandbox_not_applicable when there is no next stage.
 */
export function resolveDispute(
  deps: DisputeDeps,
  call: SandboxCall,
  command: ResolveDisputeCommand,
): Promise<{ result: DisputeView; replayed: boolean }> {
  const { tenant, id } = call;
  return runSandboxOperation(deps, call, {
    operation: 'dispute_resolve',
    check: async (transaction) => {
      const dispute = await findDispute(transaction, tenant, id);
      if (!dispute) throw new Refusal('not_found');
      if (dispute.connectorId !== null) throw new Refusal('sandbox_not_applicable');
      if (isClosedDispute(dispute.status)) throw new Refusal('dispute_closed');
    },
    work: async (operationId) => {
      const dispute = await findDispute(deps.database, tenant, id);
      if (!dispute) throw new Refusal('not_found');
      const reference = dispute.providerReference;
      const { status } = await deps.sandbox.run(operationId, {
        merchantId: tenant.merchantId,
        type: 'resolveDispute',
        reference,
        outcome: command.outcome,
      });
      const escalates = command.outcome === 'escalated';
      if (status === 'refused') throw new Refusal(escalates ? 'sandbox_not_applicable' : 'dispute_closed');
      await deps.disputes.notify({ ...dispute, reference });
      const resolved = await pollUntil(
        () => findDispute(deps.database, tenant, id),
        (found) =>
          found !== null && (escalates ? found.stage !== dispute.stage : isClosedDispute(found.status)),
        deps.now,
      );
      return disputeView(resolved ?? dispute);
    },
  });
}
