import { createFailedTasks, watchFailedTasks } from '../../../src/worker/failed-tasks.ts';
import { databaseOf } from '../../support/partial.ts';

const refundId = '01931c5e-0000-7000-8000-000000000001';

it.each([
  ['is over in the rows: it is ended, because no sweep looks at it', 0, ['refund-' + refundId]],
  ['is pending in the rows: it is left to the check of its row', 1, []],
])('a run whose task fails and that %s', async (_case, rowCount, expected) => {
  const tasks = createFailedTasks();
  const ended: string[] = [];
  let searched: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (searched = resolve));
  tasks.note({ runId: 'run', code: 'TMPRL1100' });
  const watch = watchFailedTasks({
    tasks,
    runs: {
      workflowIds: async () => new Map([['run', `refund-${refundId}`]]),
      endStuck: async (workflowId) => {
        ended.push(workflowId);
        return 'ended';
      },
    },
    database: databaseOf(async (text) => {
      // The last statement of a turn.
      if (/DELETE|cleared_at = /.test(text)) searched();
      return { rows: [], rowCount: /UPDATE refunds/.test(text) ? rowCount : 0 };
    }),
    process: 'worker test:1',
    logger: { warn: () => searched() },
  });
  await done;
  await watch.stop();
  expect(ended).toEqual(expected);
});
