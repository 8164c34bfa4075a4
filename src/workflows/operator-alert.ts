import { CancellationScope, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';

const needsAttention = defineSearchAttributeKey('NeedsAttention', 'BOOL');

/** How long provider work may go on without an answer before an operator is told, while it goes on. */
const attentionAfter = '15 minutes';

/** Runs provider work and marks the workflow for operators while it takes long. */
export async function withAttention<T>(work: () => Promise<T>): Promise<T> {
  const timer = new CancellationScope();
  let told = false;
  void timer
    .run(async () => {
      await sleep(attentionAfter, { summary: 'tell an operator' });
      told = true;
      upsertSearchAttributes([{ key: needsAttention, value: true }]);
    })
    // Cancelled: the work was done in time.
    .catch(() => undefined);
  try {
    return await work();
  } finally {
    timer.cancel();
    if (told) upsertSearchAttributes([{ key: needsAttention, value: false }]);
  }
}
