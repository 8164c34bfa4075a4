import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `make-secrets DIRECTORY`: creates the secrets of docker-compose.yml at its first start, in one folder for
 * each process that needs them, and never changes them afterwards. Exits 1 with one line if the directory
 * cannot be written.
 */

const word = (): string => randomBytes(32).toString('base64url');
const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;

/** The variables of one process, in the format of `node --env-file` and shells. */
type Variables = Record<string, string>;

function secrets(): Record<string, Variables> {
  const passwords = { owner: word(), api: word(), worker: word(), temporal: word() };
  const urlOf = (user: string, password: string): string =>
    `postgres://${user}:${password}@postgres:5432/card_payments`;
  const keys = { ENCRYPTION_KEYS: key('k1'), LOOKUP_KEYS: key('l1') };
  const sandbox = simulators();
  const live = simulators();
  const providers = {
    VAULT_SERVICE_KEY: sandbox.vault.VAULT_SIM_SERVICE_KEY,
    NETWORK_SERVICE_KEY: sandbox.network.NETWORK_SIM_SERVICE_KEY,
    LIVE_VAULT_SERVICE_KEY: live.vault.VAULT_SIM_SERVICE_KEY,
    LIVE_NETWORK_SERVICE_KEY: live.network.NETWORK_SIM_SERVICE_KEY,
  };
  return {
    postgres: { POSTGRES_PASSWORD: passwords.owner, TEMPORAL_PASSWORD: passwords.temporal },
    temporal: { POSTGRES_PWD: passwords.temporal, SQL_PASSWORD: passwords.temporal },
    // For migrations and the operator's command. No long-running process has the owner's credentials.
    owner: {
      DATABASE_URL: urlOf('card_payments', passwords.owner),
      DATABASE_API_PASSWORD: passwords.api,
      DATABASE_WORKER_PASSWORD: passwords.worker,
      ...keys,
    },
    api: {
      DATABASE_URL: urlOf('card_payments_api', passwords.api),
      NETWORK_CALLBACK_SECRET: sandbox.network.NETWORK_SIM_CALLBACK_SECRET,
      LIVE_NETWORK_CALLBACK_SECRET: live.network.NETWORK_SIM_CALLBACK_SECRET,
      ...keys,
      ...providers,
    },
    worker: { DATABASE_URL: urlOf('card_payments_worker', passwords.worker), ...keys, ...providers },
    ...sandbox,
    'live-vault': live.vault,
    'live-network': live.network,
  };
}

/**
 * Returns the secrets of one environment's simulated vault and network. The other environment gets others.
 */
function simulators() {
  const vaultNetworkKey = word();
  return {
    vault: { VAULT_SIM_SERVICE_KEY: word(), VAULT_SIM_NETWORK_KEY: vaultNetworkKey },
    network: {
      NETWORK_SIM_SERVICE_KEY: word(),
      NETWORK_SIM_VAULT_KEY: vaultNetworkKey,
      NETWORK_SIM_CALLBACK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    },
  };
}

/** Writes all secrets, or none if there are some already, because they belong together. */
function makeSecrets(directory: string): boolean {
  const done = join(directory, 'owner', 'made');
  if (existsSync(done)) return false;
  for (const [name, variables] of Object.entries(secrets())) {
    const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`);
    mkdirSync(join(directory, name), { recursive: true });
    writeFileSync(join(directory, name, 'env'), lines.join(''), { mode: 0o440 });
  }
  writeFileSync(done, '', { mode: 0o440 });
  return true;
}

const [directory] = process.argv.slice(2);
try {
  if (!directory) throw new Error('usage: make-secrets DIRECTORY');
  process.stdout.write(makeSecrets(directory) ? 'secrets made\n' : 'the secrets are there\n');
} catch (error) {
  process.stderr.write(`cannot make the secrets: ${error instanceof Error ? error.message : 'unknown'}\n`);
  process.exitCode = 1;
}
