import type { CaptureActivities } from '../activities/capture.ts';
import {
  type EndingCapture,
  dueEndingCaptures,
  endingCapturesAreDue,
  recordCaptureChecks,
} from '../db/payments/capture-access.ts';
import type { Database } from '../db/server/database.ts';
import type { SweepAlerts } from './alerts.ts';
import { processDue, nextChecks } from './process-due.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/** Returns the sweep that revokes capture access at the vault when the payment's own workflow did not. */
export function createCaptureSweep(deps: {
  database: Database;
  vault: Pick<CaptureActivities, 'revokeCapture'>;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, alerts } = deps;
  return {
    name: 'captures',
    role: 'provider',
    everyMs: deps.everyMs,
    conditions: [endingCapturesAreDue],
    run: async (going, isDue = everythingIsDue) => {
      await processDue<EndingCapture>(
        {
          name: 'captures',
          condition: endingCapturesAreDue,
          due: (now, limit) => dueEndingCaptures(database, now, limit),
          check: async ({ id }) => {
            await deps.vault.revokeCapture({ paymentId: id });
            return null;
          },
          record: (checked) => recordCaptureChecks(database, nextChecks(checked)),
        },
        { now: deps.now, alerts, going, isDue },
      );
    },
  };
}
