import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { scheduleDisputeCheckSoon } from '../db/disputes/dispute-checks.ts';
import { schedulePaymentCheckSoon } from '../db/payments/payment-checks.ts';
import { loadPayment } from '../db/payments/payments.ts';
import { scheduleRefundCheckSoon } from '../db/refunds/refund-checks.ts';
import type { Database } from '../db/server/database.ts';
import { clearUnconfirmedAlerts, confirmAlert } from '../db/server/operator-alerts.ts';
import { scheduleDeliveryCheckSoon } from '../db/webhooks/deliveries.ts';
import { type WorkflowSubject, subjectOf } from '../temporal/contract/ids.ts';
import type { RunIndex } from '../temporal/clients/run-index.ts';
import type { FailedTask } from './temporal-logger.ts';

/** The alert of a process whose workflow tasks fail. */
const alert = 'workflow tasks';
/** Pause between two turns, in ms; a turn without a failed task makes no call. */
const everyMs = 5_000;
/** Turns after which the alerts of processes that see no more failures are cleared. */
const clearEveryTurns = 12;
/** Runs of one turn, those that are kept at most, and how often one is searched. */
const runsAtOnce = 100;
const maxRuns = 10_000;
const searches = 5;
/** Turns for which a run that may turn out to be stuck is asked for again. */
const busyTurns = 24;

/** The workflow tasks that failed in this process. */
export interface FailedTasks {
  /** Since the process began. */
  count(): number;
  note(task: FailedTask): void;
  /** Takes the tasks that failed since the last time, at most so many. */
  take(limit: number): FailedTask[];
}

/** Returns an empty record of failed workflow tasks. */
export function createFailedTasks(): FailedTasks {
  let count = 0;
  const noted = new Map<string, FailedTask>();
  return {
    count: () => count,
    note(task) {
      count += 1;
      if (noted.size < maxRuns) noted.set(task.runId, task);
    },
    take(limit) {
      const taken = [...noted.values()].slice(0, limit);
      for (const { runId } of taken) noted.delete(runId);
      return taken;
    },
  };
}

/**
 * Schedules a check of each row whose run had a failed workflow task, ends or replaces stuck runs whose row
 * is over, and raises an operator alert, which is cleared when none failed for five minutes. The checks only
 * begin sooner: what it loses the sweeps find by their own times. ADR 0036.
 */
export function watchFailedTasks(deps: {
  tasks: Pick<FailedTasks, 'take'>;
  runs: RunIndex;
  database: Database;
  /** The process, as operators see it. */
  process: string;
  logger: Pick<Logger, 'warn'>;
}): { stop: () => Promise<void> } {
  const { tasks, runs, database, logger } = deps;
  const stopping = new AbortController();
  /** Searched runs that Temporal does not list yet: it lists them with a delay. */
  let missing = new Map<string, number>();

  /** The workflow of a payment completes; of anything else that is over the run is only ended. */
  const endStuck = async (workflowId: string): Promise<string> => {
    const subject = subjectOf(workflowId);
    const payment = subject?.kind === 'payment' ? await loadPayment(database, subject.id) : null;
    return payment ? runs.replaceStuck(payment) : runs.endStuck(workflowId);
  };

  const turn = async (): Promise<void> => {
    const failed = tasks.take(runsAtOnce);
    const [last] = failed.slice(-1);
    if (last) await confirmAlert(database, { sweep: alert, subject: deps.process, detail: last.code });
    for (const { runId } of failed) missing.set(runId, 0);
    if (missing.size === 0) return;
    const searched = [...missing].slice(0, runsAtOnce);
    const found = await runs.workflowIds(searched.map(([runId]) => runId));
    for (const [runId, times] of searched) {
      missing.delete(runId);
      const workflowId = found.get(runId);
      if (workflowId !== undefined) {
        // No sweep looks at what is over in the rows.
        const isExpected = await scheduleCheckSoon(database, subjectOf(workflowId));
        const state = isExpected ? 'left' : await endStuck(workflowId);
        // Temporal's SDK reports the first failures of a task only, and a run is stuck from the third try on.
        if (state === 'busy' && times < busyTurns) missing.set(runId, times + 1);
      } else if (times < searches) missing.set(runId, times + 1);
    }
  };

  const loop = async (): Promise<void> => {
    for (let turns = 0; !stopping.signal.aborted; turns += 1) {
      try {
        await turn();
        if (turns % clearEveryTurns === 0) await clearUnconfirmedAlerts(database, alert);
      } catch (error) {
        logger.warn({ err: error }, 'failed workflow tasks were not noted; the sweeps find their runs later');
      }
      await wait(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  const running = loop();
  return {
    stop: async () => {
      stopping.abort();
      missing = new Map();
      await running;
    },
  };
}

/** Schedules the check of a run's row. Returns false where the row is over, so that no check follows. */
async function scheduleCheckSoon(database: Database, subject: WorkflowSubject | null): Promise<boolean> {
  switch (subject?.kind) {
    case 'payment':
      return schedulePaymentCheckSoon(database, subject.id);
    case 'refund':
      return scheduleRefundCheckSoon(database, subject.id);
    case 'dispute':
      return scheduleDisputeCheckSoon(database, subject.id);
    case 'delivery':
      return scheduleDeliveryCheckSoon(database, subject);
    case undefined:
      // A sandbox order is replaced by the call that waits for it.
      return true;
  }
}
