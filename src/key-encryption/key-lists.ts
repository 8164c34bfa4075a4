import { setTimeout as sleep } from 'node:timers/promises';
import { parseWrappedKeys } from '../crypto/key-list.ts';
import { createAwsKms } from './aws-kms.ts';
import { localKeys } from './local.ts';
import { type KeyEncryption, KeyEncryptionFault, type KeyEncryptionSettings } from './port.ts';
import { createVaultTransit } from './vault-transit.ts';

/** Limits of the calls of a process that starts. */
export interface CallLimits {
  /** Timeout of one call, in ms. */
  timeoutMs: number;
  /** Waits between the tries after a temporary fault, in ms. */
  waitsMs: readonly number[];
}

/** Four tries, which take 23 s at most. */
const startLimits: CallLimits = { timeoutMs: 5_000, waitsMs: [250, 750, 2_000] };

/** Returns the service that the settings name. */
export function openKeyEncryption(
  settings: KeyEncryptionSettings,
  { timeoutMs }: Pick<CallLimits, 'timeoutMs'> = startLimits,
): KeyEncryption {
  if (settings.KEY_ENCRYPTION === 'awsKms') {
    return createAwsKms({
      keyId: settings.AWS_KMS_KEY_ID ?? '',
      region: settings.AWS_KMS_REGION,
      endpoint: settings.AWS_KMS_ENDPOINT,
      timeoutMs,
    });
  }
  if (settings.KEY_ENCRYPTION === 'vaultTransit') {
    return createVaultTransit({
      url: settings.TRANSIT_URL ?? '',
      mount: settings.TRANSIT_MOUNT,
      keyName: settings.TRANSIT_KEY_NAME ?? '',
      namespace: settings.TRANSIT_NAMESPACE,
      token: settings.TRANSIT_TOKEN ?? '',
      timeoutMs,
    });
  }
  return localKeys;
}

/**
 * Returns the list of a setting with its keys unwrapped: `id:base64,id:base64`. An entry that derives from
 * another key is left as it is. Throws an Error of one line that names the setting, the id and the fix.
 */
export async function unwrapList(
  settings: KeyEncryptionSettings,
  setting: string,
  text: string,
  limits: CallLimits = startLimits,
): Promise<string> {
  const service = openKeyEncryption(settings, limits);
  const entries = await Promise.all(
    parseWrappedKeys(setting, text).map(async ({ id, wrapped }) => {
      if (wrapped === null) return id;
      const problem = `${setting}: key "${id}" was not unwrapped`;
      const key = await repeating(() => service.unwrap(wrapped, { setting, id }), problem, limits);
      if (key.length !== 32) throw new Error(`${problem}: it is no key of 32 bytes: wrap it again`);
      return `${id}:${key.toString('base64')}`;
    }),
  );
  return entries.join(',');
}

/** Returns the entry of a setting for a key. Throws as `unwrapList` does. */
export async function wrapKey(
  settings: KeyEncryptionSettings,
  { setting, id, key }: { setting: string; id: string; key: Buffer },
  limits: CallLimits = startLimits,
): Promise<string> {
  const service = openKeyEncryption(settings, limits);
  const problem = `${setting}: key "${id}" was not wrapped`;
  return `${id}:${await repeating(() => service.wrap(key, { setting, id }), problem, limits)}`;
}

async function repeating<T>(call: () => Promise<T>, problem: string, { waitsMs }: CallLimits): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof KeyEncryptionFault))
        throw new Error(`${problem}: ${unexpected}`, { cause: error });
      const wait = waitsMs[tries];
      if (!error.isPassing || wait === undefined) {
        throw new Error(`${problem}: ${error.message}`, { cause: error });
      }
      await sleep(wait);
    }
  }
}

const unexpected = 'its service could not be used: check KEY_ENCRYPTION';
