import {
  type DuePayment,
  duePayments,
  endPaymentChecks,
  scheduleEndedRuns,
  schedulePaymentChecks,
  isOver,
  recordPaymentChecks,
} from '../db/payments/payment-checks.ts';
import type { Database } from '../db/server/database.ts';
import { releaseReservation } from '../db/payments/reservations.ts';
import { markWorkflowsStarted } from '../db/payments/payments.ts';
import type { PaymentRuns } from '../temporal/clients/payment-runs.ts';
import type { SweepAlerts } from './alerts.ts';
import { allOf } from './all-of.ts';
import { type CheckResult, processDue } from './process-due.ts';
import type { Sweep } from './sweep.ts';

/** How long each fault must have lasted before a payment is checked for it, in ms. */
const horizonsMs = {
  // A creation starts its workflow by itself: beside its answer, from a queue that a burst fills.
  notStarted: 15_000,
  overdue: 30_000,
  // Longer than an attempt and the call that makes it may take.
  underWay: 25_000,
} as const;

/** Between two checks of a payment that is still on the list, in ms; doubled each time. */
const firstWaitMs = 15_000;
const longestWaitMs = 10 * 60_000;
/**
 * Temporal lists ended runs with a delay: each list begins this long before the end of the last one, in ms.
 */
const overlapMs = 60_000;
/** How far back the first list begins, in ms: there may have been no leader for so long. */
const firstLookBackMs = 24 * 60 * 60_000;

export type Hole =
  | 'not started'
  | 'run is gone'
  | 'run is stuck'
  | 'run was reset'
  | 'attempt was not resumed'
  | 'reservation was abandoned';

export interface PaymentSweepDeps {
  database: Database;
  runs: PaymentRuns;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
  /** Called with each payment that was healed, and why. */
  onHealed: (paymentId: string, hole: Hole) => void;
}

/**
 * Returns the sweep that heals what a crash between two systems left: payments whose workflow was never
 * started, whose run was ended from outside, was reset or is stuck, whose deadline passed without an end, or
 * whose attempt no run resolves. Payments in which nothing can be wrong are not checked.
 */
export function createPaymentSweep(deps: PaymentSweepDeps): Sweep {
  const { database, runs, alerts } = deps;
  const heal = createHealer(deps);
  let endedSince: Date | null = null;

  const listEnded = async (going: () => boolean): Promise<void> => {
    const now = deps.now();
    const since = endedSince ?? new Date(now - firstLookBackMs);
    for await (const ids of runs.listEnded(since)) {
      if (!going()) return;
      await scheduleEndedRuns(database, ids, new Date(now));
    }
    endedSince = new Date(now - overlapMs);
  };

  const record = async (checked: readonly CheckResult<DuePayment>[], now: Date): Promise<void> => {
    const over = checked.filter(({ at }) => at === null).map(({ item }) => item.id);
    const taken = new Set(over.length > 0 ? await endPaymentChecks(database, over) : []);
    const staying = checked.filter(({ item }) => !taken.has(item.id));
    if (staying.length === 0) return;
    await recordPaymentChecks(
      database,
      staying.map(({ item, at, failures, errorCode }) => ({
        id: item.id,
        at: at ?? new Date(now.getTime() + firstWaitMs),
        checks: item.checks + 1,
        failures,
        errorCode,
      })),
    );
  };

  const check = async (payment: DuePayment, now: Date): Promise<Date | null> => {
    const hole = await heal(payment);
    if (hole !== null) deps.onHealed(payment.id, hole);
    const isOverdue = payment.finalizedAt === null && payment.expiresAt < now;
    if (!isOverdue && payment.attempt === null && (hole === null || hole === 'not started')) return null;
    return new Date(now.getTime() + Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(payment.checks, 10)));
  };

  return {
    name: 'payments',
    role: 'payments',
    everyMs: deps.everyMs,
    run: async (going) => {
      const now = new Date(deps.now());
      const before = (ms: number): Date => new Date(now.getTime() - ms);
      const horizons = {
        notStarted: before(horizonsMs.notStarted),
        overdue: before(horizonsMs.overdue),
        underWay: before(horizonsMs.underWay),
      };
      while (going() && (await schedulePaymentChecks(database, horizons, now, 1_000)));
      await allOf([
        () => listEnded(going),
        () =>
          processDue(
            { name: 'payments', due: (at, limit) => duePayments(database, at, limit), check, record },
            { now: deps.now, alerts, going },
          ),
      ]);
    },
  };
}

/** Returns the function that repairs one payment after a crash. It returns the hole it closed, or null. */
function createHealer({
  database,
  runs,
  now,
}: PaymentSweepDeps): (payment: DuePayment) => Promise<Hole | null> {
  /** The request that made this reservation is gone and no worker claimed it: the fence is released. */
  const takeBack = async (
    paymentId: string,
    { attemptNo, startedAt, claimedAt }: NonNullable<DuePayment['attempt']>,
  ): Promise<boolean> =>
    claimedAt === null &&
    now() - startedAt.getTime() >= horizonsMs.underWay &&
    (await releaseReservation(database, { paymentId, attemptNo }));

  return async (payment) => {
    if (payment.workflowStartedAt === null && payment.runId === null) {
      const started = await runs.start(payment, false);
      await markWorkflowsStarted(database, [payment.id]);
      if (started === 'started') return 'not started';
    }
    const isTakenBack = payment.attempt !== null && (await takeBack(payment.id, payment.attempt));
    const run = await runs.find(payment.id);
    if (run === null) {
      // It may have ended since the rows were read.
      if (await isOver(database, payment.id)) return null;
      await runs.start(payment, true);
      return 'run is gone';
    }
    if (run.isStuck) {
      await runs.end(payment.id, run.runId);
      await runs.start(payment, true);
      return 'run is stuck';
    }
    if (isTakenBack) return 'reservation was abandoned';
    if (payment.runId !== null && run.runId !== payment.runId) {
      await runs.resume(payment.id);
      return 'run was reset';
    }
    // A run that has the attempt resolves it, however long that takes.
    if (payment.attempt === null || payment.attempt.unknownSince !== null) return null;
    if (now() - payment.attempt.startedAt.getTime() < horizonsMs.underWay) return null;
    if ((await runs.checkoutStatus(payment.id)) === 'processing') return null;
    await runs.resume(payment.id);
    return 'attempt was not resumed';
  };
}
