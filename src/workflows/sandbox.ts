import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { SandboxActivities } from '../activities/sandbox.ts';
import type { SandboxOrder, SandboxResult } from '../domain/sandbox.ts';
import { followUpOptions } from './follow-up-options.ts';

/** One order of a sandbox endpoint; its id is the operation's, so that a repeat finds the result instead of acting twice. */
export async function sandboxWorkflow(input: {
  operationId: string;
  order: SandboxOrder;
}): Promise<SandboxResult> {
  const { runSandboxOrder } = proxyActivities<SandboxActivities>({
    ...followUpOptions(workflowInfo().taskQueue),
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
