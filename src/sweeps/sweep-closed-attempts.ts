import type { CaptureChecks } from '../activities/unexpected-captures.ts';
import {
  type CaptureHint,
  captureHintsAreDue,
  dueCaptureHints,
  recordCaptureHintChecks,
} from '../db/payments/capture-hints.ts';
import type { Database } from '../db/server/database.ts';
import type { SweepAlerts } from './alerts.ts';
import { type CheckQueue, nextChecks } from './process-due.ts';
import { createQueueSweep } from './queue-sweep.ts';
import type { Sweep } from './sweep.ts';

/** The wait for a workflow that has not noticed a capture yet, in ms. */
const earlyWaitMs = 15_000;

/** Returns the sweep that checks the charges of attempts that a provider reported. ADR 0037. */
export function createClosedAttemptSweep(deps: {
  database: Database;
  network: CaptureChecks;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, network } = deps;
  const hints: CheckQueue<CaptureHint> = {
    name: 'closed attempts',
    condition: captureHintsAreDue,
    due: (at, limit) => dueCaptureHints(database, at, limit),
    check: async (hint, at) =>
      (await network.checkCapture(hint)) === 'early' ? new Date(at.getTime() + earlyWaitMs) : null,
    record: (checked, at) => recordCaptureHintChecks(database, nextChecks(checked), at),
  };
  return createQueueSweep('provider', hints, deps);
}
