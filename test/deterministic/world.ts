import { fileURLToPath } from 'node:url';
import type { LoadedDataConverter } from '@temporalio/common';
import { pino } from 'pino';
import { Journal } from '../../simulators/journal.ts';
import { buildNetwork } from '../../simulators/network/network.ts';
import { buildVault } from '../../simulators/vault/vault.ts';
import { composeApi } from '../../src/api/compose.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { type Settings, readSettings } from '../../src/runtime/settings.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import { composeWorker } from '../../src/worker/compose.ts';
import type { Delivery } from '../chaos/receiver.ts';
import { isSigned } from '../support/harness/webhook-signature.ts';
import { type SimulatedPostgres, databaseUrl } from './database.ts';
import { replace } from './globals.ts';
import { forgetLocks } from './leader-client.ts';
import { SimulatedNetwork } from './network.ts';
import { type Scheduler, type SimulatedProcess, newProcess, runIn } from './scheduler.ts';
import { Supervisor } from './supervisor.ts';
import { type Shop, createShop } from './shop.ts';
import { type Builds, TemporalServer } from './temporal/server.ts';
import { serveTemporal } from './temporal/connection.ts';

export const origins = {
  api: 'http://127.0.0.1:7001',
  vault: 'http://127.0.0.1:7002',
  network: 'http://127.0.0.1:7003',
  shop: 'http://127.0.0.1:7004',
} as const;

/** The workflow bundle of the build that contains this code. */
export const bundlePath = fileURLToPath(new URL('../../src/workflow-bundle.js', import.meta.url));

/** The name of another build, whose bundle exists only in memory. */
export const otherBundlePath = `${bundlePath}.other`;

const secrets = {
  vault: 'simulated-vault-service-key',
  network: 'simulated-network-service-key',
  vaultAtNetwork: 'simulated-vault-network-key',
  callback: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

/** The checkout's deadline in seconds; capture ends two seconds before. */
export const deadlineSeconds = 15;

const settings = (): Settings =>
  readSettings({
    DATABASE_URL: databaseUrl,
    // All connections share one session, so no state may stay on a connection.
    DATABASE_POOLER: 'transaction',
    DATABASE_POOL_SIZE: '8',
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
    PUBLIC_URL: origins.api,
    VAULT_URL: origins.vault,
    VAULT_SERVICE_KEY: secrets.vault,
    NETWORK_URL: origins.network,
    NETWORK_SERVICE_KEY: secrets.network,
    NETWORK_CALLBACK_SECRET: secrets.callback,
    CHECKOUT_DEADLINE_SECONDS: String(deadlineSeconds),
    CAPTURE_WINDOW_SECONDS: String(deadlineSeconds - 2),
    WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,2,2,3,3,5,5,5,10,10,10,10',
    REFUND_DELAY_SECONDS: '1',
    RATE_LIMITS: 'off',
  });

/** Everything of a run: the service's processes, and the simulated servers around them. */
export interface World {
  shop: Shop;
  network: SimulatedNetwork;
  received: Delivery[];
  /** Lines that the service logged. */
  logged: string[];
  networkKey: string;
  temporal: TemporalServer;
  builds: Builds;
  dataConverter: LoadedDataConverter;
  /** The service's processes that run now, API and workers. */
  running(): readonly SimulatedProcess[];
  /** Whether a process holds PostgreSQL's only session. */
  holdsDatabase(owner: SimulatedProcess): boolean;
  /** Kills a process of the service, which is restarted after a pause. */
  kill(owner: SimulatedProcess): void;
  /** Kills the workers, one soon after the other, and starts those of the next build. */
  changeBuild(): void;
  close(): Promise<void>;
}

/** How far apart the workers of another build may replace those of the last one, in ms. */
const deployMs = 8_000;

/** Builds the world with the composition roots of the service; resolves when its processes serve. */
export async function buildWorld(
  scheduler: Scheduler,
  postgres: SimulatedPostgres,
  builds: Builds,
): Promise<World> {
  forgetLocks();
  const network = new SimulatedNetwork(() => scheduler);
  const temporal = new TemporalServer(scheduler, builds);
  const undo = [
    ...postgres.serve(),
    ...network.serve(),
    ...serveTemporal(() => temporal),
    replace(Journal, 'open', async () => memoryJournal()),
  ];
  const logged: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  await startProviders(network, scheduler);
  const shop = await runIn(newProcess('admin'), () => createShop(settings(), `${origins.shop}/hooks`));
  const received = startReceiver(network, shop, scheduler);

  const apis = new Supervisor(scheduler, 'api', async (owner) => {
    const { app, checked } = composeApi(settings(), logger);
    await checked;
    await app.ready();
    network.addApp(origins.api, 'api', owner, app);
  });
  const paths = [...builds.keys()];
  let build = 0;
  const workers = new Supervisor(scheduler, 'worker', async (owner) => {
    const onFault = (): void => scheduler.note(`${owner.name} stopped by itself`);
    const codePath = paths[build] ?? bundlePath;
    await composeWorker(settings(), logger, { codePath }, onFault);
  });
  await apis.start();
  await workers.start();
  await workers.start();
  return {
    shop,
    network,
    received,
    logged,
    networkKey: secrets.network,
    temporal,
    builds,
    dataConverter: createDataConverter(createKeyring(settings().ENCRYPTION_KEYS, settings().LOOKUP_KEYS)),
    running: () => [...apis.running, ...workers.running],
    holdsDatabase: (owner) => postgres.isHeldBy(owner),
    kill: (owner) => (apis.running.includes(owner) ? apis : workers).kill(owner),
    changeBuild: () => {
      build = (build + 1) % paths.length;
      scheduler.note(`the workers change to build ${build + 1}`);
      for (const worker of workers.running) {
        scheduler.outside(scheduler.delay(0, deployMs), null, () => {
          if (worker.isAlive) workers.kill(worker);
        });
      }
    },
    close: async () => {
      apis.close();
      workers.close();
      for (const putBack of undo.toReversed()) putBack();
    },
  };
}

/** Returns a journal that is written at once. The simulators never lose theirs. */
const memoryJournal = () => ({
  append: () => undefined,
  requireRoom: () => undefined,
  flushed: async () => undefined,
  rewrite: async () => undefined,
  close: async () => undefined,
});

async function startProviders(network: SimulatedNetwork, scheduler: Scheduler): Promise<void> {
  const now = (): number => Math.floor(scheduler.nowMs);
  const common = { dataDir: 'nowhere', now };
  const vaultProcess = newProcess('vault');
  const vault = await runIn(vaultProcess, () =>
    buildVault({
      ...common,
      publicUrl: origins.vault,
      serviceKey: secrets.vault,
      networkKey: secrets.vaultAtNetwork,
      encryptionKey: Buffer.alloc(32, 1),
    }),
  );
  const networkProcess = newProcess('network');
  const payments = await runIn(networkProcess, () =>
    buildNetwork({
      ...common,
      publicUrl: origins.network,
      serviceKey: secrets.network,
      vaultUrl: origins.vault,
      vaultKey: secrets.vaultAtNetwork,
      callback: { url: `${origins.api}/callbacks/network`, secret: secrets.callback },
    }),
  );
  await vault.app.ready();
  await payments.app.ready();
  network.addApp(origins.vault, 'vault', vaultProcess, vault.app);
  network.addApp(origins.network, 'network', networkProcess, payments.app);
}

/** Starts the merchant's receiver, which accepts every webhook and sometimes answers with an error. */
function startReceiver(network: SimulatedNetwork, shop: Shop, scheduler: Scheduler): Delivery[] {
  const received: Delivery[] = [];
  network.add(origins.shop, {
    name: 'shop',
    process: null,
    answer: async ({ headers, body }) => {
      const valid = isSigned(shop.webhookSecret, headers, body);
      received.push({ id: String(headers['webhook-id']), body, valid });
      const status = scheduler.draws('webhook taken, error answered', 0.05) ? 500 : 204;
      return { status, headers: {}, body: '' };
    },
  });
  return received;
}
