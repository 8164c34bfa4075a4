import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { SandboxActivities } from '../activities/sandbox.ts';
import type { SandboxResult } from '../domain/sandbox.ts';
import type { SandboxWorkflowInput } from '../temporal/contract/sandbox.ts';
import { providerRetryOptions } from './provider-activities.ts';

/**
 * One order of a sandbox endpoint; its id is the operation's, so that a repeat finds the result instead of
 * acting twice.
 */
export async function sandboxWorkflow(input: SandboxWorkflowInput): Promise<SandboxResult> {
  const { runSandboxOrder } = proxyActivities<SandboxActivities>({
    ...providerRetryOptions(workflowInfo().taskQueue),
    scheduleToCloseTimeout: '15 seconds',
    retry: {
      initialInterval: '500 milliseconds',
      maximumInterval: '2 seconds',
      // Orders are statements about an outcome and may be repeated; a fault is one more turn each time.
      ...(input.order.type === 'fault' ? { maximumAttempts: 1 } : {}),
    },
  });
  return runSandboxOrder(input);
}
