import { readStep } from '../activities/resolve-attempt.ts';
import { hasCustomActions } from '../db/merchants/merchants.ts';
import {
  type DuePayment,
  duePayments,
  paymentsAreDue,
  endPaymentChecks,
  scheduleEndedRuns,
  schedulePaymentChecks,
  isOver,
  recordPaymentChecks,
} from '../db/payments/payment-checks.ts';
import type { Timeline } from '../db/server/cluster-timeline.ts';
import type { Database } from '../db/server/database.ts';
import { releaseReservation } from '../db/payments/reservations.ts';
import { markWorkflowsStarted } from '../db/payments/payments.ts';
import type { Connectors } from '../providers/connectors.ts';
import type { PaymentRuns } from '../temporal/clients/payment-runs.ts';
import type { SweepAlerts } from './alerts.ts';
import { runAllSteps } from './run-all-steps.ts';
import { createTimelineCheck } from './check-timeline.ts';
import type { LostRows } from './lost-rows.ts';
import { type CheckResult, processDue } from './process-due.ts';
import { nextStepCheck } from './step-checks.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/**
 * How long each fault must have lasted before a payment is checked for it, in ms. `answered`: for an attempt
 * whose answer is stored.
 */
const horizonsMs = {
  // A creation starts its workflow in the background, from a queue that a burst can fill.
  notStarted: 15_000,
  overdue: 30_000,
  // Longer than an attempt, and the call that makes it, may take.
  underWay: 25_000,
  answered: 15_000,
} as const;

/** The wait between two checks of a payment whose checks have not ended, in ms; doubled each time. */
const firstWaitMs = 15_000;
const longestWaitMs = 10 * 60_000;
/**
 * Each list begins this long before the end of the last one, in ms: Temporal lists ended runs with a delay.
 */
const overlapMs = 60_000;
/** How far back the first list begins, in ms, because there may have been no leader for that long. */
const firstLookBackMs = 24 * 60 * 60_000;
/** How far back completed runs are listed when the leader begins, and after a new timeline, in ms. */
const completedLookBackMs = { begin: 5 * 60_000, newTimeline: 6 * 60 * 60_000 } as const;

export type HealReason =
  | 'not started'
  | 'run is gone'
  | 'run is stuck'
  | 'run was reset'
  | 'attempt was not resumed'
  | 'deadline was missed'
  | 'rows went back'
  | 'step was not confirmed'
  | 'reservation was abandoned';

export interface PaymentSweepDeps {
  database: Database;
  connectors: Connectors;
  runs: PaymentRuns;
  /** Finds and restores what PostgreSQL lost. */
  lostRows: LostRows;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
  /** Called with each payment that was healed, and why. */
  onHealed: (paymentId: string, reason: HealReason) => void;
  /** Called when PostgreSQL was promoted or restored since the last turn. */
  onNewTimeline: (before: Timeline, now: Timeline) => void;
}

/**
 * Returns the sweep that heals payments after a crash between two systems: those whose workflow was never
 * started, whose run was ended from outside, was reset or is stuck, whose deadline passed without an end, or
 * whose attempt no run resolves. It also confirms the step of a customer who completed it and did not return.
 * Payments in which nothing can be wrong are not checked.
 */
export function createPaymentSweep(deps: PaymentSweepDeps): Sweep {
  const { database, runs, alerts } = deps;
  const heal = createHealer(deps);
  const checkTimeline = createTimelineCheck(deps);
  const condition = paymentsAreDue(horizonsMs);
  let endedSince: Date | null = null;
  let completedSince: Date | null = null;

  /** Schedules checks of the payments whose runs have ended since the last list. */
  const scheduleEnded = async (going: () => boolean): Promise<void> => {
    const now = deps.now();
    const since = {
      ended: endedSince ?? new Date(now - firstLookBackMs),
      completed: completedSince ?? new Date(now - completedLookBackMs.begin),
    };
    for await (const ids of runs.listEnded(since)) {
      if (!going()) return;
      if (ids.length > 0) await scheduleEndedRuns(database, ids, new Date(now));
    }
    endedSince = completedSince = new Date(now - overlapMs);
  };

  const record = async (checked: readonly CheckResult<DuePayment>[], now: Date): Promise<void> => {
    const over = checked.filter(({ at }) => at === null).map(({ item }) => item.id);
    const ended = new Set(over.length > 0 ? await endPaymentChecks(database, over, now) : []);
    const remaining = checked.filter(({ item }) => !ended.has(item.id));
    if (remaining.length === 0) return;
    await recordPaymentChecks(
      database,
      remaining.map(({ item, at, failures, errorCode }) => ({
        id: item.id,
        at: at ?? new Date(now.getTime() + firstWaitMs),
        checks: item.checks + 1,
        failures,
        errorCode,
      })),
      now,
    );
  };

  const confirmStep = createStepConfirmer(deps);
  const check = async (payment: DuePayment, now: Date): Promise<Date | null> => {
    const { attempt } = payment;
    if (payment.finalizedAt !== null && attempt === null) return null;
    const healed = await heal(payment);
    if (healed !== null) deps.onHealed(payment.id, healed);
    const isOverdue = payment.finalizedAt === null && payment.expiresAt < now;
    const step = isOverdue ? 'waiting' : await confirmStep(payment, healed !== null);
    if (step === 'confirmed') deps.onHealed(payment.id, 'step was not confirmed');
    const isHealthy = !isOverdue && step === 'waiting' && (healed === null || healed === 'not started');
    if (isHealthy && attempt === null) return null;
    if (isHealthy && waitsForCustomer(payment)) return nextStepCheck(attempt?.startedAt ?? now, now);
    return new Date(now.getTime() + Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(payment.checks, 10)));
  };

  return {
    name: 'payments',
    role: 'payments',
    everyMs: deps.everyMs,
    conditions: [condition],
    run: async (going, isDue = everythingIsDue) => {
      const now = new Date(deps.now());
      const before = (ms: number): Date => new Date(now.getTime() - ms);
      const horizons = {
        notStarted: before(horizonsMs.notStarted),
        overdue: before(horizonsMs.overdue),
        underWay: before(horizonsMs.underWay),
      };
      const timeline = await checkTimeline(now, going);
      if (timeline.isNew) completedSince = before(completedLookBackMs.newTimeline);
      const paymentsDue = timeline.hasScheduled || isDue(condition);
      if (paymentsDue) {
        while (going() && (await schedulePaymentChecks(database, horizons, now, 1_000)));
      }
      await runAllSteps([
        () =>
          processDue(
            {
              name: 'payments',
              condition,
              due: (at, limit) => duePayments(database, at, limit),
              check,
              record,
            },
            { now: deps.now, alerts, going, isDue: () => paymentsDue },
          ),
        // After the checks, because the list may be long. What it finds is checked in the next turn.
        () => scheduleEnded(going),
      ]);
    },
  };
}

/** Returns the function that repairs one payment after a crash and returns what was wrong, or null. */
function createHealer({
  database,
  runs,
  lostRows,
  now,
}: PaymentSweepDeps): (payment: DuePayment) => Promise<HealReason | null> {
  /** Releases the fence when the request that made the reservation is gone and no worker claimed it. */
  const releaseAbandoned = async ({ id: paymentId, attempt }: DuePayment): Promise<boolean> =>
    isAbandoned(attempt) && (await releaseReservation(database, { paymentId, attemptNo: attempt.attemptNo }));

  const isAbandoned = (attempt: DuePayment['attempt']): attempt is NonNullable<DuePayment['attempt']> =>
    attempt !== null &&
    attempt.claimedAt === null &&
    now() - attempt.startedAt.getTime() >= horizonsMs.underWay;

  /** Returns whether the run has not closed a checkout that is long past its deadline. */
  const isLongOverdue = ({ finalizedAt, expiresAt }: DuePayment): boolean =>
    finalizedAt === null && now() - expiresAt.getTime() >= horizonsMs.overdue;

  /** Makes a run resume from the rows: the open run, or one that replaces it. */
  const resume = async (payment: DuePayment): Promise<void> => {
    const run = await runs.find(payment.id);
    if (run?.isStuck) await runs.end(payment.id, run.runId);
    if (run === null || run.isStuck) await runs.start(payment, true);
    else await runs.resume(payment.id);
  };

  return async (payment) => {
    if (payment.workflowStartedAt === null && payment.runId === null) {
      const started = await runs.start(payment, false);
      await markWorkflowsStarted(database, [payment.id]);
      if (started === 'started') return 'not started';
    }
    const progress = await lostRows.readProgress(payment.id);
    if (await lostRows.restore(payment.id, progress, isAbandoned(payment.attempt) ? payment.attempt : null)) {
      await resume(payment);
      return 'rows went back';
    }
    const isReleased = await releaseAbandoned(payment);
    const run = await runs.find(payment.id);
    if (run === null) {
      // The payment may have ended since its rows were read.
      if (await isOver(database, payment.id)) return null;
      await runs.start(payment, true);
      return 'run is gone';
    }
    if (run.isStuck) {
      await runs.end(payment.id, run.runId);
      await runs.start(payment, true);
      return 'run is stuck';
    }
    if (isReleased) return 'reservation was abandoned';
    if (payment.runId !== null && run.runId !== payment.runId) {
      await runs.resume(payment.id);
      return 'run was reset';
    }
    const { attempt } = payment;
    if (attempt === null || waitsForCustomer(payment)) {
      if (run.hasTask || !isLongOverdue(payment)) return null;
      await runs.resume(payment.id);
      return 'deadline was missed';
    }
    // A run that has the attempt resolves it, however long that takes. It does not have an attempt that was
    // restored: it works on a later one, or has not reached this one yet.
    const isBehindRun = progress !== null && attempt.attemptNo < progress.lastAttemptNo;
    const isNewToRun = progress !== null && progress.lastAttemptNo < attempt.attemptNo;
    if (attempt.unknownSince !== null && !isNewToRun && !isBehindRun) return null;
    const horizonMs = attempt.answer === null ? horizonsMs.underWay : horizonsMs.answered;
    if (now() - attempt.startedAt.getTime() < horizonMs) return null;
    if (progress?.openStatus === 'processing' && !isBehindRun) return null;
    await runs.resume(payment.id);
    return 'attempt was not resumed';
  };
}

/** Returns whether the payment only waits for the customer's step, and no other answer is stored. Pure. */
const waitsForCustomer = ({ attempt, checkoutStatus }: DuePayment): boolean =>
  attempt?.status === 'requiresAction' &&
  checkoutStatus === 'requiresAction' &&
  attempt.answer === 'requires_action';

/**
 * Returns the function that makes a payment's run confirm the customer's step when the network shows that it
 * was done. A merchant with custom actions confirms an undecided step itself. `busy`: the run may turn out to
 * be stuck; a signal would restart its task, so that it would never be found. `isFresh`: the run was started
 * just now.
 */
function createStepConfirmer({
  database,
  connectors,
  runs,
}: PaymentSweepDeps): (payment: DuePayment, isFresh: boolean) => Promise<'confirmed' | 'waiting' | 'busy'> {
  return async (payment, isFresh) => {
    const { id: paymentId, merchantId, environment, attempt } = payment;
    if (attempt === null || !waitsForCustomer(payment)) return 'waiting';
    const step = await readStep({ database, connectors }, { paymentId, attemptNo: attempt.attemptNo });
    if (step === 'waiting') return 'waiting';
    const merchantConfirms =
      payment.checkoutMode === 'custom' &&
      (await hasCustomActions(database, { merchantId, environment })) !== false;
    if (step === 'done' && merchantConfirms) return 'waiting';
    if (!isFresh && (await runs.find(paymentId))?.hasTask) return 'busy';
    await runs.confirm(paymentId);
    return 'confirmed';
  };
}
