import type { Keyring } from '../crypto/keyring.ts';
import type { Principal } from '../db/api-keys.ts';
import type { Queryable } from '../db/database.ts';
import { findPayment } from '../db/payments.ts';
import {
  type CheckoutCommand,
  type CheckoutPaymentStatus,
  decide,
  resumeCheckout,
} from '../domain/checkout.ts';
import { checkoutIsUsable, paymentView, type PaymentRecord, type PaymentView } from '../domain/payment.ts';
import { Refusal } from '../domain/refusals.ts';
import { openCheckoutUrl } from './create-payment.ts';

/** A payment as its merchant reads it: the checkout URL only while it can still be used (AMB-21). */
export function readPayment(keyring: Keyring, payment: PaymentRecord): PaymentView {
  return paymentView(payment, checkoutIsUsable(payment) ? openCheckoutUrl(keyring, payment) : null);
}

/**
 * The payment of a capture-flow endpoint. Unknown, foreign, other-environment and hosted payments, and merchants
 * without custom mode, are one and the same 404 (EP-05, EP-06, AMB-45).
 */
export async function customPayment(
  database: Queryable,
  principal: Principal,
  id: string,
): Promise<PaymentRecord> {
  const payment = await findPayment(database, principal, id);
  if (!payment || payment.checkoutMode !== 'custom' || !principal.customMode) throw new Refusal('not_found');
  return payment;
}

/**
 * A settled checkout answers from its row: nothing can change it any more, so neither Temporal nor a worker is needed.
 * Throws the refusal the command meets; returns when the workflow must be asked.
 */
export function refuseWhenSettled(payment: PaymentRecord, command: CheckoutCommand, now: number): void {
  if (payment.settledAt === null) return;
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
