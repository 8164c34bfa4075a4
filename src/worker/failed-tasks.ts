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
/** Turns between two checks that clear the alerts of processes without new failures. */
const clearEveryTurns = 12;
/** The most runs of one turn, the most runs that are kept, and how often one is searched. */
const runsAtOnce = 100;
const maxRuns = 10_000;
const searches = 5;
/** Turns for which a run that may turn out to be stuck is checked again. */
const busyTurns = 24;

/** The workflow tasks that failed in this process. */
export interface FailedTasks {
  /** Returns how many `note` counted since the process began. */
  count(): number;
  /** Counts a task whose first try failed. */
  note(task: FailedTask): void;
  /** Keeps the run of a task of which any try failed, for `take`. */
  keep(task: FailedTask): void;
  /** Takes the tasks that failed since the last call, at most `limit`. */
  take(limit: number): FailedTask[];
}

/** Returns an empty record of failed workflow tasks. */
export function createFailedTasks(): FailedTasks {
  let count = 0;
  const noted = new Map<string, FailedTask>();
  const keep = (task: FailedTask): void => {
    if (noted.size < maxRuns) noted.set(task.runId, task);
  };
  return {
    count: () => count,
    note(task) {
      count += 1;
      keep(task);
    },
    keep,
    take(limit) {
      const taken = [...noted.values()].slice(0, limit);
      for (const { runId } of taken) noted.delete(runId);
      return taken;
    },
  };
}

/**
 * Schedules a check of each row whose run had a failed workflow task, ends or replaces stuck runs whose row
 * is over, and raises an operator alert, which is cleared when no task failed for five minutes. This only
 * makes the checks begin sooner: the sweeps find by themselves what is lost here. ADR 0036.
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
  /** Runs that are still searched, because Temporal lists a run with a delay. */
  let missing = new Map<string, number>();

  /** Ends a stuck run whose row is over. A payment's run is replaced, so that its workflow completes. */
  const endStuck = async (workflowId: string): Promise<string> => {
    const subject = subjectOf(workflowId);
    const payment = subject?.kind === 'payment' ? await loadPayment(database, subject.id) : null;
    return payment ? runs.replaceStuck(payment) : runs.endStuck(workflowId);
  };

  const runTurn = async (): Promise<void> => {
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
        // No sweep checks a row that is over.
        const isExpected = await scheduleCheckSoon(database, subjectOf(workflowId));
        const state = isExpected ? 'left' : await endStuck(workflowId);
        // The SDK reports only the first failures of a task, and a run counts as stuck from the third try on.
        if (state === 'busy' && times < busyTurns) missing.set(runId, times + 1);
      } else if (times < searches) missing.set(runId, times + 1);
    }
  };

  const loop = async (): Promise<void> => {
    for (let turns = 0; !stopping.signal.aborted; turns += 1) {
      try {
        await runTurn();
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

/** Schedules the check of a run's row. Returns false when the row is over and no check follows. */
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
      // The call that waits for a sandbox order replaces its stuck run, and the sweep that of a
      // reconciliation.
      return true;
  }
}
