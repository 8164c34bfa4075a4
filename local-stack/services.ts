import type { ChildProcess } from 'node:child_process';
import type { DatabaseUsers } from './database-users.ts';
import type { DataDir, SimulatorSecrets, StackSecrets } from './data-dir.ts';
import type { DialectPorts, StackPorts } from './stack-ports.ts';
import type { Program } from './supervisor.ts';

/** Longer than a process of the service takes to stop (src/runtime/run-process.ts). */
const SERVICE_GRACE_MS = 45_000;
const READY_MS = 60_000;

/** Script files of the service's own processes. */
export interface Entries {
  api: string;
  worker: string;
  vault: string;
  network: string;
  stripe: string;
  pciVault: string;
  cardFrame: string;
  migrate: string;
  admin: string;
  /** Builds the site of the guides; without it none is built. */
  guides?: string;
}

export interface Addresses {
  databaseUrl: string;
  /** Address of the replica, with `--standby`. */
  standbyUrl?: string | undefined;
  temporalAddress: string;
  temporalNamespace: string;
  /** Null for an external Temporal server whose UI the user did not name. */
  temporalUiUrl: string | null;
  /** Whether Temporal is the dev server that this start runs. */
  isDevServer: boolean;
}

/**
 * Returns how many polls workers keep open on Temporal's dev server, unless the user sets them. A task that
 * finds no open poll waits one to two seconds there. docs/performance.md
 */
export const devServerPolls = (user: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  WORKFLOW_POLLS: user['WORKFLOW_POLLS'] || '40',
});

export const localUrl = (port: number): string => `http://127.0.0.1:${port}`;

/**
 * Returns the environment of the service's processes: the user's variables, overridden by the addresses and
 * credentials of this stack. `ENCRYPTION_KEYS` stays the user's, or the development default of the settings.
 */
export function serviceEnvironment(
  user: NodeJS.ProcessEnv,
  ports: StackPorts,
  secrets: StackSecrets,
  addresses: Addresses,
): NodeJS.ProcessEnv {
  return {
    ...user,
    DEPLOYMENT: 'development',
    DATABASE_URL: addresses.databaseUrl,
    TEMPORAL_ADDRESS: addresses.temporalAddress,
    TEMPORAL_NAMESPACE: addresses.temporalNamespace,
    ...(addresses.temporalUiUrl === null ? {} : { TEMPORAL_UI_URL: addresses.temporalUiUrl }),
    ...(addresses.isDevServer && devServerPolls(user)),
    PUBLIC_URL: localUrl(ports.api),
    API_HOST: '127.0.0.1',
    API_PORT: String(ports.api),
    PRIVATE_HOST: '127.0.0.1',
    PRIVATE_PORT: String(ports.private),
    WORKER_ROLES: 'payments,provider,webhooks',
    VAULT_URL: localUrl(ports.vault),
    VAULT_SERVICE_KEY: secrets.vaultServiceKey,
    NETWORK_URL: localUrl(ports.network),
    NETWORK_SERVICE_KEY: secrets.networkServiceKey,
    NETWORK_CALLBACK_SECRET: secrets.callbackSecret,
    ...(ports.dialects && cardFrameAddresses(ports.dialects)),
    LIVE_VAULT_URL: localUrl(ports.liveVault),
    LIVE_VAULT_SERVICE_KEY: secrets.live.vaultServiceKey,
    LIVE_NETWORK_URL: localUrl(ports.liveNetwork),
    LIVE_NETWORK_SERVICE_KEY: secrets.live.networkServiceKey,
    LIVE_NETWORK_CALLBACK_SECRET: secrets.live.callbackSecret,
  };
}

/** The settings of the card fields of hosted pages whose cards the PCI Vault dialect stores. */
const cardFrameAddresses = ({ cardFrame, pciVault, stripe }: DialectPorts): NodeJS.ProcessEnv => ({
  CARD_FRAME_URL: localUrl(cardFrame),
  CARD_FRAME_VAULT_URL: localUrl(pciVault),
  // The same process under another host name, which makes it another origin.
  WALLET_FRAME_URL: `http://localhost:${cardFrame}`,
  WALLET_FRAME_STRIPE_URL: localUrl(stripe),
  CARD_FRAME_HOST: '127.0.0.1',
  CARD_FRAME_PORT: String(cardFrame),
});

const workerNames = (workers: number): string[] =>
  workers === 1 ? ['worker'] : Array.from({ length: workers }, (_, index) => `worker-${index + 1}`);

/** Returns the addresses of the private ports of APIs and workers, by the name of the process. */
export function privateUrls(
  ports: Pick<StackPorts, 'private' | 'moreApis' | 'morePrivate' | 'workers'>,
): Record<string, string> {
  const apis = [ports.private, ...ports.morePrivate].map((port, index) => [
    index === 0 ? 'api' : `api-${index + 1}`,
    localUrl(port),
  ]);
  const workers = workerNames(ports.workers.length).map((name, index) => [
    name,
    localUrl(ports.workers[index] ?? 0),
  ]);
  return Object.fromEntries([...apis, ...workers]) as Record<string, string>;
}

interface ApiPorts {
  public: number;
  private: number;
}

/** Counts and ports of the workers and APIs that run. */
export interface Counts {
  workers: number;
  /** Ports of the APIs after the first, whose ports are in the environment. */
  moreApis: readonly ApiPorts[];
  /** Private ports of the workers. */
  workerPorts: readonly number[];
}

/** Returns the simulators, in the order in which progress lists them. */
export const simulatorPrograms = (entries: Entries, simulators: SimulatorEnvironments): Program[] => [
  nodeProgram('vault', entries.vault, simulators.vault, 2, 5_000),
  nodeProgram('network', entries.network, simulators.network, 2, 5_000),
  nodeProgram('vault-live', entries.vault, simulators.liveVault, 2, 5_000),
  nodeProgram('network-live', entries.network, simulators.liveNetwork, 2, 5_000),
];

/** Returns workers and APIs, in the order in which progress lists them. */
export function servicePrograms(
  entries: Entries,
  { workers, moreApis, workerPorts }: Counts,
  environment: NodeJS.ProcessEnv,
  users?: DatabaseUsers,
): Program[] {
  const api = { ...environment, ...(users && { DATABASE_URL: users.apiUrl }) };
  const worker = { ...environment, ...(users && { DATABASE_URL: users.workerUrl }) };
  return [
    ...workerNames(workers).map((name, index) =>
      nodeProgram(
        name,
        entries.worker,
        { ...worker, WORKER_PORT: String(workerPorts[index] ?? 0) },
        1,
        SERVICE_GRACE_MS,
      ),
    ),
    // Only one process can serve the configured private port: the first API.
    apiProgram('api', entries.api, api),
    ...moreApis.map((ports, index) =>
      apiProgram(`api-${index + 2}`, entries.api, {
        ...api,
        API_PORT: String(ports.public),
        PRIVATE_PORT: String(ports.private),
      }),
    ),
  ];
}

/** SIGINT skips the wait for proxies to stop sending (DRAIN_SECONDS): the whole stack stops. */
const apiProgram = (name: string, script: string, environment: NodeJS.ProcessEnv): Program => ({
  ...nodeProgram(name, script, environment, 0, SERVICE_GRACE_MS),
  signals: ['SIGINT'],
});

const settingsOf = {
  vault: 'VAULT_SIM_',
  network: 'NETWORK_SIM_',
  stripe: 'STRIPE_SIM_',
  pciVault: 'PCI_VAULT_SIM_',
} as const;
type Simulator = keyof typeof settingsOf;

const machineSettings = (user: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: user['PATH'],
  NODE_ENV: user['NODE_ENV'],
  LOG_LEVEL: user['LOG_LEVEL'],
  TZ: user['TZ'],
});

/** Returns the user's variables for each of these simulators: its own settings and the machine's. */
export function simulatorBase<Name extends Simulator>(
  user: NodeJS.ProcessEnv,
  names: readonly Name[],
): Record<Name, NodeJS.ProcessEnv> {
  const base = machineSettings(user);
  const own = (prefix: string): NodeJS.ProcessEnv =>
    Object.fromEntries(Object.entries(user).filter(([name]) => name.startsWith(prefix)));
  const environments = names.map((name): [Name, NodeJS.ProcessEnv] => [
    name,
    { ...base, ...own(settingsOf[name]) },
  ]);
  return Object.fromEntries(environments) as Record<Name, NodeJS.ProcessEnv>;
}

/** The environment of each simulator; sandbox and live share no process, directory or credential. */
export interface SimulatorEnvironments {
  vault: NodeJS.ProcessEnv;
  network: NodeJS.ProcessEnv;
  liveVault: NodeJS.ProcessEnv;
  liveNetwork: NodeJS.ProcessEnv;
}

/**
 * Returns the simulators' environments. Simulators play the systems of other companies, so they get no
 * setting of the service.
 */
export function simulatorEnvironments(
  user: NodeJS.ProcessEnv,
  ports: StackPorts,
  secrets: StackSecrets,
  dataDir: DataDir,
): SimulatorEnvironments {
  const base = simulatorBase(user, ['vault', 'network']);
  const pair = (
    own: SimulatorSecrets,
    at: { vault: number; network: number },
    directories: { vault: string; network: string },
  ) => ({
    vault: {
      ...base.vault,
      VAULT_SIM_HOST: '127.0.0.1',
      VAULT_SIM_PORT: String(at.vault),
      VAULT_SIM_DATA_DIR: directories.vault,
      VAULT_SIM_PUBLIC_URL: localUrl(at.vault),
      VAULT_SIM_SERVICE_KEY: own.vaultServiceKey,
      VAULT_SIM_NETWORK_KEY: own.vaultNetworkKey,
    },
    network: {
      ...base.network,
      NETWORK_SIM_HOST: '127.0.0.1',
      NETWORK_SIM_PORT: String(at.network),
      NETWORK_SIM_DATA_DIR: directories.network,
      NETWORK_SIM_PUBLIC_URL: localUrl(at.network),
      NETWORK_SIM_SERVICE_KEY: own.networkServiceKey,
      NETWORK_SIM_VAULT_URL: localUrl(at.vault),
      NETWORK_SIM_VAULT_KEY: own.vaultNetworkKey,
      NETWORK_SIM_CALLBACK_URL: `${localUrl(ports.api)}/callbacks/network`,
      NETWORK_SIM_CALLBACK_SECRET: own.callbackSecret,
    },
  });
  const live = pair(
    secrets.live,
    { vault: ports.liveVault, network: ports.liveNetwork },
    { vault: dataDir.liveVault, network: dataDir.liveNetwork },
  );
  const sandbox = pair(secrets, ports, dataDir);
  return {
    ...sandbox,
    // The ledger of this address also covers live payments, whose ledger it only reads.
    network: { ...sandbox.network, NETWORK_SIM_OTHER_URL: localUrl(ports.liveNetwork) },
    liveVault: live.vault,
    liveNetwork: live.network,
  };
}

/** Returns the card frame as a program; its environment holds none of the service's secrets. */
export function cardFrameProgram(
  entries: Entries,
  user: NodeJS.ProcessEnv,
  ports: StackPorts,
  dialects: DialectPorts,
): Program {
  const environment = {
    ...machineSettings(user),
    DEPLOYMENT: 'development',
    PUBLIC_URL: localUrl(ports.api),
    ...cardFrameAddresses(dialects),
  };
  return nodeProgram('card-frame', entries.cardFrame, environment, 1, 5_000);
}

/**
 * Returns a Node program that sends `{type: 'ready'}` over IPC when it serves, and exits when that channel
 * closes.
 */
export function nodeProgram(
  name: string,
  script: string,
  environment: NodeJS.ProcessEnv,
  stage: number,
  graceMs: number,
): Program {
  return {
    name,
    command: { file: process.execPath, args: [script], env: environment },
    stage,
    signals: ['SIGTERM'],
    graceMs,
    readyWithinMs: READY_MS,
    ipc: true,
    ready: untilReadyMessage,
  };
}

function untilReadyMessage(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready')
        resolve();
    });
  });
}
