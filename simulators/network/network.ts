import { join } from 'node:path';
import { deliverySchema } from '../deliveries.ts';
import { Faults } from '../faults.ts';
import { Holds } from '../holds.ts';
import { PublicAddress, type SimulatorOptions, createServer } from '../server.ts';
import { type Simulator, simulatorOf } from '../simulator.ts';
import { Database } from '../tables.ts';
import { Ledger } from './ledger.ts';
import { Callbacks } from './callbacks.ts';
import { chargeRoutes } from './charge-routes.ts';
import { Charging } from './charging.ts';
import type { NetworkContext } from './context.ts';
import { disputeRoutes } from './dispute-routes.ts';
import { ledgerRoutes } from './ledger-routes.ts';
import { listingRoutes } from './listing-routes.ts';
import { pageRoutes } from './page-routes.ts';
import { chargeSchema, disputeSchema, onceSchema, preparedSchema, refundSchema } from './records.ts';
import { refundRoutes } from './refund-routes.ts';
import { simulateRoutes } from './simulate-routes.ts';
import { Stats } from './stats.ts';
import { VaultClient } from './vault-client.ts';

export interface NetworkOptions extends SimulatorOptions {
  /** The network's own folder: the ledger. */
  dataDir: string;
  serviceKey: string;
  vaultUrl: string;
  vaultKey: string;
  /**
   * False: like many real networks, this one cannot void a key that it has never seen (404), and a charge
   * under that key may still arrive. Default true.
   */
  voidsUnseenKeys?: boolean;
  /** Another network, whose ledger is read for payments that this one does not have. */
  otherUrl?: string | undefined;
  /** The address for notifications, and the secret (`whsec_...`) that signs them. Without it none is sent. */
  callback?: { url: string; secret: string };
}

/**
 * Builds the network simulator on its folder and continues unfinished work. Nothing listens before
 * `listen()`.
 */
export async function buildNetwork(options: NetworkOptions): Promise<Simulator> {
  const now = options.now ?? Date.now;
  const log = options.log ?? (() => undefined);
  const database = new Database();
  const tables = {
    charges: database.table('charges', chargeSchema),
    refunds: database.table('refunds', refundSchema),
    disputes: database.table('disputes', disputeSchema),
  };
  const prepared = database.table('prepared', preparedSchema);
  const once = database.table('once', onceSchema);
  const waiting = database.table('callbacks', deliverySchema);
  await database.open(join(options.dataDir, 'ledger.jsonl'), options.onBroken);

  const flushed = (): Promise<void> => database.flushed();
  const callbacks = new Callbacks(waiting, options.callback ?? null, { flushed, now, log });
  const ledger = new Ledger(tables, callbacks, now, log);
  const vault = new VaultClient(options.vaultUrl, options.vaultKey);
  const holds = new Holds();
  const address = new PublicAddress(options);
  const context: NetworkContext = {
    ledger,
    tables,
    charging: new Charging(ledger, prepared, vault, now),
    prepared,
    once,
    faults: new Faults(),
    holds,
    stats: new Stats(),
    serviceKey: options.serviceKey,
    voidsUnseenKeys: options.voidsUnseenKeys ?? true,
    publicUrl: () => address.url,
    flushed,
    now,
  };

  const app = createServer({ log, flushed });
  app.register(chargeRoutes(context));
  app.register(refundRoutes(context));
  app.register(disputeRoutes(context));
  app.register(listingRoutes(context));
  app.register(simulateRoutes(context));
  app.register(ledgerRoutes(context, options.otherUrl ?? null));
  app.register(pageRoutes(context));
  callbacks.resume();
  ledger.resume();

  const stores = [callbacks, vault, database];
  return simulatorOf({ app, address, holds, alarms: [ledger], stores });
}
