import { z } from 'zod';
import { disputeIdOf } from '../../db/disputes/disputes.ts';
import { hearRefunds } from '../../db/refunds/provider-refund-hints.ts';
import { hasCustomActions } from '../../db/merchants/merchants.ts';
import { loadPayment } from '../../db/payments/payments.ts';
import { loadRefund } from '../../db/refunds/refund-reads.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';

/** Whoever may write to an object at the network may name anything there. */
const uuid = z.uuid();

/** What may have changed at a network. */
export interface Hint {
  charge: boolean;
  /** Its refunds, also such as were made at the network. */
  refunds: boolean;
  /** Our id of a refund. */
  refundKey: string | null;
  /** The network's id of a dispute. */
  disputeId: string | null;
}

/**
 * Hands a hint to the workflow that can follow it. Refuses service_unavailable, so that the network sends it
 * again.
 */
export async function followHint(deps: ApiDeps, paymentId: string, hint: Hint): Promise<void> {
  const payment = await loadPayment(deps.database, paymentId);
  if (!payment) return;
  if (hint.charge && payment.finalizedAt === null) {
    await deps.workflows.notifyProviderEvent(payment.id, await mayConfirm(deps, payment)).catch(() => {
      throw new Refusal('service_unavailable');
    });
  }
  const { success: named, data: refundId } = uuid.safeParse(hint.refundKey);
  const refund = named ? await loadRefund(deps.database, refundId) : null;
  if (refund?.paymentId === payment.id) {
    await deps.refunds.notify(refund, { submitNow: false, eventIds: [] });
  } else if (hint.refunds) {
    // Made at the network: the sweep reads it there.
    await hearRefunds(deps.database, payment.id, new Date(deps.now()));
  }
  if (hint.disputeId !== null) {
    const id = disputeIdOf(hint.disputeId);
    await deps.disputes.notify({ ...payment, id, reference: hint.disputeId });
  }
}

/**
 * A merchant approved for custom action handling confirms by itself; for all others the service does, so that
 * a customer who closes the browser after the challenge has still paid.
 */
async function mayConfirm(
  { database }: ApiDeps,
  { checkoutMode, merchantId, environment }: PaymentRecord,
): Promise<boolean> {
  if (checkoutMode === 'hosted') return true;
  return (await hasCustomActions(database, { merchantId, environment })) === false;
}
