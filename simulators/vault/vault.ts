import { join } from 'node:path';
import { Faults } from '../faults.ts';
import { Holds } from '../holds.ts';
import { PublicAddress, type SimulatorOptions, createServer } from '../server.ts';
import { type Simulator, repeatedly, simulatorOf } from '../simulator.ts';
import { captureRoutes } from './capture-routes.ts';
import { openCardFolder } from './card-folder.ts';
import type { VaultContext } from './context.ts';
import { frameRoutes } from './frame-routes.ts';
import { readMasterKey } from './master-key.ts';
import { networkRoutes } from './network-routes.ts';
import { serviceRoutes } from './service-routes.ts';
import { sessionSchema } from './sessions.ts';

export interface VaultOptions extends SimulatorOptions {
  /** The vault's own folder: sessions and ciphertexts, card keys, the vault's key. */
  dataDir: string;
  serviceKey: string;
  networkKey: string;
  /** 32 bytes; by default a random one that is kept in `dataDir`. */
  encryptionKey?: Buffer;
}

export interface Vault extends Simulator {
  /** Deletes expired sessions, cards and security codes; also runs automatically. */
  purge(): Promise<void>;
}

const PURGE_EVERY_MS = 30_000;
/** A session is kept longer than its cards, so that a late repetition of a call still finds it. */
const SESSION_LIFETIME_MS = 6 * 60 * 60_000;

/** Builds the vault simulator on its folder. Nothing listens before `listen()`. */
export async function buildVault(options: VaultOptions): Promise<Vault> {
  const now = options.now ?? Date.now;
  const log = options.log ?? (() => undefined);
  const masterKey = options.encryptionKey ?? (await readMasterKey(join(options.dataDir, 'vault.key')));
  const folder = await openCardFolder(options, 'vault.jsonl', masterKey, (database) => ({
    sessions: database.table('sessions', sessionSchema),
  }));
  const { cards, flushed } = folder;
  const { sessions } = folder.tables;
  const address = new PublicAddress(options);
  const holds = new Holds();
  const context: VaultContext = {
    sessions,
    cards,
    faults: new Faults(),
    holds,
    serviceKey: options.serviceKey,
    networkKey: options.networkKey,
    publicUrl: () => address.url,
    flushed,
    now,
  };

  const app = createServer({ log, flushed });
  app.register(captureRoutes(context));
  app.register(frameRoutes(context));
  app.register(serviceRoutes(context));
  app.register(networkRoutes(context));

  const purge = async (): Promise<void> => {
    const at = now();
    await cards.purge(at);
    for (const [reference, session] of sessions.entries()) {
      if (at >= session.createdAt + SESSION_LIFETIME_MS) sessions.delete(reference);
    }
  };
  await purge();
  await folder.compact();
  const alarms = [repeatedly(PURGE_EVERY_MS, 'purge', purge, log)];
  return { ...simulatorOf({ app, address, holds, alarms, stores: folder.stores }), purge };
}
