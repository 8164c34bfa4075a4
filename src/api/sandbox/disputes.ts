import { findDispute } from '../../db/disputes/dispute-reads.ts';
import { disputeIdOf } from '../../db/disputes/disputes.ts';
import { disputeView, isClosedDispute } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { SandboxDisputeBody, SandboxResolveBody } from './bodies.ts';
import { follow, sandboxPayment, sandboxRoute } from './sandbox-route.ts';

/**
 * POST /v1/sandbox/payments/{id}/disputes: 201 `{data: Dispute}`. Opens a dispute at the network. Refuses:
 * not_found, sandbox_not_applicable for a payment without money, validation_failed for more than was paid.
 */
export const openDispute = (deps: ApiDeps) =>
  sandboxRoute(deps, {
    operation: 'payment_dispute',
    schema: SandboxDisputeBody,
    status: 201,
    check: async (transaction, { principal, id, body }) => {
      const payment = await sandboxPayment(transaction, principal, id);
      if (payment.paidAt === null) throw new Refusal('sandbox_not_applicable');
      if ((body.amountCents ?? 0) > payment.amountCents) {
        throw new Refusal('validation_failed', {
          field: 'amountCents',
          message: 'amountCents must not exceed the payment',
        });
      }
    },
    work: async ({ principal, id, body }, operationId) => {
      const payment = await sandboxPayment(deps.database, principal, id);
      const { reason, stage = null, amountCents = null, dueInSeconds = null } = body;
      const { disputeReference: reference } = await deps.sandbox.run(operationId, {
        merchantId: principal.merchantId,
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
      const dispute = await follow(
        () => findDispute(deps.database, principal, disputeId),
        (found) => found !== null,
        deps.now,
      );
      if (!dispute) throw new Refusal('service_unavailable');
      return disputeView(dispute);
    },
  });

/**
 * POST /v1/sandbox/disputes/{id}/resolve: 200 `{data: Dispute}`. The network decides. Refuses: not_found,
 * dispute_closed.
 */
export const resolve = (deps: ApiDeps) =>
  sandboxRoute(deps, {
    operation: 'dispute_resolve',
    schema: SandboxResolveBody,
    check: async (transaction, { principal, id }) => {
      const dispute = await findDispute(transaction, principal, id);
      if (!dispute) throw new Refusal('not_found');
      if (dispute.connectorId !== null) throw new Refusal('sandbox_not_applicable');
      if (isClosedDispute(dispute.status)) throw new Refusal('dispute_closed');
    },
    work: async ({ principal, id, body }, operationId) => {
      const dispute = await findDispute(deps.database, principal, id);
      if (!dispute) throw new Refusal('not_found');
      const reference = dispute.providerReference;
      const { status } = await deps.sandbox.run(operationId, {
        merchantId: principal.merchantId,
        type: 'resolveDispute',
        reference,
        outcome: body.outcome,
      });
      if (status === 'refused') throw new Refusal('dispute_closed');
      await deps.disputes.notify({ ...dispute, reference });
      const resolved = await follow(
        () => findDispute(deps.database, principal, id),
        (found) => found !== null && isClosedDispute(found.status),
        deps.now,
      );
      return disputeView(resolved ?? dispute);
    },
  });
