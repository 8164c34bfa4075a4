import { setImmediate } from 'node:timers/promises';
import {
  type CheckQueue,
  type CheckedItem,
  checksAtOnce,
  processDue,
} from '../../../src/sweeps/process-due.ts';

const alerts = {
  raise: async () => undefined,
  clear: async () => undefined,
  failed: async () => undefined,
  worked: async () => undefined,
};

it('a run that goes on after its leadership ended checks nothing more and records nothing', async () => {
  let leads = true;
  const done: string[] = [];
  const items = Array.from({ length: 30 }, (_, index) => ({
    id: `item ${index}`,
    merchantId: 'merchant',
    failures: 0,
  }));
  const queue: CheckQueue<CheckedItem> = {
    name: 'test',
    condition: { sql: 'true' },
    due: async () => items,
    check: async ({ id }) => {
      done.push(id);
      // All checks that may run concurrently have begun before the leadership ends.
      await setImmediate();
      leads = false;
      return null;
    },
    record: async () => void done.push('recorded'),
  };
  expect(await processDue(queue, { now: () => 0, alerts, going: () => leads, isDue: () => true })).toBe(0);
  // Only the checks that had begun finish; none begins afterwards.
  expect(done).toEqual(items.slice(0, checksAtOnce).map(({ id }) => id));
});
