import { uuidv7 } from 'uuidv7';
import type { StripeCredentials } from '../../src/connectors/credentials.ts';
import { sealCredentials } from '../../src/connectors/resolve.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { setConnector } from '../../src/db/merchants/connectors.ts';
import type { SettingsChange } from '../../src/db/merchants/merchants.ts';
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
  /** The connector of its payments; null: they use the simulators. */
  connectorId: string | null;
  /** Whether it confirms its customers' steps itself. */
  customActions: boolean;
}

interface ShopOptions {
  webhookUrl: string;
  /** The account of its payments, if it has one. */
  stripe: { account: string; credentials: StripeCredentials } | null;
  changes: SettingsChange;
}

/** Creates a merchant with a key, a webhook endpoint and maybe a connector, as the operator's commands do. */
export async function createShop(
  settings: Settings,
  { webhookUrl, stripe, changes }: ShopOptions,
): Promise<Shop> {
  const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 1,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'simulated-operator',
  });
  const context = { database, keyring };
  const { tenant, apiKey } = await createMerchantWithKey(context, 'Simulated shop', changes);
  const endpoint = { ...tenant, url: webhookUrl, events: null, description: null };
  const created = await createEndpoint(context, endpoint, byOperator());
  if (typeof created === 'string') throw new Error(`the endpoint was refused: ${created}`);
  const connector =
    stripe &&
    (await setConnector(
      database,
      { ...tenant, newId: uuidv7(), kind: 'stripe', account: stripe.account },
      (id) => sealCredentials(keyring, id, stripe.credentials),
      byOperator(),
    ));
  await database.end();
  return {
    apiKey,
    tenant,
    endpointId: created.endpoint.id,
    webhookSecret: created.secret,
    connectorId: connector?.id ?? null,
    customActions: changes.customActions ?? false,
  };
}
