import { type CallLimits, unwrapList } from '../key-encryption/key-lists.ts';
import { refuseUnreadableKeys, refuseWeakKeys } from './key-refusals.ts';
import { SettingsError } from './settings-error.ts';
import type { Settings } from './settings-schema.ts';

/**
 * Returns the settings with the unwrapped keys in `ENCRYPTION_KEYS` and `LOOKUP_KEYS`; the key service of
 * KEY_ENCRYPTION unwraps them. Called once, at the start of a process. Throws `SettingsError`, one line that
 * names the setting, the key's id and the fix. ADR 0076.
 */
export async function unwrapKeys(settings: Settings, limits?: CallLimits): Promise<Settings> {
  const { ENCRYPTION_KEYS, LOOKUP_KEYS } = settings;
  let keys: Pick<Settings, 'ENCRYPTION_KEYS' | 'LOOKUP_KEYS'>;
  try {
    const [encryption, lookup] = await Promise.all([
      unwrapList(settings, 'ENCRYPTION_KEYS', ENCRYPTION_KEYS, limits),
      LOOKUP_KEYS === undefined ? undefined : unwrapList(settings, 'LOOKUP_KEYS', LOOKUP_KEYS, limits),
    ]);
    keys = { ENCRYPTION_KEYS: encryption, LOOKUP_KEYS: lookup };
  } catch (error) {
    throw new SettingsError(error instanceof Error ? error.message : 'ENCRYPTION_KEYS cannot be read');
  }
  refuseUnreadableKeys({ ...keys, KEY_ENCRYPTION: 'local' });
  if (settings.DEPLOYMENT === 'production') refuseWeakKeys(keys);
  return { ...settings, ...keys };
}
