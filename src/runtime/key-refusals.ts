import { type NamedKey, parseKeys, parseLookupKeys, parseWrappedKeys, weakness } from '../crypto/key-list.ts';
import { developmentEncryptionKeys } from '../crypto/keyring.ts';
import { SettingsError } from './settings-error.ts';
import type { Settings } from './settings-schema.ts';

type Keys = Pick<Settings, 'ENCRYPTION_KEYS' | 'LOOKUP_KEYS'>;

/** Refuses lists of keys that cannot be parsed. Throws `SettingsError`. */
export function refuseUnreadableKeys(settings: Keys & Pick<Settings, 'KEY_ENCRYPTION'>): void {
  const wrong = settings.KEY_ENCRYPTION === 'local' ? keysOf(settings) : wrongWrapped(settings);
  if (typeof wrong === 'string') throw new SettingsError(wrong);
}

/** Refuses the public development key and keys that are easy to guess. Throws `SettingsError`. */
export function refuseWeakKeys(settings: Keys): void {
  const keys = keysOf(settings);
  const known = parseKeys('ENCRYPTION_KEYS', developmentEncryptionKeys);
  const weak = typeof keys === 'string' ? keys : weakness(keys, known);
  if (weak === null) return;
  const both = settings.LOOKUP_KEYS === undefined ? 'ENCRYPTION_KEYS' : 'ENCRYPTION_KEYS with LOOKUP_KEYS';
  throw new SettingsError(
    `${both} ${weak}: make new ones (openssl rand -base64 32) for DEPLOYMENT=production`,
  );
}

/** Returns all keys as bytes, or what is wrong with them. */
function keysOf({ ENCRYPTION_KEYS, LOOKUP_KEYS }: Keys): NamedKey[] | string {
  try {
    const encryption = parseKeys('ENCRYPTION_KEYS', ENCRYPTION_KEYS);
    const lookups = parseLookupKeys(LOOKUP_KEYS, encryption);
    return [...encryption, ...lookups.filter(({ id }) => !id.startsWith('derived:'))];
  } catch (error) {
    return error instanceof Error ? error.message : 'ENCRYPTION_KEYS cannot be read';
  }
}

/** Returns what is wrong with lists of wrapped keys, or null. */
function wrongWrapped({ ENCRYPTION_KEYS, LOOKUP_KEYS }: Keys): string | null {
  if (ENCRYPTION_KEYS === developmentEncryptionKeys) {
    return 'ENCRYPTION_KEYS is not set: make a wrapped key with admin keys wrap';
  }
  try {
    parseWrappedKeys('ENCRYPTION_KEYS', ENCRYPTION_KEYS);
    if (LOOKUP_KEYS !== undefined) parseWrappedKeys('LOOKUP_KEYS', LOOKUP_KEYS);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'ENCRYPTION_KEYS cannot be read';
  }
}
