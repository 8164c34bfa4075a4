import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { localUrl, nodeProgram } from '../../local-stack/services.ts';
import type { Program } from '../../local-stack/supervisor.ts';
import type { ChaosPorts } from './ports.ts';

/** The checkout deadline of a schedule, in s: short enough to pass within the schedule. */
export const usualDeadlineSeconds = 12;
const graceMs = 15_000;

/**
 * The behavior of the network for a key that it has never seen. `tombstone` closes it permanently on request.
 * `horizon` cannot, so only time decides. `stripe` has prepared objects instead of keys: the dialects of
 * Stripe and PCI Vault.
 */
export type NetworkKind = 'tombstone' | 'horizon' | 'stripe';

/** Longer than a held call and a frozen network together, in s. */
const horizonSeconds = 25;

export interface ChaosSecrets {
  vault: string;
  network: string;
  /** The key of the vault at the network. */
  vaultAtNetwork: string;
  callback: string;
}

export function newSecrets(): ChaosSecrets {
  return {
    vault: randomBytes(16).toString('hex'),
    network: randomBytes(16).toString('hex'),
    vaultAtNetwork: randomBytes(16).toString('hex'),
    callback: `whsec_${randomBytes(32).toString('base64')}`,
  };
}

/** Only the PATH of the user's variables, so that a schedule does not depend on who runs it. */
export const bareEnvironment = { PATH: process.env['PATH'], LOG_LEVEL: 'info' };

/** Returns vault, network, two workers and two APIs from the build in `dist`, each behind its proxies. */
export function chaosPrograms({
  dist,
  ports,
  secrets,
  databaseUrl,
  directory,
  network,
  deadlineSeconds,
}: {
  dist: string;
  ports: ChaosPorts;
  secrets: ChaosSecrets;
  databaseUrl: string;
  directory: string;
  network: NetworkKind;
  deadlineSeconds: number;
}): Program[] {
  const service = {
    ...serviceEnvironment(ports, secrets, databaseUrl),
    CHECKOUT_DEADLINE_SECONDS: String(deadlineSeconds),
    CAPTURE_WINDOW_SECONDS: String(deadlineSeconds - 2),
    ...(network === 'stripe'
      ? { VAULT_URL: localUrl(ports.simulatedVault), NETWORK_URL: localUrl(ports.simulatedNetwork) }
      : {}),
    ...(network === 'horizon' ? { NETWORK_UNSEEN_KEY_HORIZON_SECONDS: String(horizonSeconds) } : {}),
  };
  // With the Stripe pair, the simulators have no payments, so no proxies are put before them.
  const simulated =
    network === 'stripe' ? { ...ports, vault: ports.simulatedVault, network: ports.simulatedNetwork } : ports;
  const networkSettings = {
    ...networkEnvironment(simulated, secrets, directory),
    NETWORK_SIM_VOIDS_UNSEEN_KEYS: network === 'horizon' ? 'no' : 'yes',
  };
  const program = (name: string, script: string, environment: NodeJS.ProcessEnv, stage: number): Program =>
    nodeProgram(name, join(dist, script), environment, stage, graceMs);
  const vaultSettings = vaultEnvironment(simulated, secrets, directory);
  const pair =
    network === 'stripe'
      ? [
          program(
            'vault',
            'simulators/dialects/pci-vault/main.js',
            pciVaultEnvironment(ports, secrets, directory),
            2,
          ),
          program(
            'network',
            'simulators/dialects/stripe/main.js',
            {
              ...stripeEnvironment(ports, secrets, directory),
              STRIPE_SIM_CHECKOUT_SECONDS: String(deadlineSeconds),
            },
            2,
          ),
          program('simulated-vault', 'simulators/vault/main.js', vaultSettings, 2),
          program('simulated-network', 'simulators/network/main.js', networkSettings, 2),
        ]
      : [
          program('vault', 'simulators/vault/main.js', vaultSettings, 2),
          program('network', 'simulators/network/main.js', networkSettings, 2),
        ];
  return [
    ...pair,
    program('worker-1', 'src/worker/main.js', service, 1),
    program('worker-2', 'src/worker/main.js', service, 1),
    program('api-1', 'src/api/server.js', { ...service, API_PORT: String(ports.api1) }, 0),
    program('api-2', 'src/api/server.js', { ...service, API_PORT: String(ports.api2) }, 0),
  ];
}

function serviceEnvironment(
  ports: ChaosPorts,
  secrets: ChaosSecrets,
  databaseUrl: string,
): NodeJS.ProcessEnv {
  return {
    ...bareEnvironment,
    DATABASE_URL: databaseUrl.replace(`:${ports.postgres}/`, `:${ports.postgresProxy}/`),
    TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
    PUBLIC_URL: localUrl(ports.api1Proxy),
    VAULT_URL: localUrl(ports.vaultProxy),
    VAULT_SERVICE_KEY: secrets.vault,
    NETWORK_URL: localUrl(ports.networkProxy),
    NETWORK_SERVICE_KEY: secrets.network,
    NETWORK_CALLBACK_SECRET: secrets.callback,
    WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,2,2,3,3,5,5,5,10,10,10,10',
    // Long enough for some to be canceled, short enough for most to be in progress when a process dies.
    REFUND_DELAY_SECONDS: '1',
    RATE_LIMITS: 'off',
    DATABASE_POOL_SIZE: '8',
  };
}

function vaultEnvironment(ports: ChaosPorts, secrets: ChaosSecrets, directory: string): NodeJS.ProcessEnv {
  return {
    PATH: bareEnvironment.PATH,
    VAULT_SIM_PORT: String(ports.vault),
    VAULT_SIM_DATA_DIR: join(directory, 'vault'),
    VAULT_SIM_PUBLIC_URL: localUrl(ports.vaultProxy),
    VAULT_SIM_SERVICE_KEY: secrets.vault,
    VAULT_SIM_NETWORK_KEY: secrets.vaultAtNetwork,
  };
}

function networkEnvironment(ports: ChaosPorts, secrets: ChaosSecrets, directory: string): NodeJS.ProcessEnv {
  return {
    PATH: bareEnvironment.PATH,
    NETWORK_SIM_PORT: String(ports.network),
    NETWORK_SIM_DATA_DIR: join(directory, 'network'),
    NETWORK_SIM_PUBLIC_URL: localUrl(ports.network),
    NETWORK_SIM_SERVICE_KEY: secrets.network,
    NETWORK_SIM_VAULT_URL: localUrl(ports.vault),
    NETWORK_SIM_VAULT_KEY: secrets.vaultAtNetwork,
    NETWORK_SIM_CALLBACK_URL: `${localUrl(ports.callbackProxy)}/callbacks/network`,
    NETWORK_SIM_CALLBACK_SECRET: secrets.callback,
  };
}

/** The account of the schedules at the Stripe dialect, which is in its keys. */
export const stripeKeys = (secrets: ChaosSecrets): { secret: string; publishable: string } => ({
  secret: `sk_test_50ChaosAccount000${secrets.network}`,
  publishable: 'pk_test_50ChaosAccount000',
});

/** The access to the PCI Vault dialect. */
export const pciVaultAccount = { user: 'chaos', key: 'chaos-key' };

function pciVaultEnvironment(ports: ChaosPorts, secrets: ChaosSecrets, directory: string): NodeJS.ProcessEnv {
  return {
    PATH: bareEnvironment.PATH,
    PCI_VAULT_SIM_PORT: String(ports.vault),
    PCI_VAULT_SIM_DATA_DIR: join(directory, 'pci-vault'),
    PCI_VAULT_SIM_PUBLIC_URL: localUrl(ports.vaultProxy),
    PCI_VAULT_SIM_USER: pciVaultAccount.user,
    PCI_VAULT_SIM_PASSWORD: secrets.vault,
    PCI_VAULT_SIM_KEY: pciVaultAccount.key,
    PCI_VAULT_SIM_PASSPHRASE: secrets.vault,
    PCI_VAULT_SIM_PROXY_TARGET: localUrl(ports.networkProxy),
    PCI_VAULT_SIM_PROXY_KEY: secrets.vaultAtNetwork,
  };
}

function stripeEnvironment(ports: ChaosPorts, secrets: ChaosSecrets, directory: string): NodeJS.ProcessEnv {
  return {
    PATH: bareEnvironment.PATH,
    STRIPE_SIM_PORT: String(ports.network),
    STRIPE_SIM_DATA_DIR: join(directory, 'stripe'),
    STRIPE_SIM_PUBLIC_URL: localUrl(ports.network),
    STRIPE_SIM_PROXY_KEY: secrets.vaultAtNetwork,
  };
}
