import { createFailedTasks, watchFailedTasks } from '../../../src/worker/failed-tasks.ts';
import { databaseOf } from '../../support/partial.ts';

const paymentId = '01931c5e-0000-7000-8000-000000000002';
const refundId = '01931c5e-0000-7000-8000-000000000001';

it.each([
  [
    'is of a refund that is over: it is ended, because no sweep looks at it',
    `refund-${refundId}`,
    0,
    [`ended refund-${refundId}`],
  ],
  ['is of a refund that is pending: it is left to the check of its row', `refund-${refundId}`, 1, []],
  [
    'is of a payment that is over: another run completes its workflow',
    `payment-${paymentId}`,
    0,
    [`replaced ${paymentId}`],
  ],
  ['is of an open payment: it is left to the check of its row', `payment-${paymentId}`, 1, []],
])('a run whose task fails and that %s', async (_case, failed, rowCount, expected) => {
  const tasks = createFailedTasks();
  const done: string[] = [];
  let searched: () => void = () => undefined;
  const isSearched = new Promise<void>((resolve) => (searched = resolve));
  tasks.note({ runId: 'run', code: 'TMPRL1100' });
  const watch = watchFailedTasks({
    tasks,
    runs: {
      workflowIds: async () => new Map([['run', failed]]),
      endStuck: async (workflowId) => {
        done.push(`ended ${workflowId}`);
        return 'ended';
      },
      replaceStuck: async ({ id }) => {
        done.push(`replaced ${id}`);
        return 'ended';
      },
    },
    database: databaseOf(async (text) => {
      // The last statement of a turn.
      if (/DELETE|cleared_at = /.test(text)) searched();
      if (/FROM payments WHERE id = \$1$/.test(text)) return { rows: [{ id: paymentId }], rowCount: 1 };
      return { rows: [], rowCount: /UPDATE refunds|INTO payment_checks/.test(text) ? rowCount : 0 };
    }),
    process: 'worker test:1',
    logger: { warn: () => searched() },
  });
  await isSearched;
  await watch.stop();
  expect(done).toEqual(expected);
});
