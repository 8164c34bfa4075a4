import { SettingsError } from './process.ts';

/** Readers of one simulator's variables. Each throws `SettingsError` with one line that names the fix. */
export interface SettingsReader {
  text(name: string, fallback?: string): string;
  secret(name: string): string;
  port(name: string): number;
  seconds(name: string, fallback: number): number;
  url(name: string): string;
  flag(name: string, fallback: boolean): boolean;
  optional(name: string): string | undefined;
}

const MIN_SECRET_CHARS = 16;

/** `prefix` is put before every name, as in `VAULT_SIM_PORT`. */
export function settingsReader(prefix: string, env: NodeJS.ProcessEnv): SettingsReader {
  const optional = (name: string): string | undefined => {
    const value = env[prefix + name]?.trim();
    return value === '' ? undefined : value;
  };
  const text = (name: string, fallback?: string): string => {
    const value = optional(name) ?? fallback;
    if (value === undefined) throw new SettingsError(`${prefix}${name} is not set: set it and start again.`);
    return value;
  };
  return {
    optional,
    text,
    secret: (name) => {
      const value = text(name);
      if (value.length >= MIN_SECRET_CHARS && !/\s/.test(value)) return value;
      throw new SettingsError(
        `${prefix}${name} must be at least ${MIN_SECRET_CHARS} characters without spaces.`,
      );
    },
    port: (name) => {
      const value = text(name);
      if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
      throw new SettingsError(`${prefix}${name} must be a port number from 0 to 65535.`);
    },
    seconds: (name, fallback) => {
      const value = text(name, String(fallback));
      if (/^[1-9]\d{0,4}$/.test(value)) return Number(value);
      throw new SettingsError(`${prefix}${name} must be a number of seconds from 1 to 99999.`);
    },
    flag: (name, fallback) => {
      const value = text(name, fallback ? 'yes' : 'no');
      if (value === 'yes' || value === 'no') return value === 'yes';
      throw new SettingsError(`${prefix}${name} must be yes or no.`);
    },
    url: (name) => {
      const value = text(name);
      if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value.replace(/\/+$/, '');
      throw new SettingsError(`${prefix}${name} must be an http(s) URL, such as http://127.0.0.1:4001.`);
    },
  };
}
