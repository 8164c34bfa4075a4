import type { Duration } from '@temporalio/common';
import { CancellationScope, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import { needsAttentionKey } from '../temporal/contract/search-attribute-keys.ts';

/** How long provider work may run before an operator is alerted. The work continues. */
const alertAfter = '15 minutes';

/** Marks the running workflow for operators, or removes the mark. */
const markWorkflow = (needsAttention: boolean): void =>
  upsertSearchAttributes([{ key: needsAttentionKey, value: needsAttention }]);

/**
 * Runs work and returns its result. When the work takes longer than `after`, `mark` is called with true, and
 * with false once the work has ended.
 */
export async function withOperatorAlert<T>(
  work: () => Promise<T>,
  mark: (needsAttention: boolean) => void = markWorkflow,
  after: Duration = alertAfter,
): Promise<T> {
  const timer = new CancellationScope();
  let raised = false;
  void timer
    .run(async () => {
      await sleep(after, { summary: 'alert an operator' });
      raised = true;
      mark(true);
    })
    // The timer was canceled: the work was done in time.
    .catch(() => undefined);
  try {
    return await work();
  } finally {
    timer.cancel();
    if (raised) mark(false);
  }
}
