import { uuidv7 } from 'uuidv7';
import { newKey } from '../../src/crypto/api-key.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { insertKey } from '../../src/db/merchants/merchant-keys.ts';
import { createMerchant, updateSettings } from '../../src/db/merchants/merchants.ts';
import { openDatabase } from '../../src/db/server/database.ts';
import { createEndpoint } from '../../src/operations/webhooks/endpoints.ts';
import type { Settings } from '../../src/runtime/settings.ts';
import { byOperator } from '../support/harness/by-operator.ts';

/** The merchant of the simulated payments. */
export interface Shop {
  apiKey: string;
  webhookSecret: string;
}

/** Creates a merchant with a key and a webhook endpoint, as the operator's command does. */
export async function createShop(settings: Settings, webhookUrl: string): Promise<Shop> {
  const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 1,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'simulated-operator',
  });
  const by = byOperator();
  const id = uuidv7();
  const tenant = { merchantId: id, environment: 'sandbox' } as const;
  await createMerchant(database, { id, name: 'Simulated shop', status: 'active' }, by);
  await updateSettings(database, id, 'sandbox', { customMode: true }, by);
  const { text, stored } = newKey(keyring, 'sandbox');
  const limits = { methods: null, embeddingOrigins: null, scopes: null, refundCapCents: null };
  await insertKey(database, { ...stored, ...limits, ...tenant, name: 'simulated' }, by);
  const endpoint = { ...tenant, url: webhookUrl, events: null, description: null };
  const created = await createEndpoint({ database, keyring }, endpoint, by);
  if (typeof created === 'string') throw new Error(`the endpoint was refused: ${created}`);
  await database.end();
  return { apiKey: text, webhookSecret: created.secret };
}
