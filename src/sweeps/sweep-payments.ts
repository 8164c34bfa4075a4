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

/** Since when each thing that can be wrong must have been so, in ms. */
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
/** What ended in Temporal is listed a while after it did: the last list is gone over once more, in ms. */
const overlapMs = 60_000;
/** How far the first list checks back, in ms: there may have been no leader for so long. */
const firstLookBackMs = 24 * 60 * 60_000;

export type Hole =
  | 'not started'
  | 'run is gone'
  | 'run is stuck'
  | 'run was reset'
  | 'attempt was not taken up'
  | 'intent was left behind';

export interface PaymentSweepDeps {
  database: Database;
  runs: PaymentRuns;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
  /** DraftEntry of each payment that needed healing. */
  onHealed: (paymentId: string, hole: Hole) => void;
}

/**
 * Heals what a crash between two systems left: payments whose workflow was never started, whose run was ended
 * from outside or reset or cannot go on, whose deadline passed without an end, whose attempt no run resolves.
 * Payments in which nothing can be wrong are not checked.
 */
export function createPaymentSweep(deps: PaymentSweepDeps): Sweep {
  const { database, runs, alerts } = deps;
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
        looks: item.looks + 1,
        failures,
        errorCode,
      })),
    );
  };

  /** The request that made this reservation is gone and no worker claimed it: the fence is released. */
  const takeBack = async (
    paymentId: string,
    { attemptNo, startedAt, sentAt }: NonNullable<DuePayment['attempt']>,
  ): Promise<boolean> =>
    sentAt === null &&
    deps.now() - startedAt.getTime() >= horizonsMs.underWay &&
    (await releaseReservation(database, { paymentId, attemptNo }));

  const heal = async (payment: DuePayment): Promise<Hole | null> => {
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
    if (isTakenBack) return 'intent was left behind';
    if (payment.runId !== null && run.runId !== payment.runId) {
      await runs.resume(payment.id);
      return 'run was reset';
    }
    // A run that knows of the attempt resolves it, however long that takes.
    if (payment.attempt === null || payment.attempt.unknownSince !== null) return null;
    if (deps.now() - payment.attempt.startedAt.getTime() < horizonsMs.underWay) return null;
    if ((await runs.checkoutStatus(payment.id)) === 'processing') return null;
    await runs.resume(payment.id);
    return 'attempt was not taken up';
  };

  const check = async (payment: DuePayment, now: Date): Promise<Date | null> => {
    const hole = await heal(payment);
    if (hole !== null) deps.onHealed(payment.id, hole);
    const isOverdue = payment.finalizedAt === null && payment.expiresAt < now;
    if (!isOverdue && payment.attempt === null && (hole === null || hole === 'not started')) return null;
    return new Date(now.getTime() + Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(payment.looks, 10)));
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
