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
import { taskQueue, workflowTypes } from '../contract/ids.ts';
import {
  type WorkflowClientDeps,
  orUnavailable,
  refusalCodeOf,
  retryUntilAdmitted,
  withinDeadline,
} from './calls.ts';
import { type StartableDispute, disputeStart } from '../contract/start-refund-or-dispute.ts';

/** Longest wait for each kind of call, in ms. */
const waits = { signal: 2_000, update: 20_000 } as const;

/** The dispute workflows as the API sees them. Faults come as `Refusal` service_unavailable. */
export interface DisputeWorkflows {
  /** Signals that the dispute may have changed, starting its workflow if there is none. */
  notify(dispute: StartableDispute): Promise<void>;
  /** Passes the merchant's final answer on. Throws what the network refuses with. */
  answer(dispute: DisputeRecord, operationId: string, answer: DisputeAnswer): Promise<void>;
}

/** Returns a client of the dispute workflows, with a deadline on every call. */
export function createDisputeWorkflows(deps: WorkflowClientDeps): DisputeWorkflows {
  const { client, now } = deps;
  const within = withinDeadline(deps);

  const options = (dispute: StartableDispute) => ({
    ...disputeStart(dispute),
    taskQueue: taskQueue(deps.queuePrefix, 'payments'),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  });

  return {
    notify: (dispute) =>
      orUnavailable(async () => {
        await within(waits.signal, () =>
          client.workflow.signalWithStart<DisputeWorkflow>(workflowTypes.dispute, {
            ...options(dispute),
            signal: disputeChangedSignal,
          }),
        );
      }),

    answer: (dispute, operationId, answer) =>
      orUnavailable(() =>
        within(waits.update, async () => {
          // A dispute that only waits has no run: the update starts one.
          const send = (): Promise<void> =>
            client.workflow.executeUpdateWithStart(answerDisputeUpdate, {
              args: [{ answer }],
              updateId: operationId,
              startWorkflowOperation: new WithStartWorkflowOperation<DisputeWorkflow>(workflowTypes.dispute, {
                ...options({ ...dispute, reference: dispute.providerReference }),
                workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
              }),
            });
          try {
            await retryUntilAdmitted(send, now);
          } catch (error) {
            const code = refusalCodeOf(error);
            throw code ? new Refusal(code, { cause: error }) : error;
          }
        }),
      ),
  };
}
