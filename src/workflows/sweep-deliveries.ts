import { proxyActivities } from '@temporalio/workflow';
import type { DeliverySweepActivities } from '../activities/sweep-deliveries.ts';

/** Pages of one run; what is left waits for the next, which comes soon. */
const maxPages = 20;

/**
 * Starts deliveries nobody works on: the net under every lost start, worker and workflow. Run by a schedule.
 */
export async function sweepDeliveriesWorkflow(): Promise<void> {
  const { sweepDeliveries } = proxyActivities<DeliverySweepActivities>({
    startToCloseTimeout: '20 seconds',
    heartbeatTimeout: '5 seconds',
    retry: { maximumAttempts: 2 },
  });
  for (let page = 0; page < maxPages; page += 1) {
    if (!(await sweepDeliveries()).more) return;
  }
}
