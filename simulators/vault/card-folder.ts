import { join } from 'node:path';
import type { Closable } from '../simulator.ts';
import type { SimulatorOptions } from '../server.ts';
import { Database } from '../tables.ts';
import { CardStore, storedCardSchema } from './card-store.ts';

/** The contents of a vault's folder. */
export interface CardFolder<Tables> {
  tables: Tables;
  cards: CardStore;
  /** Resolves when every change is on disk. */
  flushed: () => Promise<void>;
  compact: () => Promise<void>;
  /** In the order in which they are closed. */
  stores: readonly Closable[];
}

/**
 * Opens a vault's folder: the journal with its tables and ciphertexts, and beside it the cards' keys, which
 * the master key seals.
 */
export async function openCardFolder<Tables>(
  { dataDir, onBroken }: Pick<SimulatorOptions, 'onBroken'> & { dataDir: string },
  journal: string,
  masterKey: Buffer,
  tablesOf: (database: Database) => Tables,
): Promise<CardFolder<Tables>> {
  const database = new Database();
  const tables = tablesOf(database);
  const cards = new CardStore(database.table('cards', storedCardSchema), masterKey);
  await database.open(join(dataDir, journal), onBroken);
  await cards.open(join(dataDir, 'card-keys.jsonl'), onBroken);
  return {
    tables,
    cards,
    flushed: async () => {
      await Promise.all([database.flushed(), cards.flushed()]);
    },
    compact: () => database.compact(),
    stores: [cards, database],
  };
}
