import type { Keyring } from '../crypto/keyring.ts';
import { findActiveConnector } from '../db/merchants/connectors.ts';
import type { Database } from '../db/server/database.ts';
import type { Tenant } from '../db/payments/payments.ts';
import { createStripeAgent } from '../providers/stripe/client.ts';
import { type CheckedAccount, checkStripePair, ConnectorProblem } from './check.ts';
import { openCredentials } from './resolve.ts';

/**
 * Returns the abilities of the account of a merchant's connector, as its providers report them now; null
 * without a connector. Changes nothing. Throws `ConnectorProblem`.
 */
export async function checkOwnConnector(
  { database, keyring }: { database: Database; keyring: Keyring },
  tenant: Tenant,
): Promise<CheckedAccount | null> {
  const connector = await findActiveConnector(database, tenant);
  if (!connector) return null;
  const agent = createStripeAgent();
  try {
    const credentials = openCredentials(keyring, connector);
    const checked = await checkStripePair(credentials, tenant.environment, agent);
    if (checked.account === connector.account) return checked;
    throw new ConnectorProblem(`the key is of ${checked.account}, not of ${connector.account} any more`);
  } finally {
    await agent.close();
  }
}
