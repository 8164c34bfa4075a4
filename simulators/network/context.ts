import type { Faults } from '../faults.ts';
import type { Holds } from '../holds.ts';
import type { Table } from '../tables.ts';
import type { Charging } from './charging.ts';
import type { BookTables, Ledger } from './ledger.ts';
import type { Prepared } from './records.ts';
import type { Stats } from './stats.ts';

export const networkFaultModes = [
  'timeout',
  'lostResponse',
  'error',
  'slow',
  'duplicateCallback',
  'lateSuccess',
] as const;
export type NetworkFaultMode = (typeof networkFaultModes)[number];

/** The shared state of the network's routes. */
export interface NetworkContext {
  ledger: Ledger;
  /** The stored documents in the order of creation, without changes that are due but not made yet. */
  tables: BookTables;
  charging: Charging;
  prepared: Table<Prepared>;
  once: Table<{ bodyHash: string; disputeId: string }>;
  faults: Faults<NetworkFaultMode>;
  holds: Holds;
  stats: Stats;
  serviceKey: string;
  voidsUnseenKeys: boolean;
  publicUrl: () => string;
  flushed: () => Promise<void>;
  now: () => number;
}
