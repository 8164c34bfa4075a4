import type { Keyring } from '../../crypto/keyring.ts';
import type { Principal } from '../../db/api-keys.ts';
import type { Queryable } from '../../db/database.ts';
import type { TenantReads } from '../../db/tenant-reads.ts';
import { findPayment, loadPayment } from '../../db/payments.ts';
import {
  type CheckoutCommand,
  type CheckoutPaymentStatus,
  decide,
  resumeCheckout,
} from '../../domain/checkout.ts';
import { checkoutIsUsable, paymentView, type PaymentRecord, type PaymentView } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import { openCheckoutUrl } from './create-payment.ts';

/** A payment as its merchant reads it: the checkout URL only while it can still be used (AMB-21). */
export function readPayment(keyring: Keyring, payment: PaymentRecord): PaymentView {
  return paymentView(payment, checkoutIsUsable(payment) ? openCheckoutUrl(keyring, payment) : null);
}

/**
 * The payment of a capture-flow endpoint. Unknown, foreign, other-environment and hosted payments, and
 * merchants without custom mode, are one and the same 404 (EP-05, EP-06, AMB-45).
 */
export async function findCustomPayment(
  tenants: TenantReads,
  principal: Principal,
  id: string,
): Promise<PaymentRecord> {
  const payment = await tenants.read(principal, (database) => findPayment(database, principal, id));
  if (!payment || payment.checkoutMode !== 'custom' || !principal.customMode) throw new Refusal('not_found');
  return payment;
}

/**
 * A final checkout answers from its row: nothing can change it any more, so neither Temporal nor a worker
 * is needed.
 * Throws the refusal the command meets; returns when the workflow must be asked.
 */
export function refuseWhenFinal(payment: PaymentRecord, command: CheckoutCommand, now: number): void {
  if (payment.finalizedAt === null) return;
  const state = resumeCheckout({
    mode: payment.checkoutMode,
    expiresAtMs: payment.expiresAt.getTime(),
    captureEndsAtMs: payment.captureExpiresAt.getTime(),
    checkoutStatus: payment.checkoutStatus,
    terminalReason: payment.terminalReason,
    // Refunds and disputes come after `paid`; to the checkout they are the same.
    paymentStatus: (payment.checkoutStatus === 'paid' ? 'paid' : payment.status) as CheckoutPaymentStatus,
    attemptsLeft: payment.attemptsLeft,
    attemptsStarted: 0,
    method: payment.method,
    captureRevoked: true,
    openAttempt: null,
  });
  const decision = decide(state, command, now);
  if (!decision.ok) throw new Refusal(decision.code);
}

/**
 * Asks the payment's workflow. One that ended between the read of the row and the question cannot answer any
 * more; then the row does, with the refusal of a final checkout. Throws what the workflow refuses with, or
 * service_unavailable.
 */
export async function updateWorkflow<T>(
  deps: { database: Queryable; now: () => number },
  payment: PaymentRecord,
  command: CheckoutCommand,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    // A cause means that the call itself failed; the workflow's own words have none.
    if (error instanceof Refusal && error.cause !== undefined) {
      const now = await loadPayment(deps.database, payment.id);
      if (now) refuseWhenFinal(now, command, deps.now());
    }
    throw error;
  }
}
