import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { RefundRecord } from '../../domain/refund.ts';
import { refundWorkflowId, taskQueue, workflowTypes } from '../contract/ids.ts';
import { type RefundChanged, type RefundWorkflow, refundChangedSignal } from '../contract/refund.ts';
import { type WorkflowClientDeps, orUnavailable, withinDeadline } from './calls.ts';
import { createRuns } from './stuck-run.ts';
import { refundStart } from '../contract/start-refund-or-dispute.ts';

/** Longest wait for each kind of call, in ms. */
const waits = { start: 1_500, signal: 2_000 } as const;

/** The fields of a refund that starting its workflow needs. */
type StartedRefund = Pick<RefundRecord, 'id' | 'merchantId' | 'environment' | 'amountCents' | 'submitAfter'>;

/** The refund workflows as the API sees them. Faults come as `Refusal` service_unavailable. */
export interface RefundWorkflows {
  /** Starts the refund's workflow, or finds it started. `eventIds`: committed events to deliver. */
  start(refund: StartedRefund, eventIds: string[]): Promise<void>;
  /**
   * Starts the refund's workflow when it has no open run or a stuck one. `busy`, `resting`: it has a run that
   * can continue (`FoundRun`).
   */
  recover(refund: StartedRefund): Promise<'started' | 'busy' | 'resting'>;
  /** Signals that the refund may have changed, starting its workflow again if it has ended. */
  notify(refund: RefundRecord, changed: RefundChanged): Promise<void>;
}

/** Returns a client of the refund workflows, with a deadline on every call. */
export function createRefundWorkflows(deps: WorkflowClientDeps): RefundWorkflows {
  const within = withinDeadline(deps);
  const options = (refund: StartedRefund, eventIds: string[]) => ({
    ...refundStart({ ...refund, submitAfterMs: refund.submitAfter.getTime() }, eventIds),
    taskQueue: taskQueue(deps.queuePrefix, 'payments'),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  });
  const runs = createRuns(deps.client, within);
  const start = async (refund: StartedRefund, eventIds: string[]): Promise<void> => {
    await within(waits.start, () =>
      deps.client.workflow.start<RefundWorkflow>(workflowTypes.refund, {
        ...options(refund, eventIds),
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      }),
    );
  };
  return {
    start: (refund, eventIds) => orUnavailable(() => start(refund, eventIds)),
    recover: (refund) =>
      orUnavailable(async () => {
        const run = await runs.endStuck(refundWorkflowId(refund.id));
        if (run === 'busy' || run === 'resting') return run;
        await start(refund, []);
        return 'started';
      }),
    notify: (refund, changed) =>
      orUnavailable(async () => {
        await runs.endStuck(refundWorkflowId(refund.id));
        await within(waits.signal, () =>
          deps.client.workflow.signalWithStart<RefundWorkflow, [RefundChanged]>(workflowTypes.refund, {
            ...options(refund, []),
            signal: refundChangedSignal,
            signalArgs: [changed],
          }),
        );
      }),
  };
}
