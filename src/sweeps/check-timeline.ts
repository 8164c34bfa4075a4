import { scheduleOpenPayments } from '../db/payments/payment-checks.ts';
import { type Timeline, readTimeline, recordTimeline } from '../db/server/cluster-timeline.ts';
import { type Database, runUnfenced } from '../db/server/database.ts';
import type { SweepAlerts } from './alerts.ts';

/** The name of the check in alerts. */
const name = 'cluster timeline';

/**
 * Returns the check of PostgreSQL's timeline: after a promotion or a restore it schedules a check of every
 * open payment, because the last commits may be lost. `isNew`: the timeline is new, and all checks are
 * scheduled. `hasScheduled`: checks may be scheduled, also when this check failed. It throws nothing, so that
 * a server that hides its timeline stops no other check.
 */
export function createTimelineCheck(deps: {
  database: Database;
  alerts: SweepAlerts;
  onNewTimeline: (before: Timeline, now: Timeline) => void;
}): (now: Date, going: () => boolean) => Promise<{ isNew: boolean; hasScheduled: boolean }> {
  const { database, alerts } = deps;

  const check = async (now: Date, going: () => boolean): Promise<boolean> => {
    // Read without the fence, which would cost a statement in each turn. The fence guards the writes below.
    const timeline = await runUnfenced(() => readTimeline(database));
    if (!timeline.isNew) return false;
    if (timeline.before !== null) {
      while (going() && (await scheduleOpenPayments(database, now, 1_000)));
      if (!going()) return false;
      deps.onNewTimeline(timeline.before, timeline.now);
    }
    await recordTimeline(database, timeline.now);
    return timeline.before !== null;
  };

  return async (now, going) => {
    try {
      const isNew = await check(now, going);
      await alerts.worked(name);
      return { isNew, hasScheduled: isNew };
    } catch (error) {
      await alerts.failed(name, error);
      return { isNew: false, hasScheduled: true };
    }
  };
}
