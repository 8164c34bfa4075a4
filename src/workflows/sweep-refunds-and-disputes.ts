import { ParentClosePolicy, proxyActivities, startChild, workflowInfo } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/common';
import type { RefundAndDisputeSweepActivities } from '../activities/sweep-refunds-and-disputes.ts';
import { disputeStart, refundStart } from '../temporal/contract/start-refund-or-dispute.ts';
import { workflowTypes } from '../temporal/contract/ids.ts';
import { providerRetryOptions } from './provider-activities.ts';

const child = {
  parentClosePolicy: ParentClosePolicy.ABANDON,
  workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
} as const;

/**
 * Starts the workflow of every refund and dispute that has none. Run by a schedule; several at once do no
 * harm.
 */
export async function sweepRefundsAndDisputesWorkflow(): Promise<{ started: number }> {
  const { findUnattended } = proxyActivities<RefundAndDisputeSweepActivities>({
    ...providerRetryOptions(workflowInfo().taskQueue),
    scheduleToCloseTimeout: '50 seconds',
    retry: { maximumAttempts: 2 },
  });
  const { refunds, disputes } = await findUnattended();
  let started = 0;
  const start = async (begin: () => Promise<unknown>): Promise<void> => {
    try {
      await begin();
      started += 1;
    } catch (error) {
      // It runs: nothing is missing.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
  for (const refund of refunds) {
    const options = { ...refundStart(refund, []), ...child };
    await start(() => startChild(workflowTypes.refund, options));
  }
  for (const dispute of disputes) {
    await start(() => startChild(workflowTypes.dispute, { ...disputeStart(dispute), ...child }));
  }
  return { started };
}
