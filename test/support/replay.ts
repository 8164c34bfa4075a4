import { readFile } from 'node:fs/promises';
import type { LoadedDataConverter } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';

/**
 * The SDK throws this only after the end of the history: the replay succeeded, and then the workflow starts
 * an activity that the replaying worker does not have.
 */
const beginsNewActivity = /Local activity of type '\w+' not registered on worker/;

/**
 * Returns the error of a worker that replays the workflow's current history without a cache; null when it can
 * continue.
 */
export async function replayProblem(
  handle: Pick<WorkflowHandle, 'workflowId' | 'fetchHistory'>,
  dataConverter: LoadedDataConverter,
): Promise<string | null> {
  const workflowBundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  const { workflowId } = handle;
  const history = await handle.fetchHistory();
  const replays = Worker.runReplayHistories({ workflowBundle, dataConverter }, [{ history, workflowId }]);
  for await (const { error } of replays) {
    if (error && !beginsNewActivity.test(error.message)) return `${workflowId}: ${error.message}`;
  }
  return null;
}
