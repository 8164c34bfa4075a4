import type { Command } from 'commander';
import { listAttempts } from '../../db/attempts.ts';
import { listPaymentDeliveries } from '../../db/deliveries.ts';
import { listPaymentDisputes } from '../../db/dispute-reads.ts';
import { listPaymentEvents } from '../../db/events.ts';
import { loadPayment } from '../../db/payments.ts';
import { listPaymentRefunds } from '../../db/refunds.ts';
import { type DisputeRecord, disputeView } from '../../domain/dispute.ts';
import { paymentView } from '../../domain/payment.ts';
import { type RefundRecord, refundView } from '../../domain/refund.ts';
import { disputeWorkflowId, paymentWorkflowId, refundWorkflowId } from '../../temporal/contract/ids.ts';
import { operate, OperatorError, uuidFlag, withCommonFlags } from './operator.ts';

/** `payment show`: what is stored of a payment, without secrets, and where its workflow is seen. */
export function paymentCommands(program: Command): void {
  const payment = program.command('payment').description('Payments');
  withCommonFlags(
    payment.command('show').requiredOption('--payment <id>', 'payment id', uuidFlag('--payment')),
  ).action(async (flags: { payment: string; dataDir: string }) =>
    operate(flags, async ({ database, settings }) => {
      const stored = await loadPayment(database, flags.payment);
      if (!stored) throw new OperatorError(`no payment ${flags.payment}`);
      const workflowId = paymentWorkflowId(stored.id);
      const ui = settings.TEMPORAL_UI_URL;
      return {
        payment: {
          ...paymentView(stored, null),
          merchantId: stored.merchantId,
          checkoutMode: stored.checkoutMode,
          checkoutStatus: stored.checkoutStatus,
          terminalReason: stored.terminalReason,
          attemptsLeft: stored.attemptsLeft,
          captureExpiresAt: stored.captureExpiresAt.toISOString(),
          workflowStartedAt: stored.workflowStartedAt?.toISOString() ?? null,
          finalizedAt: stored.finalizedAt?.toISOString() ?? null,
        },
        attempts: await listAttempts(database, stored.id),
        refunds: (await listPaymentRefunds(database, stored.id)).map(shownRefund),
        disputes: (await listPaymentDisputes(database, stored.id)).map(shownDispute),
        events: await listPaymentEvents(database, stored.id),
        deliveries: await listPaymentDeliveries(database, stored.id),
        workflow: {
          id: workflowId,
          url:
            ui === undefined
              ? null
              : `${ui}/namespaces/${settings.TEMPORAL_NAMESPACE}/workflows/${workflowId}`,
        },
      };
    }),
  );
}

const shownRefund = (refund: RefundRecord) => ({
  ...refundView(refund),
  submittedAt: refund.submittedAt?.toISOString() ?? null,
  workflowId: refundWorkflowId(refund.id),
});

/** With the names of the evidence fields only: their text is the merchant's own about customers, and long. */
function shownDispute(dispute: DisputeRecord) {
  const { evidence, ...view } = disputeView(dispute);
  return {
    ...view,
    evidenceFields: Object.keys(evidence),
    providerReference: dispute.providerReference,
    workflowId: disputeWorkflowId(dispute.id),
  };
}
