import type { Queryable } from '../server/database.ts';
import { moveBackByReferences } from '../payments/archive.ts';
import type { Tenant } from '../payments/payments.ts';

/** A fee or payout, as a provider lists it. */
export interface ProviderMovement {
  reference: string;
  kind: 'fee' | 'payout';
  amountCents: number;
  currency: string;
  /**
   * The provider's object behind the charge; null if the movement belongs to the merchant's account as a
   * whole.
   */
  chargeReference: string | null;
  createdAtMs: number;
}

/**
 * Stores fees and payouts of a merchant's account at a provider, each once. Movements of charges that belong
 * to no payment of the merchant's environment are left out. ADR 0061.
 */
export async function recordProviderMovements(
  database: Queryable,
  { merchantId, environment }: Tenant,
  listed: readonly ProviderMovement[],
): Promise<void> {
  const charges = listed.flatMap(({ chargeReference }) => chargeReference ?? []);
  if (charges.length > 0) await moveBackByReferences(database, charges);
  const entries = listed.map(({ reference, kind, amountCents, currency, chargeReference, createdAtMs }) => ({
    type: kind,
    reference,
    amount_cents: amountCents,
    currency,
    charge_reference: chargeReference,
    occurred_at: new Date(createdAtMs),
  }));
  await database.query('SELECT record_provider_movements($1, $2, $3)', [
    merchantId,
    environment,
    JSON.stringify(entries),
  ]);
}
