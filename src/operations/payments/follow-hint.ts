import { disputeIdOf } from '../../db/disputes/disputes.ts';
import { pollRefunds } from '../../db/refunds/provider-refund-hints.ts';
import type { Database } from '../../db/server/database.ts';
import { hasCustomActions } from '../../db/merchants/merchants.ts';
import { type ReportedAttempt, hintCapture, isClosedAttempt } from '../../db/payments/capture-hints.ts';
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
  /** Its refunds may have changed, also those that were made at the network. */
  refunds: boolean;
  /** Our id of a refund: a UUID that names a refund of ours, or none. */
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
 * where that fails, so that the network sends the hint again.
 */
export async function followHint(deps: HintDeps, paymentId: string, hint: Hint): Promise<void> {
  const payment = await loadPayment(deps.database, paymentId);
  if (!payment) return;
  // What is closed here is read by the sweep, also where the payment is open: its workflow is done with it.
  if (hint.charge && hint.succeeded !== false) await hintCapture(deps.database, payment.id, hint.charge);
  if (hint.charge && payment.finalizedAt === null) {
    // What the run does not act on, the sweep finds.
    await schedulePaymentCheckSoon(deps.database, payment.id);
    // A step that is open beside a closed attempt belongs to a later one, whose customer has not finished.
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
    // Made at the network: the sweep reads it there.
    await pollRefunds(deps.database, payment.id, new Date(deps.now()));
  }
  if (hint.disputeId !== null) {
    const id = disputeIdOf(hint.disputeId);
    await deps.disputes.notify({ ...payment, id, reference: hint.disputeId });
  }
}

/**
 * A merchant approved for custom action handling confirms by itself; for all others the service does, so that
 * a customer who closes the browser after the challenge has still paid. Where confirming is reading, a
 * success is always read: the money is taken already.
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
