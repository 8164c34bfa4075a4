import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Database } from '../db/database.ts';
import {
  type SweepCursor,
  type SweptPayment,
  clearLeftovers,
  findNotStarted,
  findOpen,
  isSettled,
  markStarted,
} from '../db/sweep-payments.ts';
import { paymentWorkflowId } from '../temporal/contract/ids.ts';
import { resumeFromRowsSignalName } from '../workflows/sweep-names.ts';
import { paymentWorkflowStart } from '../temporal/clients/start-payment.ts';
import type { paymentWorkflow } from '../workflows/payment/payment.ts';
import { withHeartbeat } from './heartbeat.ts';

/** Heals what a crash between two systems left: each pass is bounded, and any two sweeps may run at once. */
export interface SweepActivities {
  /** Starts the workflows of payments whose creation committed while Temporal did not answer. */
  startMissing(): Promise<{ started: number }>;
  /** Looks at a stretch of the open payments; starts a run for each whose run is gone. Answers where to go on. */
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

export interface SweepDeps {
  database: Database;
  client: Client;
  queuePrefix: string;
  /** Told of each payment that needed healing. */
  onHealed: (paymentId: string, hole: 'not started' | 'run is gone' | 'run was reset') => void;
}

export function createSweepActivities(deps: SweepDeps): SweepActivities {
  const { database, client, queuePrefix } = deps;
  const within = <T>(call: () => Promise<T>): Promise<T> =>
    client.connection.withDeadline(Date.now() + waitMs, call);

  const start = async (payment: SweptPayment, resume: boolean): Promise<void> => {
    try {
      await within(() =>
        client.workflow.start<typeof paymentWorkflow>(
          'paymentWorkflow',
          paymentWorkflowStart(payment, queuePrefix, resume),
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
      const run = await within(() => handle.describe());
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
      // It may have settled and completed since the rows were read.
      if (await isSettled(database, payment.id)) return false;
      await start(payment, true);
    } else {
      const handle = client.workflow.getHandle(paymentWorkflowId(payment.id));
      await within(() => handle.signal(resumeFromRowsSignalName));
    }
    deps.onHealed(payment.id, state === 'gone' ? 'run is gone' : 'run was reset');
    return true;
  };

  return {
    startMissing: () =>
      withHeartbeat(async () => {
        const missing = await findNotStarted(database, startedByItselfMs, batch);
        await eachOf(missing, async (payment) => {
          await start(payment, false);
          await markStarted(database, payment.id);
          deps.onHealed(payment.id, 'not started');
        });
        return { started: missing.length };
      }),

    recoverLost: ({ after }) =>
      withHeartbeat(async () => {
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
      }),

    clearLeftovers: () => withHeartbeat(() => clearLeftovers(database, batch)),
  };
}

/** Works through a list, a few at a time; the first fault ends it, and the next sweep goes on. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += atOnce) {
    await Promise.all(items.slice(from, from + atOnce).map(work));
  }
}
