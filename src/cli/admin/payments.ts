import type { Command } from 'commander';
import { listAttempts } from '../../db/payments/attempts.ts';
import { listPaymentDeliveries } from '../../db/webhooks/delivery-reads.ts';
import { listPaymentDisputes } from '../../db/disputes/dispute-reads.ts';
import { listPaymentEvents } from '../../db/webhooks/events.ts';
import type { PaymentHistory } from '../../db/payments/payment-history.ts';
import { newestPayments } from '../../db/payments/payments.ts';
import type { Queryable } from '../../db/server/database.ts';
import { listPaymentRefunds } from '../../db/refunds/refund-reads.ts';
import { type DisputeRecord, disputeView } from '../../domain/dispute.ts';
import { paymentView } from '../../domain/payment.ts';
import { type Environment, type PaymentStatus, paymentStatuses } from '../../domain/statuses.ts';
import { type RefundRecord, refundView } from '../../domain/refund.ts';
import { waitingNow } from '../../domain/waiting-facts.ts';
import { disputeWorkflowId, paymentWorkflowId, refundWorkflowId } from '../../temporal/contract/ids.ts';
import { problems } from '../problems.ts';
import { environmentFlag, operate, OperatorError, uuidFlag, withCommonFlags } from './operator.ts';
import { readingCommands, withHistory } from './timeline.ts';

interface ListFlags {
  merchant: string;
  environment: Environment;
  status?: PaymentStatus;
  limit: number;
  dataDir: string;
}

/**
 * `payment list|show`: the stored facts about payments, without secrets, and where to find their workflows.
 * Adds `why` and `timeline`.
 */
export function paymentCommands(program: Command): void {
  const payment = program.command('payment').description('Payments');
  withCommonFlags(
    payment
      .command('list')
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--environment <name>', 'sandbox or live', environmentFlag)
      .option('--status <status>', 'only payments with this status', statusFlag)
      .option('--limit <number>', 'maximum number of payments, up to 1,000', limitFlag, 50),
  ).action(async (flags: ListFlags) =>
    operate(flags, async ({ database }) => {
      const tenant = { merchantId: flags.merchant, environment: flags.environment };
      const found = await newestPayments(database, tenant, flags.status ?? null, flags.limit);
      return {
        payments: found.map((one) => ({
          id: one.id,
          reference: one.reference,
          status: one.status,
          checkoutStatus: one.checkoutStatus,
          method: one.method,
          amountCents: one.amountCents,
          refundedCents: one.refundedCents,
          createdAt: one.createdAt.toISOString(),
          finalizedAt: one.finalizedAt?.toISOString() ?? null,
        })),
      };
    }),
  );
  withCommonFlags(
    payment.command('show').requiredOption('--payment <id>', 'payment id', uuidFlag('--payment')),
  ).action(async (flags: { payment: string; dataDir: string }) =>
    operate(flags, ({ database, settings, now }) =>
      withHistory(database, flags.payment, (history, reads) =>
        shownPayment(history, reads, {
          now: new Date(now()),
          ui: settings.TEMPORAL_UI_URL,
          namespace: settings.TEMPORAL_NAMESPACE,
        }),
      ),
    ),
  );
  readingCommands(payment);
}

/** Returns what `show` prints. `ui`: the address of Temporal's own pages. */
async function shownPayment(
  history: PaymentHistory,
  database: Queryable,
  { ui, namespace, now }: { ui: string | undefined; namespace: string; now: Date },
) {
  const stored = history.payment;
  const workflowId = paymentWorkflowId(stored.id);
  const [refunds, disputes] = await Promise.all([
    listPaymentRefunds(database, stored.id),
    listPaymentDisputes(database, stored.id),
  ]);
  const workflowIds = [
    workflowId,
    ...refunds.map(({ id }) => refundWorkflowId(id)),
    ...disputes.map(({ id }) => disputeWorkflowId(id)),
  ];
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
    waitingFor: waitingNow(history, now),
    attempts: await listAttempts(database, stored.id),
    refunds: refunds.map(shownRefund),
    disputes: disputes.map(shownDispute),
    events: await listPaymentEvents(database, stored.id),
    deliveries: await listPaymentDeliveries(database, stored.id),
    workflow: {
      id: workflowId,
      // The PaymentStatus of this run is the last that it set; workflows of refunds and disputes continue
      // from there.
      query: `WorkflowId IN (${workflowIds.map((id) => `"${id}"`).join(', ')})`,
      url: ui === undefined ? null : `${ui}/namespaces/${namespace}/workflows/${workflowId}`,
    },
  };
}

function statusFlag(text: string): PaymentStatus {
  const found = paymentStatuses.find((status) => status === text);
  if (!found) throw new OperatorError(problems.oneOf('--status', paymentStatuses));
  return found;
}

function limitFlag(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > 1_000)
    throw new OperatorError(problems.wholeNumber('--limit', 1_000));
  return limit;
}

const shownRefund = (refund: RefundRecord) => ({
  ...refundView(refund),
  submittedAt: refund.submittedAt?.toISOString() ?? null,
  workflowId: refundWorkflowId(refund.id),
});

/**
 * Returns a dispute with only the names of its evidence fields, because their texts are long and about
 * customers.
 */
function shownDispute(dispute: DisputeRecord) {
  const { evidence, ...view } = disputeView(dispute);
  return {
    ...view,
    evidenceFields: Object.keys(evidence),
    providerReference: dispute.providerReference,
    workflowId: disputeWorkflowId(dispute.id),
  };
}
