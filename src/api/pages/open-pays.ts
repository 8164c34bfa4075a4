import { type OpenPay, withdrawPay } from '../../db/checkout-page.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import type { ApiDeps } from '../deps.ts';

/** Longer than any call to the workflow waits: whoever sent such a pay is not waiting any more. */
const patienceMs = 25_000;

/**
 * Whether one of the pays that were sent and never answered may still lead to a charge, though the checkout
 * looks open: then the customer must not be asked to pay again. One that no worker took is withdrawn once its
 * sender has given up and the payment's workflow runs: after that it can lead to nothing.
 */
export async function mayStillCharge(
  deps: Pick<ApiDeps, 'database' | 'workflows'>,
  payment: Pick<PaymentRecord, 'id'>,
  openPays: readonly OpenPay[],
): Promise<boolean> {
  if (openPays.length === 0) return false;
  // Asked after the rows were read: a pay that was taken by then had begun before this answer.
  const snapshot = await deps.workflows.snapshot(payment.id);
  if (snapshot?.status !== 'open' && snapshot?.status !== 'failed_retryable') return true;
  for (const { inputId, taken, ageMs } of openPays) {
    // Taken, and the checkout is open again: it came to nothing.
    if (taken) continue;
    if (ageMs < patienceMs || !(await withdrawPay(deps.database, inputId))) return true;
  }
  return false;
}
