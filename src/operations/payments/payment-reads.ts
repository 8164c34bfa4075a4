import type { Keyring } from '../../crypto/keyring.ts';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { checkoutIsUsable, paymentView, type PaymentRecord, type PaymentView } from '../../domain/payment.ts';

/** Returns a payment as its merchant reads it, with the checkout URL only while it can be used (AMB-21). */
export function readPayment(keyring: Keyring, payment: PaymentRecord): PaymentView {
  return paymentView(payment, checkoutIsUsable(payment) ? openCheckoutUrl(keyring, payment) : null);
}

/** Returns the checkout URL as the creation returned it. */
export function openCheckoutUrl(
  keyring: Keyring,
  payment: { id: string; checkoutUrlSealed: Buffer },
): string {
  const stored = JSON.parse(keyring.open(payment.checkoutUrlSealed, sealContext.checkoutUrl(payment.id))) as {
    url: string;
  };
  return stored.url;
}
