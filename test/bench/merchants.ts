import { type SandboxOptions, admin, declinesUnlimited } from '../../local-stack/sandbox.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { openDatabase } from '../../src/db/server/database.ts';
import { readSettings } from '../../src/runtime/settings.ts';
import { createMerchantWithKey } from '../support/harness/create-merchant.ts';
import { inParallel } from './drive.ts';
import type { Http } from './http.ts';

/** How many merchants are created at once, each on a connection of its own. */
const atOnce = 4;

/** The settings of a merchant whose key declines hundreds of test cards. */
const settings = {
  customMode: true,
  declinesPerMerchant: 0,
  declinesPerKey: 0,
  declinesPerAddress: 0,
  declinesPerBin: 0,
  declinesPerCard: 0,
};

export interface MerchantsWanted {
  /** How many merchants take turns. */
  merchants: number;
  /** Webhook endpoints of each. */
  endpoints: number;
  receiverUrl: string;
}

/**
 * Returns the API keys of `merchants` merchants, the given one first, each with its webhook endpoints. Throws
 * when one cannot be created.
 */
export async function prepareMerchants(
  first: { merchantId: string; apiKey: string; apiUrl: string },
  operator: SandboxOptions,
  http: Http,
  { merchants, endpoints, receiverUrl }: MerchantsWanted,
): Promise<string[]> {
  const place = ['--merchant', first.merchantId, '--environment', 'sandbox'];
  await admin(operator, ['settings', 'set', ...place, '--custom-mode', 'on', ...declinesUnlimited]);
  const keys = [first.apiKey, ...(await createMerchants(operator, merchants - 1))];
  for (const [merchant, apiKey] of keys.entries()) {
    for (let endpoint = 1; endpoint <= endpoints; endpoint += 1) {
      const { status, body } = await http.call('POST', `${first.apiUrl}/v1/webhook-endpoints`, {
        headers: { authorization: `Bearer ${apiKey}` },
        body: { url: `${receiverUrl}/${merchant + 1}/${endpoint}` },
      });
      if (status !== 201) throw new Error(`an endpoint was answered ${status} ${JSON.stringify(body)}`);
    }
  }
  return keys;
}

/** Creates merchants in this process: a thousand would take 25 minutes of operator commands. */
async function createMerchants({ environment }: SandboxOptions, count: number): Promise<string[]> {
  if (count === 0) return [];
  const { DATABASE_URL, DATABASE_POOLER, ENCRYPTION_KEYS, LOOKUP_KEYS } = readSettings(environment);
  const database = openDatabase({
    url: DATABASE_URL,
    poolSize: atOnce,
    pooler: DATABASE_POOLER,
    applicationName: 'bench-operator',
  });
  const context = { database, keyring: createKeyring(ENCRYPTION_KEYS, LOOKUP_KEYS) };
  try {
    return await inParallel(count, atOnce, async (index) => {
      const { apiKey } = await createMerchantWithKey(context, `Bench shop ${index + 2}`, settings);
      return apiKey;
    });
  } finally {
    await database.end();
  }
}
