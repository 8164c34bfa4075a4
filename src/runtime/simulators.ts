import { type Settings, SettingsError } from './settings.ts';

/** The addresses of one environment's simulated vault and network, with the credentials for them. */
interface Addresses {
  vaultUrl: string;
  vaultPublicUrl: string;
  vaultServiceKey: string;
  networkUrl: string;
  networkServiceKey: string;
}

/**
 * Returns the addresses of each environment's simulators. Live has none unless the settings of development
 * name separate ones. Throws SettingsError if those are the sandbox's, or if one of them is missing.
 */
export function simulatorsOf(settings: Settings): { sandbox: Addresses; live: Addresses | null } {
  const sandbox = {
    vaultUrl: settings.VAULT_URL,
    vaultPublicUrl: settings.VAULT_PUBLIC_URL ?? settings.VAULT_URL,
    vaultServiceKey: settings.VAULT_SERVICE_KEY,
    networkUrl: settings.NETWORK_URL,
    networkServiceKey: settings.NETWORK_SERVICE_KEY,
  };
  const { LIVE_VAULT_URL: vaultUrl, LIVE_NETWORK_URL: networkUrl } = settings;
  if (vaultUrl === undefined && networkUrl === undefined) return { sandbox, live: null };
  if (vaultUrl === undefined || networkUrl === undefined) {
    throw new SettingsError('LIVE_VAULT_URL and LIVE_NETWORK_URL go together: set both, or neither');
  }
  if (origin(vaultUrl) === origin(sandbox.vaultUrl) || origin(networkUrl) === origin(sandbox.networkUrl)) {
    throw new SettingsError(
      'LIVE_VAULT_URL and LIVE_NETWORK_URL must not be the sandbox’s: give live its own',
    );
  }
  return {
    sandbox,
    live: {
      vaultUrl,
      vaultPublicUrl: settings.LIVE_VAULT_PUBLIC_URL ?? vaultUrl,
      vaultServiceKey: settings.LIVE_VAULT_SERVICE_KEY,
      networkUrl,
      networkServiceKey: settings.LIVE_NETWORK_SERVICE_KEY,
    },
  };
}

const origin = (url: string): string => new URL(url).origin;
