import { readFileSync } from 'node:fs';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js';

/** Longest run of workflow code between two awaits, in ms of the real clock. */
const sandboxMs = 60_000;

/** The activities that any worker of this process has: workflows refuse to begin another one. */
export const registeredActivities = new Set<string>();

/**
 * Returns the SDK's own creator of workflows, the kind that production uses, on the bundle of the build.
 */
export async function createWorkflowCreator(bundlePath: string): Promise<WorkflowCreator> {
  // Its hooks take a stack for every promise of this process; without them no query returns a stack.
  globalHandlers.installed = true;
  const bundle = parseWorkflowCode(readFileSync(bundlePath, 'utf8'), bundlePath);
  return ReusableVMWorkflowCreator.create(bundle, sandboxMs, registeredActivities, undefined);
}
