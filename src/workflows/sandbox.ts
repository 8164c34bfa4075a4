import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { SandboxActivities } from '../activities/sandbox.ts';
import type { SandboxResult } from '../domain/sandbox.ts';
import type { SandboxWorkflowInput } from '../temporal/contract/sandbox.ts';
import { providerRetryOptions } from './provider-activities.ts';

/**
 * Runs one order of a sandbox endpoint and returns its result. The workflow has the operation's id, so that a
 * repeated order returns the first result and does not act twice.
 */
export async function sandboxWorkflow(input: SandboxWorkflowInput): Promise<SandboxResult> {
  const { runSandboxOrder } = proxyActivities<SandboxActivities>({
    ...providerRetryOptions(workflowInfo().taskQueue),
    scheduleToCloseTimeout: '15 seconds',
    retry: {
      initialInterval: '500 milliseconds',
      maximumInterval: '2 seconds',
      // An order that sets an outcome may be repeated. An order of a fault adds another fault each time.
      ...(input.order.type === 'fault' ? { maximumAttempts: 1 } : {}),
    },
  });
  return runSandboxOrder(input);
}
