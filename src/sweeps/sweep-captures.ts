import type { CaptureActivities } from '../activities/capture.ts';
import {
  type EndingCapture,
  dueEndingCaptures,
  endingCapturesAreDue,
  recordCaptureEndChecks,
} from '../db/payments/capture-access.ts';
import type { Database } from '../db/server/database.ts';
import type { SweepAlerts } from './alerts.ts';
import { nextChecks } from './process-due.ts';
import { createQueueSweep } from './queue-sweep.ts';
import type { Sweep } from './sweep.ts';

/** Returns the sweep that revokes capture access at the vault when the payment's own workflow did not. */
export function createCaptureSweep(deps: {
  database: Database;
  vault: Pick<CaptureActivities, 'revokeCapture'>;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database } = deps;
  return createQueueSweep<EndingCapture>(
    'provider',
    {
      name: 'captures',
      condition: endingCapturesAreDue,
      due: (now, limit) => dueEndingCaptures(database, now, limit),
      check: async ({ id }) => {
        await deps.vault.revokeCapture({ paymentId: id });
        return null;
      },
      record: (checked) => recordCaptureEndChecks(database, nextChecks(checked)),
    },
    deps,
  );
}
