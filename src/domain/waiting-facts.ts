import {
  type PaymentState,
  type PaymentVersion,
  type VersionedPayment,
  paymentStates,
  stateAt,
} from './payment-versions.ts';
import type { TimelineAttempt, TimelineDispute, TimelineRefund } from './timeline/sources.ts';
import { type WaitingAttempt, type WaitingFacts, type WaitingFor, waitingFor } from './waiting.ts';

/** The sources of the facts, in addition to a payment's states. */
export interface WaitingSources {
  attempts: readonly TimelineAttempt[];
  refunds: readonly TimelineRefund[];
  disputes: readonly TimelineDispute[];
  cardAccepted: boolean;
  merchantActive: boolean;
  alertSince: Date | null;
}

/** The same sources with the payment itself. */
export interface WaitingHistory extends WaitingSources {
  payment: VersionedPayment;
  versions: readonly PaymentVersion[];
}

/** Returns `now`, or the payment's latest instant where that is later because its clock was ahead. */
export function effectiveNow({ payment, attempts }: WaitingHistory, now: Date): Date {
  return [payment.changedAt ?? payment.createdAt, ...attempts.map(({ startedAt }) => startedAt)].reduce(
    (latest, instant) => (instant > latest ? instant : latest),
    now,
  );
}

/** Returns what a payment waits for now, or null. Pure. */
export function waitingNow(history: WaitingHistory, now: Date): WaitingFor | null {
  const instant = effectiveNow(history, now);
  const states = paymentStates(history.payment, history.versions);
  const state = stateAt(states, instant);
  return state && waitingAt(state, states, history, instant);
}

/** Returns what a payment waited for at an instant, or null. `state` is its state then. Pure. */
export function waitingAt(
  state: PaymentState,
  states: readonly PaymentState[],
  sources: WaitingSources,
  at: Date,
): WaitingFor | null {
  return waitingFor(waitingFacts(state, states, sources, at), at);
}

function waitingFacts(
  { payment, from }: PaymentState,
  states: readonly PaymentState[],
  sources: WaitingSources,
  at: Date,
): WaitingFacts {
  const begun = sources.attempts.filter(({ startedAt }) => startedAt <= at);
  const open = begun.find(({ resolvedAt }) => resolvedAt === null || resolvedAt > at);
  const refund = sources.refunds.find((one) => one.createdAt <= at && isPending(one, at));
  const dispute = sources.disputes
    .filter(({ createdAt, closedAt }) => createdAt <= at && (closedAt === null || closedAt > at))
    .toSorted((a, b) => a.evidenceDueAt.getTime() - b.evidenceDueAt.getTime())[0];
  return {
    checkoutMode: payment.checkoutMode,
    checkoutStatus: payment.checkoutStatus,
    createdAt: payment.createdAt,
    changedAt: from,
    expiresAt: payment.expiresAt,
    captureExpiresAt: payment.captureExpiresAt,
    finalizedAt: payment.finalizedAt,
    attemptsLeft: payment.attemptsLeft,
    cardAccepted: sources.cardAccepted,
    merchantActive: sources.merchantActive,
    attempt: open ? attemptAt(open, states, at) : null,
    refund: refund
      ? {
          createdAt: refund.createdAt,
          submitAfter: refund.submitAfter,
          submittedAt: reached(refund.submittedAt, at),
        }
      : null,
    dispute: dispute
      ? {
          status: dispute.status,
          createdAt: dispute.createdAt,
          submittedAt: reached(dispute.submittedAt, at),
          evidenceDueAt: dispute.evidenceDueAt,
        }
      : null,
    alertSince: reached(sources.alertSince, at),
  };
}

const reached = (instant: Date | null, at: Date): Date | null =>
  instant !== null && instant <= at ? instant : null;

const isPending = ({ status, succeededAt, failedAt }: TimelineRefund, at: Date): boolean =>
  status === 'pending' ||
  (status !== 'canceled' && reached(succeededAt, at) === null && reached(failedAt, at) === null);

function attemptAt(attempt: TimelineAttempt, states: readonly PaymentState[], at: Date): WaitingAttempt {
  const step = states.findLast(
    ({ payment, from }) =>
      payment.checkoutStatus === 'requiresAction' && from >= attempt.startedAt && from <= at,
  );
  const unknownSince = reached(attempt.firstUnknownAt, at);
  return {
    attemptNo: attempt.attemptNo,
    status: step ? 'requiresAction' : 'processing',
    method: attempt.method,
    startedAt: attempt.startedAt,
    claimedAt: reached(attempt.claimedAt, at),
    // An outcome that was unknown before the customer's step is known since then.
    unknownSince: step && unknownSince && step.from >= unknownSince ? null : unknownSince,
    // By then the network has the card, even if the vault did not return its details.
    cardKnown: attempt.cardLast4 !== null || attempt.prepared,
    simulated: attempt.simulated,
  };
}
