import { createKeyring } from '../../src/crypto/keyring.ts';
import { type MailSettings, setMailSettings } from '../../src/db/mail/mail-settings.ts';
import type { Environment } from '../../src/domain/statuses.ts';
import { checkMailServer, sealMailUrl } from '../../src/mail/mail-server.ts';
import { byOperator } from './harness/by-operator.ts';
import { Shop } from './shop.ts';
import type { World } from './world.ts';

export const sender = 'receipts@shop.example';

/** Sets the merchant's mail server, like `admin mail set`. */
export async function setMail(
  world: World,
  merchantId: string,
  url: string,
  environment: Environment = 'sandbox',
): Promise<MailSettings | null> {
  const checked = checkMailServer({ url, from: sender }, { allowLoopback: true });
  if (!checked.ok) throw new Error(`${checked.field} ${checked.reason}`);
  const keyring = createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS);
  const tenant = { merchantId, environment };
  const { host, port } = checked.server;
  const urlSealed = sealMailUrl(keyring, tenant, url);
  return setMailSettings(
    world.database,
    { ...tenant, host, port, fromAddress: sender, urlSealed },
    byOperator(),
  );
}

/** Creates a merchant's backend whose mails go to the server. */
export async function openMailingShop(
  world: World,
  url: string,
): Promise<{ merchantId: string; shop: Shop }> {
  const merchantId = await world.merchant();
  await setMail(world, merchantId, url);
  return { merchantId, shop: new Shop(world.baseUrl, await world.key(merchantId, 'sandbox')) };
}

/** Creates and pays a payment; returns its id. */
export async function payOne(shop: Shop, fields: Record<string, unknown>): Promise<string> {
  const id = await shop.customPayment(fields);
  const { status } = await shop.pay(id, await shop.captureCard(id));
  if (status !== 200) throw new Error(`pay answered ${status}`);
  return id;
}
