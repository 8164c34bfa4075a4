import { readFileSync } from 'node:fs';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js';

/** Longest run of workflow code between two awaits, in ms of the real clock. */
const sandboxMs = 60_000;

/** The activities of all workers in this process. Workflows refuse to begin any other. */
export const registeredActivities = new Set<string>();

/**
 * Returns the SDK's own creator of workflows, of the kind used in production, with the bundle of a build.
 * `change` is applied to its code.
 */
export async function createWorkflowCreator(
  bundlePath: string,
  change: (code: string) => string = (code) => code,
): Promise<WorkflowCreator> {
  // Its hooks would capture a stack for every promise of this process. Without them no query returns a stack.
  globalHandlers.installed = true;
  const bundle = parseWorkflowCode(change(readFileSync(bundlePath, 'utf8')), bundlePath);
  return ReusableVMWorkflowCreator.create(bundle, sandboxMs, registeredActivities, undefined);
}

/** Forgets the workflows of a seed that was played, which the SDK keeps until a worker disposes of them. */
export const forgetWorkflows = (): void => ReusableVMWorkflowCreator.workflowByRunId.clear();
