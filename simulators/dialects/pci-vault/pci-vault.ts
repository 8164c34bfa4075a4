import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { Faults } from '../../faults.ts';
import { Holds } from '../../holds.ts';
import { sha256Hex } from '../../secrets.ts';
import { createServer, PublicAddress, type SimulatorOptions } from '../../server.ts';
import { type Simulator, repeatedly, simulatorOf } from '../../simulator.ts';
import { openCardFolder } from '../../vault/card-folder.ts';
import { readMasterKey } from '../../vault/master-key.ts';
import { captureRoutes } from './capture-routes.ts';
import type { PciVaultContext } from './context.ts';
import { proxyRoutes } from './proxy-routes.ts';
import { endpointSchema, itemSchema, keySchema } from './records.ts';
import { simulateRoutes } from './simulate-routes.ts';
import { vaultRoutes } from './vault-routes.ts';

export interface PciVaultOptions extends SimulatorOptions {
  /** The dialect's own folder: endpoints and ciphertexts, card keys, the vault's key. */
  dataDir: string;
  /** The account's API credentials. */
  user: string;
  password: string;
  /** A key that exists from the start. */
  key: { name: string; passphrase: string };
  /** 32 bytes; by default a random one that is kept in `dataDir`. */
  encryptionKey?: Buffer;
  /** Where the proxy sends cards (the base address of Stripe's API), and the key that lets it. */
  proxy: { target: string; key: string };
}

const PURGE_EVERY_MS = 30_000;
/** An endpoint that has ended is cleaned up after this; until then its name stays taken. */
const CLEANED_AFTER_MS = 60 * 60_000;

/** Builds the PCI Vault dialect on its folder. Nothing listens before `listen()`. */
export async function buildPciVault(options: PciVaultOptions): Promise<Simulator> {
  const now = options.now ?? Date.now;
  const log = options.log ?? (() => undefined);
  const masterKey = options.encryptionKey ?? (await readMasterKey(join(options.dataDir, 'vault.key')));
  const folder = await openCardFolder(options, 'pci-vault.jsonl', masterKey, (database) => ({
    keys: database.table('keys', keySchema),
    endpoints: database.table('endpoints', endpointSchema),
    items: database.table('items', itemSchema),
  }));
  const { cards, flushed } = folder;
  const { keys, endpoints, items } = folder.tables;
  const { name, passphrase } = options.key;
  keys.put(name, { name, passphraseSha256: sha256Hex(passphrase) });
  const address = new PublicAddress(options);
  const holds = new Holds();
  const context: PciVaultContext = {
    user: options.user,
    password: options.password,
    keys,
    endpoints,
    items,
    cards,
    faults: new Faults(),
    holds,
    calls: new Map(),
    tokenKey: createHmac('sha256', masterKey).update('tokens').digest(),
    proxy: options.proxy,
    flushed,
    now,
  };

  const app = createServer({ log, flushed });
  app.register(captureRoutes(context));
  app.register(vaultRoutes(context));
  app.register(proxyRoutes(context));
  app.register(simulateRoutes(context));

  const purge = async (): Promise<void> => {
    const at = now();
    await cards.purge(at);
    for (const key of [...items.entries()].map(([id]) => id)) {
      if (cards.referenceOf(key) === null) items.delete(key);
    }
    for (const [id, { expiresAt }] of [...endpoints.entries()]) {
      if (expiresAt !== null && at >= expiresAt + CLEANED_AFTER_MS) endpoints.delete(id);
    }
  };
  await purge();
  await folder.compact();
  const alarms = [repeatedly(PURGE_EVERY_MS, 'purge', purge, log)];
  return simulatorOf({ app, address, holds, alarms, stores: folder.stores });
}
