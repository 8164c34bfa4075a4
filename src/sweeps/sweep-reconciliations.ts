import { runsAreDue, scheduleNightlyRuns, takeRunsToStart } from '../db/reconciliation/runs.ts';
import type { Database } from '../db/server/database.ts';
import { lastInstantOf } from '../domain/reconciliation.ts';
import type { Connectors } from '../providers/connectors.ts';
import type { ReconciliationWorkflows } from '../temporal/clients/reconciliation.ts';
import { runAllSteps } from './run-all-steps.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/** Nightly runs that are stored at a time, and runs in progress at a time. */
const scheduledAtOnce = 100;
const maxUnderWay = 10;

/**
 * Returns the sweep that stores the nightly reconciliations at `at` (`03:00`, UTC) and starts the workflows
 * of runs that have none, including those that an operator requested.
 */
export function createReconciliationSweep(deps: {
  database: Database;
  connectors: Pick<Connectors, 'simulated'>;
  workflows: ReconciliationWorkflows;
  at: string;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, connectors, workflows } = deps;
  /** The night whose runs are all stored. */
  let storedFor = 0;
  return {
    name: 'reconciliations',
    role: 'payments',
    everyMs: deps.everyMs,
    conditions: [runsAreDue],
    run: async (going, isDue = everythingIsDue) => {
      let hasStored = false;
      const dueAt = lastInstantOf(deps.at, new Date(deps.now()));
      while (going() && storedFor !== dueAt.getTime()) {
        const stored = await scheduleNightlyRuns(database, dueAt, connectors.simulated, scheduledAtOnce);
        hasStored ||= stored > 0;
        if (stored < scheduledAtOnce) storedFor = dueAt.getTime();
      }
      if (!going() || !(hasStored || isDue(runsAreDue))) return;
      const runIds = await takeRunsToStart(database, maxUnderWay);
      await runAllSteps(runIds.map((runId) => () => workflows.start(runId)));
    },
  };
}
