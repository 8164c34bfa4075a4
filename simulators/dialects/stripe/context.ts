import type { Faults } from '../../faults.ts';
import type { Holds } from '../../holds.ts';
import type { Table } from '../../tables.ts';
import type { Events } from './events.ts';
import type { Ledger } from './ledger.ts';
import type { AccountSettings, Endpoint, SavedAnswer } from './records.ts';
import type { WebhookOrders } from './webhook-orders.ts';

export const stripeFaultModes = [
  'timeout',
  'noAnswer',
  'lostResponse',
  'halfBody',
  'slow',
  'error',
  'errorAfter',
  'unavailable',
  'rateLimited',
  'conflict',
  'html',
  'notJson',
] as const;
export type StripeFaultMode = (typeof stripeFaultModes)[number];

/** The shared state of the dialect's routes. */
export interface StripeContext {
  ledger: Ledger;
  events: Events;
  endpoints: Table<Endpoint>;
  accounts: Table<AccountSettings>;
  savedAnswers: Table<SavedAnswer>;
  /** Idempotency keys whose call waits before its effect. */
  running: Set<string>;
  faults: Faults<StripeFaultMode>;
  webhookOrders: WebhookOrders;
  holds: Holds;
  /** Calls since the process began, by kind. */
  calls: Map<string, number>;
  /** The key that permits sending whole card numbers; null: no caller may. */
  proxyKey: string | null;
  /** Changes made in `work` are on disk all together, or not at all. */
  together: <Result>(work: () => Result) => Result;
  publicUrl: () => string;
  flushed: () => Promise<void>;
  now: () => number;
}
