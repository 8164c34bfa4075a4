import { type CheckQueue, type CheckedItem, processDue } from '../../../src/sweeps/process-due.ts';

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
    due: async () => items,
    check: async ({ id }) => {
      done.push(id);
      await Promise.resolve();
      leads = false;
      return null;
    },
    record: async () => void done.push('recorded'),
  };
  expect(await processDue(queue, { now: () => 0, alerts, going: () => leads })).toBe(0);
  // Those that were under way; none was begun after it.
  expect(done).toEqual(items.slice(0, 20).map(({ id }) => id));
});
