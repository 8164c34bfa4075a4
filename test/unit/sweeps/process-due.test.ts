import type { DueCondition } from '../../../src/db/server/due-work.ts';
import type { SweepAlerts } from '../../../src/sweeps/alerts.ts';
import { afterFailures, alertAfterFailures, codeOf } from '../../../src/sweeps/back-off.ts';
import {
  type CheckQueue,
  type CheckedItem,
  AllChecksFailed,
  processDue,
} from '../../../src/sweeps/process-due.ts';

const condition: DueCondition = { sql: 'true' };
const startMs = Date.UTC(2026, 0, 1);

interface Item extends CheckedItem {
  at: Date;
}

/** Returns a queue in memory; `checks` records the ids in the order of their checks. */
function memoryQueue(count: number, check: (id: string) => Date | null) {
  const items = new Map<string, Item>();
  for (let number = 1; number <= count; number += 1) {
    items.set(`#${number}`, {
      id: `#${number}`,
      merchantId: 'm',
      failures: 0,
      at: new Date(startMs - 1_000),
    });
  }
  const checks: string[] = [];
  const queue: CheckQueue<Item> = {
    name: 'things',
    condition,
    due: async (now, limit) => [...items.values()].filter(({ at }) => at <= now).slice(0, limit),
    check: async ({ id }) => {
      checks.push(id);
      return check(id);
    },
    record: async (checked) => {
      for (const { item, at, failures } of checked) {
        if (at === null) items.delete(item.id);
        else items.set(item.id, { ...item, at, failures });
      }
    },
  };
  return { queue, items, checks };
}

function notes(): SweepAlerts & { calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    raise: async (sweep, { id }, error) => void calls.push(`raise ${sweep} ${id} ${codeOf(error)}`),
    clear: async (sweep, id) => void calls.push(`clear ${sweep} ${id}`),
    failed: async () => undefined,
    worked: async () => undefined,
  };
}

const turn = (nowMs: number, alerts = notes()) => ({
  now: () => nowMs,
  alerts,
  going: () => true,
  isDue: () => true,
});
const failing = (): never => {
  throw new Error('away');
};

it('failed checks do not block others: with 250 of 1,000 failing, all others are checked', async () => {
  const { queue, items, checks } = memoryQueue(1_000, (id) => (id === '#250' ? failing() : null));
  expect(await processDue(queue, turn(startMs))).toBe(1_000);
  expect(new Set(checks).size).toBe(1_000);
  expect([...items.keys()]).toEqual(['#250']);
  expect(items.get('#250')?.failures).toBe(1);
});

it('checks a failing item less and less often, and raises an alert once it has failed for a while', async () => {
  let broken = true;
  const { queue, items } = memoryQueue(1, () => (broken ? failing() : null));
  const alerts = notes();
  const waits: number[] = [];
  let nowMs = startMs;
  for (let round = 0; round < 10; round += 1) {
    await processDue(queue, turn(nowMs, alerts));
    const nextMs = items.get('#1')?.at.getTime() ?? 0;
    waits.push(nextMs - nowMs);
    nowMs = nextMs;
    expect(alerts.calls.length > 0).toBe(round + 1 >= alertAfterFailures);
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300, 300].map((seconds) => seconds * 1_000));
  broken = false;
  await processDue(queue, turn(nowMs, alerts));
  expect(alerts.calls.at(0)).toBe('raise things #1 Error');
  expect(alerts.calls.at(-1)).toBe('clear things #1');
});

it('counts no failures when a whole batch fails, and leaves the rest to the next run', async () => {
  const { queue, items, checks } = memoryQueue(1_000, failing);
  const alerts = notes();
  await expect(processDue(queue, turn(startMs, alerts))).rejects.toThrow(AllChecksFailed);
  expect(checks).toHaveLength(200);
  expect([...items.values()].every(({ failures }) => failures === 0)).toBe(true);
  // They were postponed all the same, so the next run checks others.
  await expect(processDue(queue, turn(startMs, alerts))).rejects.toThrow(AllChecksFailed);
  expect(new Set(checks).size).toBe(400);
  expect(alerts.calls).toEqual([]);
});

it('checks an item that is due again at once only once per run', async () => {
  const { queue, checks } = memoryQueue(500, () => new Date(startMs));
  await processDue(queue, turn(startMs));
  expect(checks).toHaveLength(500);
});

it('reads nothing when nothing was due at the beginning of the turn', async () => {
  const { queue, checks } = memoryQueue(10, () => null);
  const asked: DueCondition[] = [];
  const isDue = (one: DueCondition): boolean => {
    asked.push(one);
    return false;
  };
  expect(await processDue(queue, { ...turn(startMs), isDue })).toBe(0);
  expect(asked).toEqual([condition]);
  expect(checks).toEqual([]);
});

it('ends between two batches when it is stopped', async () => {
  const { queue, checks } = memoryQueue(1_000, () => null);
  await processDue(queue, { ...turn(startMs), going: () => checks.length < 400 });
  expect(checks).toHaveLength(400);
});

it('waits at most five minutes, however often a check failed', () => {
  expect(afterFailures(1_000, new Date(startMs)).getTime() - startMs).toBe(300_000);
});

it('names a failure by its code, never by its text', () => {
  expect(codeOf(Object.assign(new Error('a customer said'), { code: '22021' }))).toBe('Error:22021');
  expect(codeOf('a foreign text')).toBe('unknown');
  expect(codeOf(null)).toBe('unknown');
});
