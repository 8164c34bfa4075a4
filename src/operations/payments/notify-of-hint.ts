import { disputeIdOf } from '../../db/disputes/disputes.ts';
import { scheduleRefundRead } from '../../db/refunds/provider-refund-hints.ts';
import type { Database } from '../../db/server/database.ts';
import { hasCustomActions } from '../../db/merchants/merchants.ts';
import {
  type ReportedAttempt,
  isClosedAttempt,
  scheduleCaptureRead,
} from '../../db/payments/capture-hints.ts';
import { schedulePaymentCheckSoon } from '../../db/payments/payment-checks.ts';
import { loadPayment } from '../../db/payments/payments.ts';
import { scheduleRefundCheckSoon } from '../../db/refunds/refund-checks.ts';
import { loadRefund } from '../../db/refunds/refund-reads.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Connectors } from '../../providers/connectors.ts';
import type { DisputeWorkflows } from '../../temporal/clients/disputes.ts';
import type { PaymentWorkflows } from '../../temporal/clients/payments.ts';
import type { RefundWorkflows } from '../../temporal/clients/refunds.ts';

/** The changes at a network that a hint reports. */
export interface Hint {
  /** The attempt whose charge changed; null: no charge did. */
  charge: ReportedAttempt | null;
  /** Whether the network reports that it took the money; null: it reports a change only. */
  succeeded: boolean | null;
  /** The payment's refunds may have changed, including those that were made at the network. */
  refunds: boolean;
  /** The id of one of our refunds: a UUID that may name no refund. */
  refundId: string | null;
  /** The network's id of a dispute. */
  disputeId: string | null;
}

export interface HintDeps {
  database: Database;
  connectors: Connectors;
  workflows: Pick<PaymentWorkflows, 'notifyProviderEvent'>;
  refunds: Pick<RefundWorkflows, 'notify'>;
  disputes: Pick<DisputeWorkflows, 'notify'>;
  /** Epoch ms. */
  now: () => number;
}

/**
 * Notifies the workflows that a hint concerns; each reads the network itself. Refuses service_unavailable
 * when that fails, so that the network sends the hint again.
 */
export async function notifyOfHint(deps: HintDeps, paymentId: string, hint: Hint): Promise<void> {
  const payment = await loadPayment(deps.database, paymentId);
  if (!payment) return;
  // The sweep reads a closed attempt, even of an open payment, because its workflow no longer does. It reads
  // an open one later, because the workflow may have read the charge just before it changed.
  if (hint.charge && hint.succeeded !== false)
    await scheduleCaptureRead(deps.database, payment.id, hint.charge);
  if (hint.charge && payment.finalizedAt === null) {
    // The sweep finds what the run does not act on.
    await schedulePaymentCheckSoon(deps.database, payment.id);
    // If the reported attempt is closed, an open step belongs to a later attempt and is not done yet.
    const isOver = await isClosedAttempt(deps.database, payment.id, hint.charge);
    const confirms = !isOver && (await mayConfirm(deps, payment, hint));
    await deps.workflows.notifyProviderEvent(payment, confirms).catch(() => {
      throw new Refusal('service_unavailable');
    });
  }
  const refund = hint.refundId === null ? null : await loadRefund(deps.database, hint.refundId);
  if (refund?.paymentId === payment.id) {
    await scheduleRefundCheckSoon(deps.database, refund.id);
    await deps.refunds.notify(refund, { submitNow: false, eventIds: [] });
  } else if (hint.refunds) {
    // A refund may have been made at the network. The sweep reads it there.
    await scheduleRefundRead(deps.database, payment.id, new Date(deps.now()));
  }
  if (hint.disputeId !== null) {
    const id = disputeIdOf(hint.disputeId);
    await deps.disputes.notify({ ...payment, id, reference: hint.disputeId });
  }
}

/**
 * Returns whether the workflow may confirm. A merchant approved for custom action handling confirms by
 * itself. For all others the service does, so that a customer who closes the browser after the challenge has
 * still paid. At a network where confirming only reads, a success is always read, because the money is
 * already taken.
 */
async function mayConfirm(
  { database, connectors }: Pick<HintDeps, 'database' | 'connectors'>,
  payment: PaymentRecord,
  { succeeded }: Hint,
): Promise<boolean> {
  const { checkoutMode, merchantId, environment } = payment;
  if (checkoutMode === 'hosted') return true;
  if (succeeded === true && (await connectors.portsOf(payment)).network.confirmsByItself) return true;
  return (await hasCustomActions(database, { merchantId, environment })) === false;
}
