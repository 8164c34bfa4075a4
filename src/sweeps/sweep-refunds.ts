import type { RefundActivities } from '../activities/refunds.ts';
import type { Database } from '../db/server/database.ts';
import { recordChecks } from '../db/server/next-check.ts';
import { type DueRefund, dueRefunds } from '../db/refunds/refund-checks.ts';
import type { RefundWorkflows } from '../temporal/clients/refunds.ts';
import type { SweepAlerts } from './alerts.ts';
import { allOf } from './all-of.ts';
import { type CheckQueue, type CheckResult, processDue, nextChecks } from './process-due.ts';
import type { Sweep } from './sweep.ts';

/** After a refund's workflow was started, the workflow has this long to check it, in ms. */
const startedForMs = 60_000;

/**
 * Starts the workflow of every pending refund that has none, and asks the network itself about refunds that
 * succeeded: one may come back weeks later, without a callback.
 */
export function createRefundSweep(deps: {
  database: Database;
  workflows: Pick<RefundWorkflows, 'start'>;
  network: Pick<RefundActivities, 'followRefund'>;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, workflows, alerts } = deps;
  const record = (checked: readonly CheckResult<DueRefund>[], now: Date): Promise<void> =>
    recordChecks(database, 'refunds', nextChecks(checked), now);
  const pending: CheckQueue<DueRefund> = {
    name: 'refunds',
    due: (now, limit) => dueRefunds(database, 'pending', now, limit),
    check: async (refund, now) => {
      await workflows.start(refund, []);
      return new Date(now.getTime() + startedForMs);
    },
    record,
  };
  const succeeded: CheckQueue<DueRefund> = {
    name: 'succeeded refunds',
    due: (now, limit) => dueRefunds(database, 'succeeded', now, limit),
    // It records itself when the next check is due.
    check: async (refund) => {
      await deps.network.followRefund({ refundId: refund.id });
      return null;
    },
    record: (checked, now) =>
      record(
        checked.filter(({ errorCode }) => errorCode !== null),
        now,
      ),
  };
  return {
    name: 'refunds',
    role: 'provider',
    everyMs: deps.everyMs,
    run: async (going) => {
      const turn = { now: deps.now, alerts, going };
      await allOf([() => processDue(pending, turn), () => processDue(succeeded, turn)]);
    },
  };
}
