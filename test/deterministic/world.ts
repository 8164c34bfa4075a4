import { fileURLToPath } from 'node:url';
import type { LoadedDataConverter } from '@temporalio/common';
import { pino } from 'pino';
import { Journal } from '../../simulators/journal.ts';
import { composeApi } from '../../src/api/compose.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import type { SettingsChange } from '../../src/db/merchants/merchants.ts';
import { type Settings, readSettings } from '../../src/runtime/settings.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import { composeWorker } from '../../src/worker/compose.ts';
import { networkOrders } from '../chaos/network-trouble.ts';
import type { NetworkKind } from '../chaos/programs.ts';
import type { Delivery } from '../chaos/receiver.ts';
import { isSigned } from '../support/harness/webhook-signature.ts';
import type { ApiSettings } from './api/settings.ts';
import { replace } from './globals.ts';
import { SimulatedNetwork } from './network.ts';
import {
  horizonSeconds,
  networkAccess,
  origins,
  secrets,
  startProviders,
  stripeAccount,
  stripeCredentials,
} from './providers.ts';
import { type Scheduler, type SimulatedProcess, newProcess, runIn } from './scheduler.ts';
import { freezeOnlyIf, isStalledForLong } from './stalls.ts';
import { Supervisor } from './supervisor.ts';
import { type Shop, createShop } from './shop.ts';
import { type SimulatedPostgres, databaseUrl } from './simulated-postgres.ts';
import { serveTemporal } from './temporal/connection.ts';
import { type Builds, TemporalServer } from './temporal/server.ts';

/** The workflow bundle of the build that contains this code. */
export const bundlePath = fileURLToPath(new URL('../../src/workflow-bundle.js', import.meta.url));

/** The name of another build, whose bundle exists only in memory. */
export const otherBundlePath = `${bundlePath}.other`;

/** What a seed decides about its world. */
export interface WorldPlan {
  kind: NetworkKind;
  /** The checkout's deadline in seconds; capture ends two seconds before. */
  deadlineSeconds: number;
  api: ApiSettings;
}

const settingsWith = (
  pooler: SimulatedPostgres['pooler'],
  { kind: network, deadlineSeconds, api }: WorldPlan,
): Settings =>
  readSettings({
    DATABASE_URL: databaseUrl,
    DATABASE_POOLER: pooler,
    DATABASE_POOL_SIZE: '8',
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
    PUBLIC_URL: origins.api,
    VAULT_URL: origins.vault,
    VAULT_SERVICE_KEY: secrets.vault,
    NETWORK_URL: origins.network,
    NETWORK_SERVICE_KEY: secrets.network,
    NETWORK_CALLBACK_SECRET: secrets.callback,
    ...(network === 'horizon' ? { NETWORK_UNSEEN_KEY_HORIZON_SECONDS: String(horizonSeconds) } : {}),
    CARD_FRAME_URL: origins.cardFrame,
    CARD_FRAME_VAULT_URL: origins.pciVault,
    ...(network === 'stripe'
      ? { WALLET_FRAME_URL: origins.walletFrame, WALLET_FRAME_STRIPE_URL: origins.stripe }
      : {}),
    CHECKOUT_DEADLINE_SECONDS: String(deadlineSeconds),
    CAPTURE_WINDOW_SECONDS: String(deadlineSeconds - 2),
    WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,2,2,3,3,5,5,5,10,10,10,10',
    REFUND_DELAY_SECONDS: '1',
    RATE_LIMITS: api.rateLimits,
    STATUS_SOURCE: api.statusSource,
    PAGE_WATCH_SECONDS: String(api.pageWatchSeconds),
  });

/** Everything of a run: the service's processes, and the simulated servers around them. */
export interface World {
  settings: Settings;
  shop: Shop;
  /** A shop with other settings. With Stripe it is the same one, which has the account. */
  otherShop: Shop;
  network: SimulatedNetwork;
  received: Delivery[];
  /** Lines that the service logged. */
  logged: string[];
  /** The network that moves the money, and the access to it. */
  provider: { network: NetworkKind; networkUrl: string; networkKey: string };
  temporal: TemporalServer;
  builds: Builds;
  dataConverter: LoadedDataConverter;
  /** The service's processes that run now, API and workers. */
  running(): readonly SimulatedProcess[];
  /** Whether a process holds a session of PostgreSQL that all others wait for. */
  holdsDatabase(owner: SimulatedProcess): boolean;
  /** Kills a process of the service, which is restarted after a pause. */
  kill(owner: SimulatedProcess): void;
  /** Lets a process of the service finish what it has begun and end, and starts another. */
  stop(owner: SimulatedProcess): void;
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
  { builds, kind, deadlineSeconds, api }: WorldPlan & { builds: Builds },
): Promise<World> {
  const settings = settingsWith(postgres.pooler, { kind, deadlineSeconds, api });
  const network = new SimulatedNetwork(() => scheduler);
  network.misreports.mayHaveOutage = kind !== 'stripe';
  const temporal = new TemporalServer(scheduler, builds);
  freezeOnlyIf(scheduler, (owner) => !postgres.isHeldBy(owner));
  const undo = [
    ...postgres.serve(),
    ...network.serve(),
    ...serveTemporal(() => temporal),
    replace(Journal, 'open', async () => memoryJournal()),
  ];
  const logged: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  await startProviders(network, scheduler, { kind, checkoutSeconds: deadlineSeconds });
  const stripe = kind === 'stripe' ? { account: stripeAccount, credentials: stripeCredentials } : null;
  const open = (changes: SettingsChange): Promise<Shop> =>
    runIn(newProcess('admin'), () =>
      createShop(settings, { webhookUrl: `${origins.shop}/hooks`, stripe, changes }),
    );
  const shop = await open({ customMode: true, ...(stripe && settingsAtStripe(api.shop)) });
  const otherShop = stripe ? shop : await open(api.shop);
  if (shop.connectorId !== null) await registerWebhooks(shop.connectorId);
  const received = startReceiver(network, [shop, otherShop], scheduler);

  const apis = new Supervisor(scheduler, 'api', async (owner) => {
    const { app, checked, drain, stop } = composeApi(settings, logger);
    await checked;
    await app.ready();
    network.addApp(origins.api, 'api', owner, app);
    return async () => {
      await drain();
      await stop();
    };
  });
  const paths = [...builds.keys()];
  let build = 0;
  const workers = new Supervisor(scheduler, 'worker', async (owner) => {
    const onFault = (): void => scheduler.note(`${owner.name} stopped by itself`);
    const codePath = paths[build] ?? bundlePath;
    return (await composeWorker(settings, logger, { codePath }, onFault)).stop;
  });
  const killWhenThawed = (worker: SimulatedProcess): void => {
    if (!worker.isAlive) return;
    if (isStalledForLong(scheduler, worker)) scheduler.outside(500, null, () => killWhenThawed(worker));
    else workers.kill(worker);
  };
  const supervisorOf = (owner: SimulatedProcess): Supervisor =>
    apis.running.includes(owner) ? apis : workers;
  await apis.start();
  await workers.start();
  await workers.start();
  return {
    settings,
    shop,
    otherShop,
    network,
    received,
    logged,
    provider: { network: kind, ...networkAccess(kind) },
    temporal,
    builds,
    dataConverter: createDataConverter(createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS)),
    running: () => [...apis.running, ...workers.running],
    holdsDatabase: (owner) => postgres.isHeldBy(owner),
    kill: (owner) => supervisorOf(owner).kill(owner),
    stop: (owner) => supervisorOf(owner).stop(owner),
    changeBuild: () => {
      build = (build + 1) % paths.length;
      scheduler.note(`the workers change to build ${build + 1}`);
      for (const worker of workers.running) {
        scheduler.outside(scheduler.delay(0, deployMs), null, () => {
          killWhenThawed(worker);
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

/** Returns the settings of the shop with the account: its limits of declines need the facts of a card. */
const settingsAtStripe = ({
  refundApprovalCents = null,
  declinesPerCard = 0,
  declinesPerBin = 0,
}: SettingsChange): SettingsChange => ({ refundApprovalCents, declinesPerCard, declinesPerBin });

/** Returns a journal that is written at once. The simulators never lose theirs. */
const memoryJournal = () => ({
  append: () => undefined,
  requireRoom: () => undefined,
  flushed: async () => undefined,
  rewrite: async () => undefined,
  close: async () => undefined,
});

/** Registers the address of a connector's events at Stripe. */
async function registerWebhooks(connectorId: string): Promise<void> {
  const { networkUrl, networkKey } = networkAccess('stripe');
  const order = networkOrders(networkUrl, networkKey);
  const url = `${origins.api}/callbacks/stripe/${connectorId}`;
  await order('/simulate/webhook_endpoints', { url, secret: secrets.callback });
}

/** Starts the shops' receiver, which accepts every webhook and sometimes answers with an error. */
function startReceiver(network: SimulatedNetwork, shops: readonly Shop[], scheduler: Scheduler): Delivery[] {
  const received: Delivery[] = [];
  network.add(origins.shop, {
    name: 'shop',
    process: null,
    answer: async ({ headers, body }) => {
      const valid = shops.some(({ webhookSecret }) => isSigned(webhookSecret, headers, body));
      received.push({ id: String(headers['webhook-id']), body, valid });
      const status = scheduler.draws('webhook taken, error answered', 0.05) ? 500 : 204;
      return { status, headers: {}, body: '' };
    },
  });
  return received;
}
