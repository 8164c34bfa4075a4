import type { Faults } from '../faults.ts';
import type { Holds } from '../holds.ts';
import type { Table } from '../tables.ts';
import type { CardStore } from './card-store.ts';
import type { Session } from './sessions.ts';

export const vaultFaultModes = ['timeout', 'error', 'slow', 'lostResponse'] as const;
export type VaultFaultMode = (typeof vaultFaultModes)[number];

/** The shared state of the vault's routes. */
export interface VaultContext {
  sessions: Table<Session>;
  cards: CardStore;
  faults: Faults<VaultFaultMode>;
  holds: Holds;
  serviceKey: string;
  networkKey: string;
  publicUrl: () => string;
  flushed: () => Promise<void>;
  now: () => number;
}
