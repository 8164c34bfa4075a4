import { randomUUID } from 'node:crypto';
import { sealCredentials } from '../../src/connectors/resolve.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { setConnector } from '../../src/db/merchants/connectors.ts';
import type { Environment } from '../../src/domain/statuses.ts';
import { byOperator } from './harness/by-operator.ts';
import type { World } from './world.ts';

/**
 * Gives a merchant its own connector, whose providers do not exist. Returns its account. `secret` is in each
 * of its credentials.
 */
export async function ownConnector(
  world: World,
  merchantId: string,
  environment: Environment,
  secret: string,
): Promise<string> {
  const keyring = createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS);
  // No process listens there.
  const nowhere = 'http://127.0.0.1:9';
  const credentials = {
    secretKey: `sk_test_${secret}`,
    publishableKey: `pk_test_${secret}`,
    webhookSecret: `whsec_${secret}`,
    previousWebhookSecret: null,
    vaultUser: `${secret}-user`,
    vaultPassword: `${secret}-password`,
    vaultKey: `${secret}-key`,
    vaultPassphrase: `${secret}-passphrase`,
    apiBase: nowhere,
    vaultBase: nowhere,
  };
  const account = `acct_${randomUUID().slice(0, 8)}`;
  await setConnector(
    world.database,
    { merchantId, environment, newId: randomUUID(), kind: 'stripe', account },
    (id) => sealCredentials(keyring, id, credentials),
    byOperator(),
  );
  return account;
}
