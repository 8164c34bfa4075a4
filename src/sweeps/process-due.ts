import type { NextCheck } from '../db/server/next-check.ts';
import type { SweepAlerts } from './alerts.ts';
import { afterFailures, alertAfterFailures, codeOf } from './back-off.ts';
import { inParallel } from './in-parallel.ts';

/** Something that is looked at; `failures`: its failed looks in a row. */
export interface CheckedItem {
  id: string;
  merchantId: string;
  failures: number;
}

/** What a look leaves. `at` null: nothing more to look at. */
export interface CheckResult<Item> {
  item: Item;
  at: Date | null;
  failures: number;
  /** Of a look that failed, in short; null: it did not. */
  errorCode: string | null;
  error: unknown;
}

/** What the looks leave in the rows. */
export const nextChecks = (looked: readonly CheckResult<CheckedItem>[]): NextCheck[] =>
  looked.map(({ item, at, failures }) => ({ id: item.id, at, failures }));

/** A queue of looks in the database, in the order in which they are due. */
export interface CheckQueue<Item extends CheckedItem> {
  name: string;
  /** What is due at `now`, at most `limit`. */
  due(now: Date, limit: number): Promise<Item[]>;
  /** Returns when to look again, null for never. A throw is a failed look. */
  look(item: Item, now: Date): Promise<Date | null>;
  /** Writes down what the looks left: what was looked at is not due at `now` any more. */
  settle(looked: readonly CheckResult<Item>[], now: Date): Promise<void>;
}

/** A whole batch of looks failed. */
export class AllChecksFailed extends Error {
  constructor(queue: string, items: number, cause: unknown) {
    super(`none of ${items} looks at ${queue} worked`, { cause });
    this.name = 'AllChecksFailed';
  }
}

/** How much is looked at in one statement. */
const batch = 200;
/** Fewer items than this may all be bad; more that all fail have one reason, and it is not theirs. */
const fewItems = 10;
/** What is waited when nothing can be looked at, in ms. */
const outageWaitMs = 15_000;

/**
 * Looks at everything in the queue that is due: batch by batch, until one is short. A look that fails keeps
 * nobody waiting: it is put off, longer each time, and an operator is told after a while. When a whole batch
 * fails the other side is away: nobody's failures are counted, the rest waits for the next run, and the first
 * fault is thrown. Returns how many were looked at.
 */
export async function processDue<Item extends CheckedItem>(
  queue: CheckQueue<Item>,
  deps: { now: () => number; alerts: SweepAlerts; going: () => boolean },
): Promise<number> {
  const now = new Date(deps.now());
  let total = 0;
  while (deps.going()) {
    const items = await queue.due(now, batch);
    if (items.length === 0) return total;
    const looked = await inParallel(items, (item) => lookAt(queue, item, now));
    const failed = looked.filter(({ errorCode }) => errorCode !== null);
    const isOutage = failed.length === items.length && items.length >= fewItems;
    await queue.settle(isOutage ? looked.map((one) => postponed(one, now)) : looked, now);
    total += items.length;
    if (isOutage) throw new AllChecksFailed(queue.name, failed.length, failed[0]?.error);
    await tell(queue.name, looked, deps.alerts);
    if (items.length < batch) return total;
  }
  return total;
}

async function lookAt<Item extends CheckedItem>(
  queue: CheckQueue<Item>,
  item: Item,
  now: Date,
): Promise<CheckResult<Item>> {
  try {
    const at = await queue.look(item, now);
    // Due again in this very run, it would keep the run going for ever.
    const later = at && new Date(Math.max(at.getTime(), now.getTime() + 1_000));
    return { item, at: later, failures: 0, errorCode: null, error: null };
  } catch (error) {
    const failures = item.failures + 1;
    return { item, at: afterFailures(failures, now), failures, errorCode: codeOf(error), error };
  }
}

const postponed = <Item extends CheckedItem>(looked: CheckResult<Item>, now: Date): CheckResult<Item> => ({
  ...looked,
  at: new Date(now.getTime() + outageWaitMs),
  failures: looked.item.failures,
});

async function tell<Item extends CheckedItem>(
  sweep: string,
  looked: readonly CheckResult<Item>[],
  alerts: SweepAlerts,
): Promise<void> {
  for (const { item, failures, error } of looked) {
    if (failures >= alertAfterFailures) await alerts.raise(sweep, item, error);
    if (failures === 0 && item.failures >= alertAfterFailures) await alerts.clear(sweep, item.id);
  }
}
