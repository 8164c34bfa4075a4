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
  createdAt: Date;
  closedAt: Date | null;
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

/** How far a status is; an answer of the network that is behind what is known is stale. */
const progress: Readonly<Record<DisputeStatus, number>> = {
  needsResponse: 0,
  underReview: 1,
  won: 2,
  lost: 2,
};

/** Whether a dispute moves on from one status to another. What is closed stays as it is. */
export function isAllowedDisputeChange(from: DisputeStatus, to: DisputeStatus): boolean {
  return progress[to] > progress[from];
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
 * closes; then a lost one outranks a won one, and a withdrawn one leaves no trace. Spec: silent, AMB-47.
 */
export function statusAfterDisputeClosed(
  payment: Pick<PaymentRecord, 'status' | 'amountCents' | 'refundedCents'>,
  disputes: readonly Pick<DisputeRecord, 'status' | 'resolution'>[],
): PaymentStatus {
  if (payment.status !== 'disputed') return payment.status;
  if (disputes.some(({ status }) => !isClosedDispute(status))) return 'disputed';
  if (disputes.some(({ status }) => status === 'lost')) return 'disputeLost';
  if (disputes.some(({ resolution }) => resolution !== 'withdrawn')) return 'disputeWon';
  return statusByRefunds(payment.amountCents, payment.refundedCents);
}

const hourMs = 3_600_000;

/** Hours before the deadline at which the merchant is reminded. docs/refunds-and-disputes.md. */
export const reminderHours = [72, 24, 6] as const;

/** What a dispute does by itself, in order: instants in epoch ms, none before its creation. */
export interface DisputeAgenda {
  reminders: { hours: number; atMs: number }[];
  /**
   * When staged evidence is submitted by itself: an hour before the deadline, or half-way through a shorter
   * window.
   */
  autoSubmitAtMs: number;
  dueAtMs: number;
}

/** The agenda of a dispute. Pure; instants in epoch ms. docs/refunds-and-disputes.md. */
export function disputeAgenda(createdAtMs: number, dueAtMs: number): DisputeAgenda {
  const reminders = reminderHours
    .map((hours) => ({ hours, atMs: dueAtMs - hours * hourMs }))
    .filter(({ atMs }) => atMs > createdAtMs);
  const windowMs = dueAtMs - createdAtMs;
  const leadMs = windowMs > hourMs ? hourMs : windowMs / 2;
  return { reminders, autoSubmitAtMs: dueAtMs - leadMs, dueAtMs };
}
