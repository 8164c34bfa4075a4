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
  /** The instant of the automatic submission has passed. It does not happen twice. */
  autoSubmitted: boolean;
  /** The hours before the deadline at which the merchant was reminded. */
  reminded: number[];
  createdAt: Date;
  /** When the dispute moved to its present stage from an earlier one; null: it has had one stage only. */
  reopenedAt: Date | null;
  closedAt: Date | null;
  /** The connector of its payment; null: the simulators. */
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

/** Returns the dispute for events, without its evidence: long texts of the merchant about customers. */
export const disputeEventData = (dispute: DisputeRecord): DisputeView => ({
  ...disputeView(dispute),
  evidence: {},
});

export const isClosedDispute = (status: DisputeStatus): boolean => status === 'won' || status === 'lost';

/** The possible answers of a merchant to a dispute. */
export type DisputeAnswer = 'stage' | 'submit' | 'accept';

/**
 * Returns why an answer is refused at `now`; null when it is possible. Evidence can be submitted once and
 * before the deadline. Accepting is also possible after the deadline. Pure. docs/refunds-and-disputes.md.
 */
export function refuseDisputeAnswer(
  dispute: Pick<DisputeRecord, 'status' | 'evidenceDueAt' | 'submittedAt'>,
  answer: DisputeAnswer,
  now: Date,
): 'dispute_closed' | 'evidence_already_submitted' | 'evidence_past_due' | null {
  if (isClosedDispute(dispute.status)) return 'dispute_closed';
  // Set before the evidence is sent, so that the stored evidence is the evidence that was sent.
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
 * How the network's answer changes a known dispute. `behind`: it is stale and changes nothing. `same`: only
 * amount and deadline can differ. `forward`: the status advances. `reopened`: a later stage, in which
 * evidence is needed again. `reinstated`: the dispute was lost, and its funds came back.
 */
export type DisputeMove = 'behind' | 'same' | 'forward' | 'reopened' | 'reinstated';

type Position = Pick<DisputeRecord, 'stage' | 'status'>;

/** Returns how a dispute changes from the known state to the network's, by stage, then by status. Pure. */
export function disputeMove(known: Position, reported: Position): DisputeMove {
  const stages = disputeStages.indexOf(reported.stage) - disputeStages.indexOf(known.stage);
  if (stages > 0) return 'reopened';
  if (stages < 0) return 'behind';
  if (reported.status === known.status) return 'same';
  if (progress[reported.status] > progress[known.status]) return 'forward';
  return known.status === 'lost' && reported.status === 'won' ? 'reinstated' : 'behind';
}

/**
 * Returns the payment's status when a dispute opens. Money that was refunded in full or lost is no longer in
 * dispute.
 */
export function statusAfterDisputeOpened(status: PaymentStatus): PaymentStatus {
  return ['paid', 'partiallyRefunded', 'disputeWon'].includes(status) ? 'disputed' : status;
}

/**
 * Returns the payment's status when one of its disputes has closed. With several, it stays `disputed` until
 * the last one closes. Then a lost dispute outranks a won one, and a withdrawn one has no effect. A payment
 * with a lost dispute changes again when that dispute is no longer lost. Spec: silent, AMB-47.
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
 * Returns the payment's status when one of its disputes moved to a later stage; `disputes` as they are then.
 * Money that was lost in that dispute is in dispute again.
 */
export const statusAfterDisputeReopened = (
  payment: Pick<PaymentRecord, 'status' | 'amountCents' | 'refundedCents'>,
  disputes: readonly Pick<DisputeRecord, 'status' | 'resolution'>[],
): PaymentStatus =>
  payment.status === 'disputeLost'
    ? statusAfterDisputeClosed(payment, disputes)
    : statusAfterDisputeOpened(payment.status);

/**
 * Returns the payment's status when a refund of the whole amount was rejected late; `byRefunds` is its status
 * by its refunds alone. The money may have been disputed, or lost, while it counted as refunded.
 */
export function statusAfterMoneyCameBack(
  byRefunds: PaymentStatus,
  disputes: readonly Pick<DisputeRecord, 'status'>[],
): PaymentStatus {
  if (disputes.some(({ status }) => !isClosedDispute(status))) return 'disputed';
  return disputes.some(({ status }) => status === 'lost') ? 'disputeLost' : byRefunds;
}
