import type { Logger } from 'pino';
import { sweepHealedTotal } from '../metrics/series.ts';
import type { Database } from '../db/server/database.ts';
import { clearUnconfirmedAlerts, confirmAlert } from '../db/server/operator-alerts.ts';
import {
  type Deployments,
  type DeploymentState,
  type PollingWorker,
  unpolledQueues,
} from '../temporal/clients/deployments.ts';
import type { Sweep } from './sweep.ts';

const name = 'abandoned builds';
/** A shorter interval would not help: a worker that is gone is noticed only after 75 s. */
const everyMs = 15_000;
/** Runs moved in one turn. */
const runsAtOnce = 100;

/**
 * Returns the sweep of builds whose workers are gone. The runs that are pinned to such a build move to the
 * current one; a run that does not replay there is replaced like any other stuck run (ADR 0036). When the
 * current build has no workers, the newest build that polls every queue becomes current, because every new
 * payment would wait otherwise. ADR 0056.
 */
export function createAbandonedBuildSweep(deps: {
  database: Database;
  deployments: Deployments;
  logger: Pick<Logger, 'warn'>;
}): Sweep {
  const { database, deployments, logger } = deps;

  /** Returns the current build, or the one that replaces it when its workers are gone; null when none can. */
  const currentOf = async (
    state: DeploymentState,
    workers: readonly PollingWorker[],
  ): Promise<string | null> => {
    const { current } = state;
    if (current === null || workers.some(({ buildId }) => buildId === current)) return current;
    await confirmAlert(database, { sweep: name, subject: current, detail: 'current' });
    const next = state.versions.find(({ buildId }) => unpolledQueues(workers, buildId).length === 0);
    if (next === undefined) return null;
    await deployments.setCurrent(state, next.buildId);
    logger.warn(
      { from: current, to: next.buildId },
      'the current build had no workers: another one is current',
    );
    return next.buildId;
  };

  return {
    name,
    role: 'payments',
    everyMs,
    run: async (going) => {
      await clearUnconfirmedAlerts(database, name);
      const state = await deployments.read();
      if (state === null) return;
      const workers = await deployments.workers();
      const current = await currentOf(state, workers);
      // Runs move only to the current build. Without workers they would wait there.
      if (current === null) return;
      const abandoned = state.versions.filter(
        ({ buildId, status }) =>
          buildId !== current &&
          status !== 'drained' &&
          !workers.some((worker) => worker.buildId === buildId),
      );
      for (const { buildId } of abandoned) {
        if (!going()) return;
        const runs = await deployments.listPinned(buildId, runsAtOnce);
        if (runs.length === 0) continue;
        await confirmAlert(database, { sweep: name, subject: buildId, detail: 'moved' });
        for (const run of runs) {
          if (!going()) return;
          try {
            await deployments.move(run);
            sweepHealedTotal.inc({ sweep: name });
            logger.warn({ workflowId: run.workflowId, buildId }, 'moved a run from a build without workers');
          } catch (error) {
            // It does not block the others, and the next turn tries again.
            logger.warn({ err: error, workflowId: run.workflowId }, 'a run was not moved');
          }
        }
      }
    },
  };
}
