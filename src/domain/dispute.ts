import { statusByRefunds } from './refund.ts';
import type { PaymentRecord } from './payment.ts';
import type { Environment, PaymentStatus } from './statuses.ts';

/** docs/refunds-and-disputes.md. */
export const disputeStages = ['inquiry', 'chargeback', 'preArbitration'] as const;
export type DisputeStage = (typeof disputeStages)[number];

export const disputeStatuses = ['needsResponse', 'underReview', 'won', 'lost'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** How a closed dispute ended; null while it is open. A withdrawn one counts as `won`. */
export const disputeResolutions = ['decided', 'accepted', 'withdrawn'] as const;
export type DisputeResolution = (typeof disputeResolutions)[number];

/** Characters of all evidence texts together, in code points. docs/refunds-and-disputes.md. */
export const maxEvidenceCharacters = 150_000;

/** A dispute as stored. Amounts in integer US cents, instants as Date. */
export interface DisputeRecord {
  id: string;
  merchantId: string;
  environment: Environment;
  paymentId: string;
  /** The network's own id. */
  providerReference: string;
  amountCents: number;
  reason: string;
  stage: DisputeStage;
  status: DisputeStatus;
  resolution: DisputeResolution | null;
  evidence: Record<string, string>;
  evidenceDueAt: Date;
  submittedAt: Date | null;
  autoSubmit: boolean;
  /** The instant of the automatic submission has passed; it does not come twice. */
  autoSubmitted: boolean;
  /** The hours before the deadline of which the merchant was reminded. */
  reminded: number[];
  createdAt: Date;
  /** When it came to its present stage from an earlier one; null: it has had one stage only. */
  reopenedAt: Date | null;
  closedAt: Date | null;
  /** Of its payment; null: the simulators. */
  connectorId: string | null;
}

/**
 * The Dispute object of the API and, without the evidence texts, of webhooks. docs/refunds-and-disputes.md.
 */
export interface DisputeView {
  id: string;
  paymentId: string;
  amountCents: number;
  currency: 'USD';
  reason: string;
  stage: DisputeStage;
  status: DisputeStatus;
  resolution: DisputeResolution | null;
  evidence: Record<string, string>;
  evidenceDueAt: string;
  submittedAt: string | null;
  autoSubmit: boolean;
  environment: Environment;
  createdAt: string;
  closedAt: string | null;
}

export function disputeView(dispute: DisputeRecord): DisputeView {
  return {
    id: dispute.id,
    paymentId: dispute.paymentId,
    amountCents: dispute.amountCents,
    currency: 'USD',
    reason: dispute.reason,
    stage: dispute.stage,
    status: dispute.status,
    resolution: dispute.resolution,
    evidence: dispute.evidence,
    evidenceDueAt: dispute.evidenceDueAt.toISOString(),
    submittedAt: dispute.submittedAt?.toISOString() ?? null,
    autoSubmit: dispute.autoSubmit,
    environment: dispute.environment,
    createdAt: dispute.createdAt.toISOString(),
    closedAt: dispute.closedAt?.toISOString() ?? null,
  };
}

/** The dispute as events carry it: evidence is the merchant's own text about customers, and long. */
export const disputeEventData = (dispute: DisputeRecord): DisputeView => ({
  ...disputeView(dispute),
  evidence: {},
});

export const isClosedDispute = (status: DisputeStatus): boolean => status === 'won' || status === 'lost';

/** What the merchant may answer to a dispute. */
export type DisputeAnswer = 'stage' | 'submit' | 'accept';

/**
 * Whether an answer is still possible at `now`; null when it is. Submitting is once and in time; accepting
 * needs no deadline, as it gives up. Pure. docs/refunds-and-disputes.md.
 */
export function refuseDisputeAnswer(
  dispute: Pick<DisputeRecord, 'status' | 'evidenceDueAt' | 'submittedAt'>,
  answer: DisputeAnswer,
  now: Date,
): 'dispute_closed' | 'evidence_already_submitted' | 'evidence_past_due' | null {
  if (isClosedDispute(dispute.status)) return 'dispute_closed';
  // Set before the evidence leaves, so that what is stored is what was sent.
  if (dispute.status === 'underReview' || dispute.submittedAt !== null) return 'evidence_already_submitted';
  if (answer !== 'accept' && now >= dispute.evidenceDueAt) return 'evidence_past_due';
  return null;
}

/** The rank of each status; an answer of the network with a lower rank than the stored status is stale. */
const progress: Readonly<Record<DisputeStatus, number>> = {
  needsResponse: 0,
  underReview: 1,
  won: 2,
  lost: 2,
};

/**
 * What an answer of the network means for the dispute that is known. `behind`: stale, it changes nothing.
 * `same`: only amount and deadline can differ. `forward`: the status moves on. `reopened`: a later stage, in
 * which evidence is asked for again. `reinstated`: it was lost, and its funds came back.
 */
export type DisputeMove = 'behind' | 'same' | 'forward' | 'reopened' | 'reinstated';

type Position = Pick<DisputeRecord, 'stage' | 'status'>;

/**
 * Returns how a dispute moves from what is known to what the network says, by stage, then by status. Pure.
 */
export function disputeMove(known: Position, reported: Position): DisputeMove {
  const stages = disputeStages.indexOf(reported.stage) - disputeStages.indexOf(known.stage);
  if (stages > 0) return 'reopened';
  if (stages < 0) return 'behind';
  if (reported.status === known.status) return 'same';
  if (progress[reported.status] > progress[known.status]) return 'forward';
  return known.status === 'lost' && reported.status === 'won' ? 'reinstated' : 'behind';
}

/**
 * The payment's status when a dispute opens: money that was given back whole, or lost, is no longer in
 * dispute.
 */
export function statusAfterDisputeOpened(status: PaymentStatus): PaymentStatus {
  return ['paid', 'partiallyRefunded', 'disputeWon'].includes(status) ? 'disputed' : status;
}

/**
 * The payment's status when one of its disputes closed. With several, it stays `disputed` until the last one
 * closes; then a lost one outranks a won one, and a withdrawn one leaves no trace. A payment of a lost
 * dispute follows when that dispute is not lost any more. Spec: silent, AMB-47.
 */
export function statusAfterDisputeClosed(
  payment: Pick<PaymentRecord, 'status' | 'amountCents' | 'refundedCents'>,
  disputes: readonly Pick<DisputeRecord, 'status' | 'resolution'>[],
): PaymentStatus {
  const isLost = disputes.some(({ status }) => status === 'lost');
  if (payment.status !== 'disputed' && (payment.status !== 'disputeLost' || isLost)) return payment.status;
  if (disputes.some(({ status }) => !isClosedDispute(status))) return 'disputed';
  if (isLost) return 'disputeLost';
  if (disputes.some(({ resolution }) => resolution !== 'withdrawn')) return 'disputeWon';
  return statusByRefunds(payment.amountCents, payment.refundedCents);
}

/**
 * The payment's status when one of its disputes came to a later stage; `disputes` as they are then. Money
 * that was lost with that dispute is in dispute again.
 */
export const statusAfterDisputeReopened = (
  payment: Pick<PaymentRecord, 'status' | 'amountCents' | 'refundedCents'>,
  disputes: readonly Pick<DisputeRecord, 'status' | 'resolution'>[],
): PaymentStatus =>
  payment.status === 'disputeLost'
    ? statusAfterDisputeClosed(payment, disputes)
    : statusAfterDisputeOpened(payment.status);

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Hours before the deadline at which the merchant is reminded. docs/refunds-and-disputes.md. */
export const reminderHours = [72, 24, 6] as const;

/** Days that are assumed for evidence where the network names no deadline. */
const assumedDays = 7;

/**
 * Returns the deadline that is assumed for a dispute whose network names none; `from`: its stage's beginning.
 */
export const assumedDueAt = (from: Date): Date => new Date(from.getTime() + assumedDays * dayMs);

/** When the dispute's present stage began. */
export const stageBeganAt = ({
  createdAt,
  reopenedAt,
}: Pick<DisputeRecord, 'createdAt' | 'reopenedAt'>): Date => reopenedAt ?? createdAt;

/** The automatic steps of a dispute, in order: instants in epoch ms, none before its stage began. */
export interface DisputeAgenda {
  reminders: { hours: number; atMs: number }[];
  /**
   * When staged evidence is submitted automatically: an hour before the deadline, or half-way through a
   * shorter window.
   */
  autoSubmitAtMs: number;
  dueAtMs: number;
}

/** The agenda of a dispute's stage. Pure; instants in epoch ms. docs/refunds-and-disputes.md. */
export function disputeAgenda(beganAtMs: number, dueAtMs: number): DisputeAgenda {
  const reminders = reminderHours
    .map((hours) => ({ hours, atMs: dueAtMs - hours * hourMs }))
    .filter(({ atMs }) => atMs > beganAtMs);
  const windowMs = dueAtMs - beganAtMs;
  const leadMs = windowMs > hourMs ? hourMs : windowMs / 2;
  return { reminders, autoSubmitAtMs: dueAtMs - leadMs, dueAtMs };
}

/**
 * What of the agenda counts as done when the deadline of an open stage moves: the event of the change stands
 * for reminders that are past, and the automatic submission comes again when its new instant is ahead. Pure.
 */
export function agendaAfterNewDeadline(
  dispute: Pick<DisputeRecord, 'createdAt' | 'reopenedAt' | 'autoSubmitted'>,
  dueAt: Date,
  now: Date,
): Pick<DisputeRecord, 'reminded' | 'autoSubmitted'> {
  const nowMs = now.getTime();
  const agenda = disputeAgenda(stageBeganAt(dispute).getTime(), dueAt.getTime());
  return {
    reminded: agenda.reminders.filter(({ atMs }) => atMs <= nowMs).map(({ hours }) => hours),
    autoSubmitted: dispute.autoSubmitted && nowMs >= agenda.autoSubmitAtMs,
  };
}

/** The automatic steps that are due for an open dispute. */
export interface DisputeChores {
  /** The hours before the deadline to remind of. */
  remind: number | null;
  /** Staged evidence is to be submitted: it is due, or a submission was begun and never confirmed. */
  submit: 'automatic' | 'begun' | null;
  /** When the next step is due, in epoch ms; null: none follows. */
  nextAtMs: number | null;
}

/**
 * Returns the automatic steps that are due for an open dispute. Of several missed reminders only the latest
 * is sent. Pure; docs/refunds-and-disputes.md.
 */
export function disputeChores(
  dispute: Pick<
    DisputeRecord,
    'status' | 'createdAt' | 'reopenedAt' | 'evidenceDueAt' | 'submittedAt' | 'reminded' | 'autoSubmitted'
  >,
  nowMs: number,
): DisputeChores {
  const { reminders, autoSubmitAtMs, dueAtMs } = disputeAgenda(
    stageBeganAt(dispute).getTime(),
    dispute.evidenceDueAt.getTime(),
  );
  if (dispute.status !== 'needsResponse' || nowMs >= dueAtMs) {
    return { remind: null, submit: null, nextAtMs: null };
  }
  const latest = reminders.findLast(({ atMs }) => atMs <= nowMs);
  const coming = [
    ...reminders.map(({ atMs }) => atMs),
    ...(dispute.autoSubmitted ? [] : [autoSubmitAtMs]),
  ].filter((atMs) => atMs > nowMs);
  return {
    remind: latest && !dispute.reminded.includes(latest.hours) ? latest.hours : null,
    submit:
      dispute.submittedAt !== null
        ? 'begun'
        : !dispute.autoSubmitted && nowMs >= autoSubmitAtMs
          ? 'automatic'
          : null,
    nextAtMs: coming.length > 0 ? Math.min(...coming) : null,
  };
}

/** A dispute's workflow is started this long before a step is due, in ms. */
const startedAheadMs = 60_000;
/**
 * The run that reads a due step does it; another run takes over after this long, in ms.
 */
const takenOverAfterMs = 60_000;

/**
 * Returns when a dispute's workflow is next needed; null once it is closed. Changes at the network arrive by
 * its list of changes and its callbacks; the checks of a dispute that only waits find what both missed. Pure.
 */
export function nextDisputeCheck(dispute: Parameters<typeof disputeChores>[0], now: Date): Date | null {
  if (isClosedDispute(dispute.status)) return null;
  const nowMs = now.getTime();
  const sinceMs = nowMs - (dispute.submittedAt ?? stageBeganAt(dispute)).getTime();
  const { remind, submit, nextAtMs } = disputeChores(dispute, nowMs);
  if (remind !== null || submit !== null) return new Date(nowMs + takenOverAfterMs);
  const latestMs = nowMs + Math.min(7 * dayMs, Math.max(hourMs, sinceMs));
  // The run that reads this waits for an instant that is near.
  const aheadMs =
    nextAtMs === null ? latestMs : Math.max(nextAtMs - startedAheadMs, nowMs + takenOverAfterMs);
  return new Date(Math.min(latestMs, aheadMs));
}
