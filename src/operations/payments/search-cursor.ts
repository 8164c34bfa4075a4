import { createHash } from 'node:crypto';
import type { Keyring } from '../../crypto/keyring.ts';
import { sealContext } from '../../crypto/seal-contexts.ts';
import type { PaymentSearch, SearchPosition } from '../../db/payments/payment-search.ts';
import type { Tenant } from '../../db/payments/payments.ts';

/**
 * Returns a cursor for callers: encrypted, and valid only for the tenant and the search that it was made for.
 */
export function sealCursor(
  keyring: Keyring,
  tenant: Tenant,
  search: PaymentSearch,
  { createdUs, id }: SearchPosition,
): string {
  return keyring.seal(JSON.stringify([createdUs, id]), contextOf(tenant, search)).toString('base64url');
}

/** Returns the position of a cursor, or null where it was not made here for this tenant and search. */
export function openCursor(
  keyring: Keyring,
  tenant: Tenant,
  search: PaymentSearch,
  cursor: string,
): SearchPosition | null {
  try {
    const text = keyring.open(Buffer.from(cursor, 'base64url'), contextOf(tenant, search));
    const [createdUs, id] = JSON.parse(text) as [number, string];
    return { createdUs, id };
  } catch {
    return null;
  }
}

function contextOf({ merchantId, environment }: Tenant, search: PaymentSearch) {
  const asked = JSON.stringify(Object.entries(search).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const hash = createHash('sha256').update(asked).digest('base64url');
  return sealContext.searchCursor(`${environment}:${merchantId}:${hash}`);
}
