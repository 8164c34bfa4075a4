import type { Keyring } from '../../crypto/keyring.ts';
import type { Principal } from '../../db/merchants/api-keys.ts';
import { type CheckoutRecord, findCheckout, loadCheckout } from '../../db/payments/checkouts.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';

import type { CheckoutCommand } from '../../domain/checkout.ts';
import { checkoutIsUsable, paymentView, type PaymentRecord, type PaymentView } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import { openCheckoutUrl } from './create-payment.ts';
import { refuseByRow } from './make-attempt.ts';

/** A payment as its merchant reads it: the checkout URL only while it can still be used (AMB-21). */
export function readPayment(keyring: Keyring, payment: PaymentRecord): PaymentView {
  return paymentView(payment, checkoutIsUsable(payment) ? openCheckoutUrl(keyring, payment) : null);
}

/**
 * The payment of a capture-flow endpoint, with its checkout. Unknown, foreign, other-environment and hosted
 * payments, and merchants without custom mode, are one and the same 404 (EP-05, EP-06, AMB-45).
 */
export async function findCustomCheckout(
  tenants: TenantReads,
  principal: Principal,
  id: string,
): Promise<CheckoutRecord> {
  const checkout = await tenants.read(principal, (database) => findCheckout(database, principal, id));
  if (!checkout || checkout.checkoutMode !== 'custom' || !principal.customMode)
    throw new Refusal('not_found');
  return checkout;
}

/**
 * Asks the payment's workflow, once the rows refuse nothing. One that ended between the read of the row and
 * the question cannot answer any more; then the row does, with the refusal of a closed checkout. Throws what
 * the workflow refuses with, or service_unavailable.
 */
export async function updateWorkflow<T>(
  deps: { database: Queryable; now: () => number },
  checkout: CheckoutRecord,
  command: CheckoutCommand,
  ask: () => Promise<T>,
): Promise<T> {
  refuseByRow(checkout, command, deps.now());
  try {
    return await ask();
  } catch (error) {
    // A cause means that the call itself failed; the workflow's own words have none.
    if (error instanceof Refusal && error.cause !== undefined) {
      const current = await loadCheckout(deps.database, checkout.id);
      if (current && current.finalizedAt !== null) refuseByRow(current, command, deps.now());
    }
    throw error;
  }
}
