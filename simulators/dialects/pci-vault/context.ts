import type { Faults } from '../../faults.ts';
import type { Holds } from '../../holds.ts';
import type { Table } from '../../tables.ts';
import type { CardStore } from '../../vault/card-store.ts';
import type { CaptureEndpoint, StoredItem, VaultKey } from './records.ts';

export const pciVaultFaultModes = [
  'timeout',
  'noAnswer',
  'lostResponse',
  'error',
  'rateLimited',
  'html',
  'slow',
] as const;
export type PciVaultFaultMode = (typeof pciVaultFaultModes)[number];

/** The shared state of the dialect's routes. */
export interface PciVaultContext {
  user: string;
  password: string;
  keys: Table<VaultKey>;
  endpoints: Table<CaptureEndpoint>;
  /** By `itemKey`. */
  items: Table<StoredItem>;
  cards: CardStore;
  faults: Faults<PciVaultFaultMode>;
  holds: Holds;
  /** Calls since the process began, by kind. */
  calls: Map<string, number>;
  /** Key from which tokens are derived: the same card number has the same token. */
  tokenKey: Buffer;
  /** The one address that the proxy sends cards to, and the key that permits it. */
  proxy: { target: string; key: string };
  flushed: () => Promise<void>;
  now: () => number;
}

/** Returns the key of a stored card: a token is valid only with its reference. */
export const itemKey = (token: string, reference: string): string => `${reference}/${token}`;
