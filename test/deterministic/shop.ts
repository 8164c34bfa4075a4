import { createKeyring } from '../../src/crypto/keyring.ts';
import type { Tenant } from '../../src/db/payments/payments.ts';
import { openDatabase } from '../../src/db/server/database.ts';
import { createEndpoint } from '../../src/operations/webhooks/endpoints.ts';
import type { Settings } from '../../src/runtime/settings.ts';
import { byOperator } from '../support/harness/by-operator.ts';
import { createMerchantWithKey } from '../support/harness/create-merchant.ts';

/** The merchant of the simulated payments. */
export interface Shop {
  apiKey: string;
  tenant: Tenant;
  endpointId: string;
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
  const context = { database, keyring };
  const { tenant, apiKey } = await createMerchantWithKey(context, 'Simulated shop', { customMode: true });
  const endpoint = { ...tenant, url: webhookUrl, events: null, description: null };
  const created = await createEndpoint(context, endpoint, byOperator());
  if (typeof created === 'string') throw new Error(`the endpoint was refused: ${created}`);
  await database.end();
  return { apiKey, tenant, endpointId: created.endpoint.id, webhookSecret: created.secret };
}
