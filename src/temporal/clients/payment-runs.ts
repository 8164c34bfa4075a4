import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { WorkflowIdConflictPolicy } from '@temporalio/common';
import { paymentIdOf, paymentWorkflowId, taskQueue, workflowTypes } from '../contract/ids.ts';
import { type PaymentWorkflow, providerEventSignal, resumePaymentSignal } from '../contract/payment.ts';
import { type StartablePayment, paymentWorkflowStart } from '../contract/start-payment.ts';
import { type WorkflowClientDeps, withinDeadline } from './calls.ts';
import { type OpenRun, createRuns } from './stuck-run.ts';

/** Longest wait for each call, in ms. */
const waitMs = 2_000;
const listPageSize = 500;

/** The runs of the payments' workflows as the sweep sees them. Faults are thrown. */
export interface PaymentRuns {
  /** Starts a run. `ran before`: a run is open or has ended, and without `resume` no new one may begin. */
  start(payment: StartablePayment, resume: boolean): Promise<'started' | 'ran before'>;
  /** Returns the open run, or null; `isStuck`: it cannot continue. */
  find(paymentId: string): Promise<OpenRun | null>;
  /** Terminates a run that cannot continue. */
  end(paymentId: string, runId: string): Promise<void>;
  /** Signals the run to read the rows and resume from them. */
  resume(paymentId: string): Promise<void>;
  /** Signals the run that the network has decided about the customer's step, so that it confirms. */
  confirm(paymentId: string): Promise<void>;
  /**
   * Returns the payments with an ended run, page by page: since `ended`, those that were terminated (also by
   * a reset), failed or timed out; since `completed`, those that completed. Temporal lists them with a delay,
   * and a payment may be listed twice.
   */
  listEnded(since: { ended: Date; completed: Date }): AsyncIterable<string[]>;
}

/** Returns a client of the payments' runs, with a deadline on every call. */
export function createPaymentRuns(deps: WorkflowClientDeps): PaymentRuns {
  const { client, queuePrefix, now } = deps;
  const within = withinDeadline(deps);
  const runs = createRuns(client, within);
  const handle = (paymentId: string) =>
    client.workflow.getHandle<PaymentWorkflow>(paymentWorkflowId(paymentId));

  return {
    async start(payment, resume) {
      try {
        await within(waitMs, () =>
          client.workflow.start<PaymentWorkflow>(workflowTypes.payment, {
            ...paymentWorkflowStart(payment, queuePrefix, now(), resume),
            // Without `resume` the start must fail for an open run: the rows may be behind it.
            ...(resume ? {} : { workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL }),
          }),
        );
        return 'started';
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return 'ran before';
        throw error;
      }
    },

    find: (paymentId) => runs.find(paymentWorkflowId(paymentId)),
    end: (paymentId, runId) => runs.end(paymentWorkflowId(paymentId), runId),

    // Temporal keeps a signal until the run's next task, whatever the state of the workers.
    resume: (paymentId) => within(waitMs, () => handle(paymentId).signal(resumePaymentSignal)),
    confirm: (paymentId) =>
      within(waitMs, () => handle(paymentId).signal(providerEventSignal, { mayConfirm: true })),

    async *listEnded({ ended, completed }) {
      const query = `WorkflowType = '${workflowTypes.payment}' AND TaskQueue = '${taskQueue(queuePrefix, 'payments')}'
        AND ((ExecutionStatus IN ('Terminated', 'Failed', 'TimedOut') AND CloseTime >= '${ended.toISOString()}')
          OR (ExecutionStatus = 'Completed' AND CloseTime >= '${completed.toISOString()}'))`;
      let nextPageToken: Uint8Array = new Uint8Array();
      do {
        const token = nextPageToken;
        const page = await within(waitMs, () =>
          client.workflowService.listWorkflowExecutions({
            namespace: client.options.namespace,
            pageSize: listPageSize,
            query,
            nextPageToken: token,
          }),
        );
        const ids = page.executions.map(({ execution }) => paymentIdOf(execution?.workflowId ?? ''));
        yield ids.filter((id) => id !== null);
        nextPageToken = page.nextPageToken;
      } while (nextPageToken.length > 0);
    },
  };
}
