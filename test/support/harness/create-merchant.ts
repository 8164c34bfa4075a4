import { uuidv7 } from 'uuidv7';
import { newKey } from '../../../src/crypto/api-key.ts';
import type { Keyring } from '../../../src/crypto/keyring.ts';
import { insertKey } from '../../../src/db/merchants/merchant-keys.ts';
import { type SettingsChange, createMerchant, updateSettings } from '../../../src/db/merchants/merchants.ts';
import type { Tenant } from '../../../src/db/payments/payments.ts';
import type { Database } from '../../../src/db/server/database.ts';
import { byOperator } from './by-operator.ts';

export interface MerchantWithKey {
  tenant: Tenant;
  /** The text of its API key. */
  apiKey: string;
}

/** Creates a merchant with sandbox settings and an API key, as three operator commands do. */
export async function createMerchantWithKey(
  { database, keyring }: { database: Database; keyring: Keyring },
  name: string,
  settings: SettingsChange,
): Promise<MerchantWithKey> {
  const by = byOperator();
  const merchantId = uuidv7();
  const tenant = { merchantId, environment: 'sandbox' } as const;
  await createMerchant(database, { id: merchantId, name, status: 'active' }, by);
  await updateSettings(database, merchantId, 'sandbox', settings, by);
  const { text, stored } = newKey(keyring, 'sandbox');
  const limits = { methods: null, embeddingOrigins: null, scopes: null, refundCapCents: null };
  await insertKey(database, { ...stored, ...limits, ...tenant, name }, by);
  return { tenant, apiKey: text };
}
