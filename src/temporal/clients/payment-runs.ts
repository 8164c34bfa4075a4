import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { CheckoutStatus } from '../../domain/statuses.ts';
import { paymentWorkflowId, workflowTypes } from '../contract/ids.ts';
import {
  type PaymentWorkflow,
  resumePaymentSignal,
  resumePaymentUpdate,
  statusQuery,
} from '../contract/payment.ts';
import { type StartablePayment, paymentWorkflowStart } from '../contract/start-payment.ts';
import { type WorkflowClientDeps, withinDeadline } from './deadline.ts';

/** Longest wait for each call, in ms. */
const waitMs = 2_000;

/** A payment's open run. */
export interface OpenRun {
  runId: string;
  /** It may not have begun: until its first deadline only an update is heard at once. */
  mayBeDelayed: boolean;
}

/** The runs of the payments' workflows as the sweep sees them. Faults are thrown. */
export interface PaymentRuns {
  /** `ran before`: an earlier run has ended, so that a fresh one may not begin; with `resume` one begins. */
  start(payment: StartablePayment, resume: boolean): Promise<'started' | 'ran before'>;
  /** The open run, or null. */
  find(paymentId: string): Promise<OpenRun | null>;
  /** The checkout's status as the run holds it. */
  checkoutStatus(paymentId: string): Promise<CheckoutStatus>;
  /** Has the run read the rows and go on from them. */
  resume(paymentId: string, run: OpenRun): Promise<void>;
}

/** Returns a client of the payments' runs, with a deadline on every call. */
export function createPaymentRuns(deps: WorkflowClientDeps): PaymentRuns {
  const { client, queuePrefix, now } = deps;
  const within = withinDeadline(deps);
  const handle = (paymentId: string) =>
    client.workflow.getHandle<PaymentWorkflow>(paymentWorkflowId(paymentId));

  return {
    async start(payment, resume) {
      try {
        await within(waitMs, () =>
          client.workflow.start<PaymentWorkflow>(
            workflowTypes.payment,
            paymentWorkflowStart(payment, queuePrefix, now(), resume),
          ),
        );
        return 'started';
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return 'ran before';
        throw error;
      }
    },

    async find(paymentId) {
      try {
        const run = await within(waitMs, () => handle(paymentId).describe());
        if (run.status.name !== 'RUNNING') return null;
        return { runId: run.runId, mayBeDelayed: (run.executionTime?.getTime() ?? 0) > now() };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      }
    },

    checkoutStatus: async (paymentId) =>
      (await within(waitMs, () => handle(paymentId).query(statusQuery))).status,

    async resume(paymentId, { runId, mayBeDelayed }) {
      await within(waitMs, async () => {
        // A signal is kept until the run's next task, whatever the workers are doing. A run that has not begun
        // hears it at its first deadline only.
        if (!mayBeDelayed) await handle(paymentId).signal(resumePaymentSignal);
        else await handle(paymentId).executeUpdate(resumePaymentUpdate, { updateId: `resume-${runId}` });
      });
    },
  };
}
