import { eraseCustomer } from '../../../src/operations/payments/erase-customer.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import type { Caller } from './caller.ts';
import type { Dashboard } from './dashboard.ts';
import { erasableEmail } from './sandbox-client.ts';

/** How often the operator tries, and the pause between two tries, in ms. */
const maxTries = 8;
const pauseMs = 4_000;

/**
 * Plays an operator who erases the customer of a payment, as soon as nothing about it is open, and then once
 * more, which is refused.
 */
export async function eraseCustomerOf(
  { index, shop, client, context }: Caller,
  { deps }: Dashboard,
): Promise<void> {
  const id = client.paymentId;
  if (id === null) return;
  const { merchantId } = shop.tenant;
  let erased = false;
  for (let tries = 0; tries < maxTries; tries += 1) {
    try {
      const again = await eraseCustomer(deps, merchantId, erasableEmail(index), byOperator());
      if ('refused' in again && again.refused !== 'open') return;
      erased ||= 'erased' in again;
      // Also a call whose commit was not answered may have erased the customer.
    } catch (error) {
      context.scheduler.note(`an erasure failed: ${String(error)}`);
    }
    if (!erased) await client.pause(pauseMs, pauseMs);
  }
}
