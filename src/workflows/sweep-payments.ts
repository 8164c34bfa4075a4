import { log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { PaymentSweepActivities } from '../activities/sweep-payments.ts';
import type { SweepCursor } from '../domain/sweep.ts';

/**
 * One sweep, run every few seconds by a schedule. The passes do not wait for each other's success. The walk
 * over the open payments goes on where the last sweep stopped: the schedule hands its result on.
 */
export async function sweepPaymentsWorkflow(): Promise<{ next: SweepCursor | null }> {
  const passes = proxyActivities<PaymentSweepActivities>({
    startToCloseTimeout: '30 seconds',
    heartbeatTimeout: '5 seconds',
    // The next sweep is the retry.
    retry: { maximumAttempts: 1 },
  });
  const last = workflowInfo().lastResult as { next: SweepCursor | null } | undefined;
  const failed = (pass: string) => (): null => {
    log.warn('a pass of the sweep failed', { pass });
    return null;
  };
  const [, walk] = await Promise.all([
    passes.startMissing().catch(failed('startMissing')),
    passes.recoverLost({ after: last?.next ?? null }).catch(failed('recoverLost')),
    passes.clearLeftovers().catch(failed('clearLeftovers')),
  ]);
  return { next: walk?.next ?? null };
}
