import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Database } from '../db/database.ts';
import {
  type SweptPayment,
  clearLeftovers,
  findNotStarted,
  findOpen,
  isFinalized,
} from '../db/sweep-payments.ts';
import { markWorkflowsStarted } from '../db/payments.ts';
import type { SweepCursor } from '../domain/sweep.ts';
import { withinDeadline } from '../temporal/clients/deadline.ts';
import { paymentWorkflowStart } from '../temporal/contract/start-payment.ts';
import { paymentWorkflowId, workflowTypes } from '../temporal/contract/ids.ts';
import { type PaymentWorkflow, resumePaymentSignal } from '../temporal/contract/payment.ts';

/** Heals what a crash between two systems left: each pass is bounded, and any two sweeps may run at once. */
export interface PaymentSweepActivities {
  /** Starts the workflows of payments whose creation committed while Temporal did not answer. */
  startMissing(): Promise<{ started: number }>;
  /**
   * Looks at a stretch of the open payments; starts a run for each whose run is gone. Returns where to go on.
   */
  recoverLost(input: { after: SweepCursor | null }): Promise<{ recovered: number; next: SweepCursor | null }>;
  /** Deletes rows that have no use any more. */
  clearLeftovers(): Promise<Record<string, number>>;
}

/** A creation that is still at work starts its own workflow: this long it is left alone. */
const startedByItselfMs = 4_000;
const batch = 200;
/** Calls to Temporal at a time, and the longest wait for each. */
const atOnce = 10;
const waitMs = 2_000;

export interface PaymentSweepDeps {
  database: Database;
  client: Client;
  queuePrefix: string;
  /** Told of each payment that needed healing. */
  onHealed: (paymentId: string, hole: 'not started' | 'run is gone' | 'run was reset') => void;
}

export function createPaymentSweepActivities(deps: PaymentSweepDeps): PaymentSweepActivities {
  const { database, client, queuePrefix } = deps;
  const within = withinDeadline({ client, now: Date.now });

  const start = async (payment: SweptPayment, resume: boolean): Promise<void> => {
    try {
      await within(waitMs, () =>
        client.workflow.start<PaymentWorkflow>(
          workflowTypes.payment,
          paymentWorkflowStart(payment, queuePrefix, Date.now(), resume),
        ),
      );
    } catch (error) {
      // It ran and closed already: then the walk over the open payments sees whether something is left to do.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };

  /** `gone`: no run is open. `reset`: one is, but another run wrote the rows. */
  const look = async ({ id, runId }: SweptPayment): Promise<'well' | 'gone' | 'reset'> => {
    try {
      const handle = client.workflow.getHandle(paymentWorkflowId(id));
      const run = await within(waitMs, () => handle.describe());
      if (run.status.name !== 'RUNNING') return 'gone';
      return runId !== null && run.runId !== runId ? 'reset' : 'well';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'gone';
      throw error;
    }
  };

  const recover = async (payment: SweptPayment): Promise<boolean> => {
    const state = await look(payment);
    if (state === 'well') return false;
    if (state === 'gone') {
      // It may have ended since the rows were read.
      if (await isFinalized(database, payment.id)) return false;
      await start(payment, true);
    } else {
      const handle = client.workflow.getHandle(paymentWorkflowId(payment.id));
      await within(waitMs, () => handle.signal(resumePaymentSignal));
    }
    deps.onHealed(payment.id, state === 'gone' ? 'run is gone' : 'run was reset');
    return true;
  };

  return {
    startMissing: async () => {
      const missing = await findNotStarted(database, startedByItselfMs, batch);
      await eachOf(missing, async (payment) => {
        await start(payment, false);
        await markWorkflowsStarted(database, [payment.id]);
        deps.onHealed(payment.id, 'not started');
      });
      return { started: missing.length };
    },

    recoverLost: async ({ after }) => {
      const open = await findOpen(database, after, batch);
      let recovered = 0;
      await eachOf(open, async (payment) => {
        if (await recover(payment)) recovered += 1;
      });
      const last = open.length === batch ? open.at(-1) : undefined;
      return {
        recovered,
        next: last ? { createdAt: last.createdAt.toISOString(), id: last.id } : null,
      };
    },

    clearLeftovers: () => clearLeftovers(database, batch),
  };
}

/** Works through a list, a few at a time; the first fault ends it, and the next sweep goes on. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += atOnce) {
    await Promise.all(items.slice(from, from + atOnce).map(work));
  }
}
