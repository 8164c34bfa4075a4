import type { RefundActivities } from '../activities/refunds.ts';
import type { Database } from '../db/server/database.ts';
import { recordChecks } from '../db/server/next-check.ts';
import {
  type DueRefund,
  dueRefunds,
  pendingRefundsAreDue,
  succeededRefundsAreDue,
} from '../db/refunds/refund-checks.ts';
import { sweepHealedTotal } from '../metrics/series.ts';
import type { RefundWorkflows } from '../temporal/clients/refunds.ts';
import type { SweepAlerts } from './alerts.ts';
import { runAllSteps } from './run-all-steps.ts';
import { type CheckQueue, type CheckResult, processDue, nextChecks } from './process-due.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/**
 * How long a refund is left to its run, in ms: a run that can continue, that may turn out to be stuck, or
 * that was just started.
 */
const graceMs = { resting: 60_000, busy: 15_000, started: 30_000 } as const;

/**
 * Returns the sweep that starts the workflow of every pending refund without a run that can continue. It also
 * queries the network about refunds that succeeded: one may come back weeks later, without a callback.
 */
export function createRefundSweep(deps: {
  database: Database;
  workflows: Pick<RefundWorkflows, 'recover'>;
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
    condition: pendingRefundsAreDue,
    due: (now, limit) => dueRefunds(database, 'pending', now, limit),
    check: async (refund, now) => {
      const run = await workflows.recover(refund);
      if (run === 'started') sweepHealedTotal.inc({ sweep: 'refunds' });
      return new Date(now.getTime() + graceMs[run]);
    },
    record,
  };
  const succeeded: CheckQueue<DueRefund> = {
    name: 'succeeded refunds',
    condition: succeededRefundsAreDue,
    due: (now, limit) => dueRefunds(database, 'succeeded', now, limit),
    // `followRefund` itself records when the next check is due.
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
    conditions: [pending.condition, succeeded.condition],
    run: async (going, isDue = everythingIsDue) => {
      const sweepContext = { now: deps.now, alerts, going, isDue };
      await runAllSteps([() => processDue(pending, sweepContext), () => processDue(succeeded, sweepContext)]);
    },
  };
}
