import { z } from 'zod';
import { type SandboxOptions, admin, declinesUnlimited } from '../../local-stack/sandbox.ts';
import { inParallel } from './drive.ts';
import type { Http } from './http.ts';

/** Concurrent operator commands, each of which is a process. */
const AT_ONCE = 2;

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
  await prepareMerchant(operator, first.merchantId);
  const others = await inParallel(merchants - 1, AT_ONCE, (index) => newMerchant(operator, index + 2));
  const keys = [first.apiKey, ...others];
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

async function newMerchant(operator: SandboxOptions, number: number): Promise<string> {
  const { merchantId } = z
    .object({ merchantId: z.string() })
    .parse(await admin(operator, ['merchant', 'create', '--name', `Bench shop ${number}`]));
  const place = await prepareMerchant(operator, merchantId);
  const created = await admin(operator, ['key', 'create', ...place, '--name', 'bench']);
  return z.object({ apiKey: z.string() }).parse(created).apiKey;
}

/** Turns the merchant's card capture on and limits of declines off. Returns the flags of its environment. */
async function prepareMerchant(operator: SandboxOptions, merchantId: string): Promise<string[]> {
  const place = ['--merchant', merchantId, '--environment', 'sandbox'];
  await admin(operator, ['settings', 'set', ...place, '--custom-mode', 'on', ...declinesUnlimited]);
  return place;
}
