import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { composeApi } from '../../src/api/compose.ts';
import { readSettings, type Settings } from '../../src/runtime/settings.ts';
import { newKey } from '../../src/crypto/api-key.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { openDatabase, type Database } from '../../src/db/server/database.ts';
import { type ProcessRole, processRoles } from '../../src/db/server/privileges.ts';
import { insertKey } from '../../src/db/merchants/merchant-keys.ts';
import { createMerchant, type MerchantSettings, updateSettings } from '../../src/db/merchants/merchants.ts';
import type { Scope } from '../../src/domain/scopes.ts';
import type { Environment, PaymentMethod } from '../../src/domain/statuses.ts';
import { buildNetwork } from '../../simulators/network/network.ts';
import type { Simulator } from '../../simulators/simulator.ts';
import { buildVault, type Vault } from '../../simulators/vault/vault.ts';
import { composeWorker } from '../../src/worker/compose.ts';
import { freePorts } from './free-ports.ts';
import { createTestLogger } from './logger.ts';
import type { TcpRelay } from './harness/tcp-relay.ts';
import type { TransactionPooler } from './transaction-pooler.ts';
import { byOperator } from './harness/by-operator.ts';

/**
 * A whole service in one test file: real PostgreSQL and Temporal, API, worker and simulators in this process.
 */
export interface World {
  settings: Settings;
  /** The variables that the settings were read from, for processes of the same service. */
  environment: Readonly<Record<string, string>>;
  database: Database;
  baseUrl: string;
  vaultUrl: string;
  networkUrl: string;
  vault: Vault;
  network: Simulator;
  /** The simulators of live payments, which share nothing with the sandbox's above. */
  live: Simulators;
  /** Everything the API and worker logged, one JSON line each. */
  logs: string[];
  merchant(settings?: Partial<Record<Environment, MerchantSetup>>): Promise<string>;
  key(
    merchantId: string,
    environment: Environment,
    own?: {
      methods?: PaymentMethod[];
      embeddingOrigins?: string[];
      scopes?: Scope[];
      refundCapCents?: number;
    },
  ): Promise<string>;
  /** `bundle`: workflows other than this version's. */
  startWorker(roles?: string, bundle?: { code: string }): Promise<void>;
  stopWorker(): Promise<void>;
  close(): Promise<void>;
}

export type MerchantSetup = Partial<Omit<MerchantSettings, 'merchantId' | 'environment'>>;

/** One environment's vault and network. */
interface Simulators {
  vault: Vault;
  vaultUrl: string;
  network: Simulator;
  networkUrl: string;
}

let runtimeInstalled = false;

/**
 * Builds a world on the servers of the `stack` project (test/support/global-setup.js). `overrides` are
 * environment settings, e.g. `{ CHECKOUT_DEADLINE_SECONDS: '5' }`. Rate limits are off unless given. API and
 * worker reach the servers through the relays; the world's own `database` does not, so that a test can read
 * it while they are cut off. Without `worker` only the API and the simulators run, which is enough to create
 * and read. The role that delivers webhooks is started for tests of deliveries.
 */
export async function createWorld(
  overrides: Record<string, string> = {},
  parts: {
    postgres?: TcpRelay;
    temporal?: TcpRelay;
    worker?: boolean;
    webhooks?: boolean;
    /** A database to use in place of a new one. */
    databaseUrl?: string;
    /** Writes the ledger of the sandbox's network into its folder, before it is opened. */
    writeNetwork?: (folder: string) => Promise<void>;
    /** Puts a pooler between the service and its database. */
    pooler?: (databaseUrl: string) => Promise<TransactionPooler>;
  } = {},
): Promise<World> {
  if (!runtimeInstalled) {
    Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
    runtimeInstalled = true;
  }
  const [directory, databaseUrl, ports] = await Promise.all([
    mkdtemp(join(tmpdir(), 'card-payments-world-')),
    parts.databaseUrl ?? cloneDatabase(),
    freePorts(6),
  ]);
  const [apiPort, privatePort, vaultPort = 0, networkPort = 0, liveVaultPort = 0, liveNetworkPort = 0] =
    ports;
  const pooler = await parts.pooler?.(databaseUrl);
  const baseUrl = `http://127.0.0.1:${apiPort}`;
  const vaultUrl = `http://127.0.0.1:${vaultPort}`;
  const networkUrl = `http://127.0.0.1:${networkPort}`;
  const variables = {
    DATABASE_URL: pooler?.url ?? through(parts.postgres, new URL(databaseUrl)).toString(),
    TEMPORAL_ADDRESS: through(parts.temporal, new URL(`temporal://${required('TEST_TEMPORAL_ADDRESS')}`))
      .host,
    TASK_QUEUE_PREFIX: `${randomUUID()}-`,
    PUBLIC_URL: baseUrl,
    API_PORT: String(apiPort),
    PRIVATE_PORT: String(privatePort),
    VAULT_URL: vaultUrl,
    NETWORK_URL: networkUrl,
    LIVE_VAULT_URL: `http://127.0.0.1:${liveVaultPort}`,
    LIVE_NETWORK_URL: `http://127.0.0.1:${liveNetworkPort}`,
    RATE_LIMITS: 'off',
    ...overrides,
  };
  const settings = readSettings(variables);
  // Envconfig reads the process's environment, and each world with relays has its own address.
  const useOwnTemporal = (): void => {
    process.env['TEMPORAL_ADDRESS'] = settings.TEMPORAL_ADDRESS;
  };
  const logs: string[] = [];
  const logger = createTestLogger(logs);
  const callbackUrl = `${baseUrl}/callbacks/network`;
  await parts.writeNetwork?.(join(directory, 'sandbox', 'network'));
  const sandbox = await buildSimulators(join(directory, 'sandbox'), {
    vault: { port: vaultPort, serviceKey: settings.VAULT_SERVICE_KEY },
    network: { port: networkPort, serviceKey: settings.NETWORK_SERVICE_KEY },
    callback: { url: callbackUrl, secret: settings.NETWORK_CALLBACK_SECRET },
  });
  const live = await buildSimulators(join(directory, 'live'), {
    vault: { port: liveVaultPort, serviceKey: settings.LIVE_VAULT_SERVICE_KEY },
    network: { port: liveNetworkPort, serviceKey: settings.LIVE_NETWORK_SERVICE_KEY },
    callback: { url: callbackUrl, secret: settings.LIVE_NETWORK_CALLBACK_SECRET },
  });
  const { vault, network } = sandbox;
  useOwnTemporal();
  const api = composeApi(asRole(settings, 'api'), logger);
  const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
  const database = openDatabase({
    url: databaseUrl,
    poolSize: 4,
    applicationName: 'test',
    signWith: keyring,
  });
  let worker: { stop: () => Promise<void> } | null = null;

  const world: World = {
    settings,
    environment: variables,
    database,
    baseUrl,
    vaultUrl,
    networkUrl,
    vault,
    network,
    live,
    logs,
    async merchant(setups = {}) {
      const id = uuidv7();
      await createMerchant(database, { id, name: 'Test shop', status: 'active' }, byOperator());
      for (const environment of ['sandbox', 'live'] as const) {
        const change = { customMode: true, ...setups[environment] };
        await updateSettings(database, id, environment, change, byOperator());
      }
      return id;
    },
    async key(merchantId, environment, own = {}) {
      const { text, stored } = newKey(keyring, environment);
      const { methods = null, embeddingOrigins = null, ...limits } = own;
      const key = { ...stored, ...limits, merchantId, environment, name: 'test', methods, embeddingOrigins };
      await insertKey(database, key, byOperator());
      return text;
    },
    async startWorker(roles = 'payments,provider,webhooks', bundle) {
      useOwnTemporal();
      worker = await composeWorker(
        {
          ...asRole(settings, 'worker'),
          WORKER_ROLES: readSettings({ ...stringly(settings), WORKER_ROLES: roles }).WORKER_ROLES,
        },
        logger,
        bundle ?? { codePath: required('TEST_WORKFLOW_BUNDLE') },
        () => undefined,
      );
    },
    async stopWorker() {
      await worker?.stop();
      worker = null;
    },
    async close() {
      await world.stopWorker();
      const simulated = [sandbox, live].flatMap((pair) => [pair.network.close(), pair.vault.close()]);
      await Promise.all([api.stop(), ...simulated]);
      await database.end();
      await pooler?.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await Promise.all([
    ...[sandbox, live].flatMap((pair) => [pair.vault.listen(), pair.network.listen()]),
    api.app.listen({ host: '127.0.0.1', port: settings.API_PORT }),
    api.privateApp.listen({ host: '127.0.0.1', port: settings.PRIVATE_PORT }),
    (parts.worker ?? true) && world.startWorker(parts.webhooks ? undefined : 'payments,provider'),
  ]);
  return world;
}

/** Returns the address behind a relay; without a relay, the address itself. */
function through(relay: TcpRelay | undefined, address: URL): URL {
  if (!relay) return address;
  relay.targetPort = Number(address.port);
  address.port = String(relay.port);
  return address;
}

/** Returns the settings of a process with its own database user, which has only the rights it needs. */
function asRole(settings: Settings, role: ProcessRole): Settings {
  const url = new URL(settings.DATABASE_URL);
  url.username = processRoles[role];
  url.password = required('TEST_DATABASE_ROLES_PASSWORD');
  return { ...settings, DATABASE_URL: url.toString() };
}

/** Builds a vault and a network in their own directory. */
async function buildSimulators(
  directory: string,
  own: {
    vault: { port: number; serviceKey: string };
    network: { port: number; serviceKey: string };
    callback: { url: string; secret: string };
  },
): Promise<Simulators> {
  const networkKey = randomBytes(16).toString('hex');
  const vaultUrl = `http://127.0.0.1:${own.vault.port}`;
  const networkUrl = `http://127.0.0.1:${own.network.port}`;
  const vault = await buildVault({
    ...own.vault,
    dataDir: join(directory, 'vault'),
    networkKey,
    publicUrl: vaultUrl,
  });
  const network = await buildNetwork({
    ...own.network,
    dataDir: join(directory, 'network'),
    vaultUrl,
    vaultKey: networkKey,
    callback: own.callback,
    publicUrl: networkUrl,
  });
  return { vault, vaultUrl, network, networkUrl };
}

function stringly(settings: Settings): Record<string, string> {
  return { DATABASE_URL: settings.DATABASE_URL };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: run through npm test, which starts what stack tests need`);
  return value;
}

/** Creates an empty database. Returns its URL. */
export const emptyDatabase = (): Promise<string> => createDatabase('template0');

/** Clones a new database from the migrated template. Returns its URL. */
export const cloneDatabase = (): Promise<string> => createDatabase(required('TEST_DATABASE_TEMPLATE'));

async function createDatabase(template: string): Promise<string> {
  const adminUrl = required('TEST_DATABASE_ADMIN_URL');
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  } finally {
    await admin.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.toString();
}
