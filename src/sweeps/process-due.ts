import pMap from 'p-map';
import type { NextCheck } from '../db/server/next-check.ts';
import type { DueCondition } from '../db/server/due-work.ts';
import type { SweepAlerts } from './alerts.ts';
import { afterFailures, alertAfterFailures, codeOf } from './back-off.ts';
import type { IsDue } from './sweep.ts';

/** An item to check. `failures`: its failed checks in a row. */
export interface CheckedItem {
  id: string;
  merchantId: string;
  failures: number;
}

/** The result of a check. `at` null: nothing more to check. */
export interface CheckResult<Item> {
  item: Item;
  at: Date | null;
  failures: number;
  /** A short code of the failure; null: the check succeeded. */
  errorCode: string | null;
  error: unknown;
}

/** Returns the parts of the results that are stored. */
export const nextChecks = (checked: readonly CheckResult<CheckedItem>[]): NextCheck[] =>
  checked.map(({ item, at, failures }) => ({ id: item.id, at, failures }));

/** A queue of checks in the database, in the order in which they are due. */
export interface CheckQueue<Item extends CheckedItem> {
  name: string;
  /** The condition that an item is due. */
  condition: DueCondition;
  /** Returns the items that are due at `now`, at most `limit`. */
  due(now: Date, limit: number): Promise<Item[]>;
  /** Returns when to check again, null for never. A throw is a failed check. */
  check(item: Item, now: Date): Promise<Date | null>;
  /** Stores the results. A checked item is not due at `now` any more. */
  record(checked: readonly CheckResult<Item>[], now: Date): Promise<void>;
}

/** A whole batch of checks failed. */
export class AllChecksFailed extends Error {
  constructor(queue: string, items: number, cause: unknown) {
    super(`all ${items} checks of ${queue} failed`, { cause });
    this.name = 'AllChecksFailed';
  }
}

/** Concurrent checks of a sweep. */
export const checksAtOnce = 20;
/** Items of one statement. */
const batch = 200;
/** When all checks of a batch of at least this many items fail, the other side is unavailable. */
const outageItems = 10;
/** The wait when nothing can be checked, in ms. */
const outageWaitMs = 15_000;

/**
 * Checks everything in the queue that is due, batch by batch, until a batch is short. Failed items do not
 * block others: each is postponed, longer each time, and an operator is alerted at the sixth failure in a
 * row. When a whole batch of ten or more fails, the other side is unavailable: no failures are counted, the
 * rest waits for the next run, and the first fault is thrown. Returns how many were checked. Sends no
 * statement when nothing was due at the beginning of the turn.
 */
export async function processDue<Item extends CheckedItem>(
  queue: CheckQueue<Item>,
  deps: { now: () => number; alerts: SweepAlerts; going: () => boolean; isDue: IsDue },
): Promise<number> {
  if (!deps.isDue(queue.condition)) return 0;
  const now = new Date(deps.now());
  let total = 0;
  while (deps.going()) {
    const items = await queue.due(now, batch);
    if (items.length === 0) return total;
    const results = await pMap(items, (item) => (deps.going() ? checkOne(queue, item, now) : null), {
      concurrency: checksAtOnce,
    });
    // A process that was stopped meanwhile no longer leads. The next leader checks these items again.
    if (!deps.going()) return total;
    const checked = results.filter((result) => result !== null);
    const failed = checked.filter(({ errorCode }) => errorCode !== null);
    const isOutage = failed.length === items.length && items.length >= outageItems;
    await queue.record(isOutage ? checked.map((one) => postponed(one, now)) : checked, now);
    total += items.length;
    if (isOutage) throw new AllChecksFailed(queue.name, failed.length, failed[0]?.error);
    await alertFailures(queue.name, checked, deps.alerts);
    if (items.length < batch) return total;
  }
  return total;
}

async function checkOne<Item extends CheckedItem>(
  queue: CheckQueue<Item>,
  item: Item,
  now: Date,
): Promise<CheckResult<Item>> {
  try {
    const at = await queue.check(item, now);
    // An item that is due again at once would keep this run going forever.
    const later = at && new Date(Math.max(at.getTime(), now.getTime() + 1_000));
    return { item, at: later, failures: 0, errorCode: null, error: null };
  } catch (error) {
    const failures = item.failures + 1;
    return { item, at: afterFailures(failures, now), failures, errorCode: codeOf(error), error };
  }
}

const postponed = <Item extends CheckedItem>(checked: CheckResult<Item>, now: Date): CheckResult<Item> => ({
  ...checked,
  at: new Date(now.getTime() + outageWaitMs),
  failures: checked.item.failures,
});

async function alertFailures<Item extends CheckedItem>(
  sweep: string,
  checked: readonly CheckResult<Item>[],
  alerts: SweepAlerts,
): Promise<void> {
  for (const { item, failures, error } of checked) {
    if (failures >= alertAfterFailures) await alerts.raise(sweep, item, error);
    if (failures === 0 && item.failures >= alertAfterFailures) await alerts.clear(sweep, item.id);
  }
}
