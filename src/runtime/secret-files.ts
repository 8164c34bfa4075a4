import { readFileSync, statSync } from 'node:fs';
import { SettingsError } from './settings-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that hold a secret. */
export const secretSettings: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_API_PASSWORD',
  'DATABASE_WORKER_PASSWORD',
  'ENCRYPTION_KEYS',
  'LOOKUP_KEYS',
  'TRANSIT_TOKEN',
  'OIDC_CLIENT_SECRET',
  'CODEC_TOKEN',
  'CARD_FRAME_KEY',
  'VAULT_SERVICE_KEY',
  'NETWORK_SERVICE_KEY',
  'NETWORK_CALLBACK_SECRET',
  'LIVE_VAULT_SERVICE_KEY',
  'LIVE_NETWORK_SERVICE_KEY',
  'LIVE_NETWORK_CALLBACK_SECRET',
  'AUDIT_SINK_TOKEN',
];

/** The maximum size of a file with a secret, in bytes. */
const maxFileBytes = 64 * 1024;

/**
 * Returns the environment in which each secret given as `NAME_FILE`, the path of a file, is set as `NAME`; a
 * trailing line feed is removed. Throws `SettingsError` for a file that is missing, unreadable, empty or too
 * large, and if both variables are set: one line that names the setting and no content. `wanted`: the
 * settings of the process; no other file is opened.
 */
export function readSecretFiles(
  environment: Environment,
  wanted: readonly string[] = secretSettings,
): Environment {
  const read = secretSettings.flatMap((name) => {
    const path = environment[`${name}_FILE`];
    if (!path || !wanted.includes(name)) return [];
    if (environment[name]) throw new SettingsError(`${name} and ${name}_FILE are both set: unset one`);
    return [[name, contentOf(`${name}_FILE`, path)] as const];
  });
  return read.length === 0 ? environment : { ...environment, ...Object.fromEntries(read) };
}

/** Returns the secret in a file. Throws `SettingsError`. */
function contentOf(setting: string, path: string): string {
  try {
    const file = statSync(path);
    if (!file.isFile()) throw new SettingsError(`${setting}: ${path} is no file: give the path of a file`);
    if (file.size > maxFileBytes) throw new SettingsError(`${setting}: ${path} is larger than 64 KB`);
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (text.trim() === '') throw new SettingsError(`${setting}: ${path} is empty: write the secret into it`);
    return text;
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const { code } = (error ?? {}) as { code?: unknown };
    const why =
      code === 'ENOENT'
        ? 'does not exist: create it, or correct the path'
        : `cannot be read (${String(code)}): let the user of this process read it`;
    throw new SettingsError(`${setting}: ${path} ${why}`, { cause: error });
  }
}
