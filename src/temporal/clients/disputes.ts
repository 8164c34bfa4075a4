import { WithStartWorkflowOperation } from '@temporalio/client';
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { DisputeRecord } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import {
  type DisputeAnswer,
  type DisputeWorkflow,
  answerDisputeUpdate,
  disputeChangedSignal,
} from '../contract/dispute.ts';
import { disputeWorkflowId, taskQueue, workflowTypes } from '../contract/ids.ts';
import {
  type WorkflowClientDeps,
  orUnavailable,
  refusalCodeOf,
  retryUntilAdmitted,
  withinDeadline,
} from './calls.ts';
import { createRuns, isUnanswered, mayBeStuck } from './stuck-run.ts';
import { type StartableDispute, disputeStart } from '../contract/start-refund-or-dispute.ts';

/** Longest wait for each kind of call, in ms. */
const waits = { signal: 2_000, update: 20_000 } as const;

/** The dispute workflows as the API sees them. Faults come as `Refusal` service_unavailable. */
export interface DisputeWorkflows {
  /** Signals that the dispute may have changed, starting its workflow if there is no run, or a stuck one. */
  notify(dispute: StartableDispute): Promise<void>;
  /**
   * Does the same, but does not signal a run that may turn out to be stuck (`busy`): each signal restarts its
   * task, so that the run would never be found to be stuck.
   */
  recover(dispute: StartableDispute): Promise<'signaled' | 'busy'>;
  /** Sends the merchant's final answer to the workflow. Throws the network's refusal. */
  answer(dispute: DisputeRecord, operationId: string, answer: DisputeAnswer): Promise<void>;
}

/** Returns a client of the dispute workflows, with a deadline on every call. */
export function createDisputeWorkflows(deps: WorkflowClientDeps): DisputeWorkflows {
  const { client, now } = deps;
  const within = withinDeadline(deps);
  const runs = createRuns(client, within);

  const options = (dispute: StartableDispute) => ({
    ...disputeStart(dispute),
    taskQueue: taskQueue(deps.queuePrefix, 'payments'),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  });

  const signal = async (dispute: StartableDispute): Promise<void> => {
    await within(waits.signal, () =>
      client.workflow.signalWithStart<DisputeWorkflow>(workflowTypes.dispute, {
        ...options(dispute),
        signal: disputeChangedSignal,
      }),
    );
  };

  return {
    notify: (dispute) =>
      orUnavailable(async () => {
        await runs.endStuck(disputeWorkflowId(dispute.id));
        await signal(dispute);
      }),

    recover: (dispute) =>
      orUnavailable(async () => {
        if ((await runs.endStuck(disputeWorkflowId(dispute.id))) === 'busy') return 'busy';
        await signal(dispute);
        return 'signaled';
      }),

    answer: (dispute, operationId, answer) =>
      orUnavailable(async () => {
        // A dispute that only waits has no run; the update starts one.
        const send = (): Promise<void> =>
          client.workflow.executeUpdateWithStart(answerDisputeUpdate, {
            args: [{ answer }],
            updateId: operationId,
            startWorkflowOperation: new WithStartWorkflowOperation<DisputeWorkflow>(workflowTypes.dispute, {
              ...options({ ...dispute, reference: dispute.providerReference }),
              workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
            }),
          });
        const sendInTime = () => within(waits.update, () => retryUntilAdmitted(send, now));
        try {
          await sendInTime().catch(async (error: unknown) => {
            if (!mayBeStuck(error)) throw error;
            const run = await runs.endStuck(disputeWorkflowId(dispute.id));
            // A caller whose answer waited for its whole time gets 503; its next call starts another run.
            if (run !== 'ended' || isUnanswered(error)) throw error;
            await sendInTime();
          });
        } catch (error) {
          const code = refusalCodeOf(error);
          throw code ? new Refusal(code, { cause: error }) : error;
        }
      }),
  };
}
