import { readFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { eventually } from './shop.ts';

/** Returns workflows with a timer that this version lacks, so that their histories do not replay here. */
export async function incompatibleWorkflows(): Promise<{ code: string }> {
  const code = await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const begins = ['refund', 'deliverWebhook', 'dispute', 'sandbox'].map(
    (name) => new RegExp(`(async function ${name}Workflow\\(\\w+\\) \\{)()`),
  );
  // The timer follows the handlers, because an update may come with the first task.
  const other = [...begins, /()(void deadlines\.watch\(\);)/].reduce((text, known) => {
    if (!known.test(text)) throw new Error(`the workflows have no ${String(known)}`);
    return text.replace(known, '$1 await (0,_temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__.sleep)(1); $2');
  }, code);
  return { code: other };
}

/** Waits until a workflow is open and has passed the timer that this version does not have. */
export const untilOpen = (temporal: Client, workflowId: string): Promise<true> =>
  eventually(async () => {
    const { status, historyLength } = await temporal.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING' && historyLength > 8 ? true : undefined;
  });
