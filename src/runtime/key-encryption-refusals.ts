import { SettingsError } from './settings-error.ts';
import type { Settings } from './settings-schema.ts';

/** The settings that each kind of key service needs. */
const needed = {
  local: [],
  awsKms: ['AWS_KMS_KEY_ID'],
  vaultTransit: ['TRANSIT_URL', 'TRANSIT_KEY_NAME', 'TRANSIT_TOKEN'],
} as const satisfies Record<Settings['KEY_ENCRYPTION'], readonly (keyof Settings)[]>;

type Given = Pick<Settings, 'KEY_ENCRYPTION' | 'AWS_KMS_ENDPOINT' | (typeof needed)['awsKms'][number]> &
  Pick<Settings, (typeof needed)['vaultTransit'][number] | 'DEPLOYMENT'>;

/**
 * Refuses a key service that lacks a setting. In production it also refuses one without TLS, except on a
 * loopback address, where an agent may listen. Throws `SettingsError`.
 */
export function refuseIncompleteKeyEncryption(settings: Given): void {
  const { KEY_ENCRYPTION } = settings;
  const missing = needed[KEY_ENCRYPTION].find((name) => settings[name] === undefined);
  if (missing !== undefined) {
    throw new SettingsError(
      `${missing} is not set: KEY_ENCRYPTION=${KEY_ENCRYPTION} needs ${needed[KEY_ENCRYPTION].join(', ')}`,
    );
  }
  if (settings.DEPLOYMENT !== 'production') return;
  for (const name of ['TRANSIT_URL', 'AWS_KMS_ENDPOINT'] as const) {
    if (settings[name] !== undefined && isPlain(settings[name])) {
      throw new SettingsError(
        `${name} must be an https:// URL or a loopback address with DEPLOYMENT=production`,
      );
    }
  }
}

function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol !== 'https:' && !/^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname);
}
