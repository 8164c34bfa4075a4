import { createOwnerLink } from '../../src/db/sign-in-links.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { hashPurposes } from '../../src/crypto/seal-contexts.ts';
import { randomUrlSecret } from '../../src/crypto/secrets.ts';
import { dashboardUrl } from '../../src/runtime/settings.ts';
import { byOperator } from './by-operator.ts';
import type { World } from './world.ts';

/** A link that signs the merchant's owner in, as `admin dashboard link` makes it. */
export async function ownerLink(world: World, merchantId: string): Promise<string> {
  const keyring = createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS);
  const token = randomUrlSecret();
  const hash = keyring.lookupHash(hashPurposes.signInLink, token);
  await createOwnerLink(world.database, merchantId, hash, byOperator());
  return `${dashboardUrl(world.settings)}/dashboard/link/${token}`;
}
