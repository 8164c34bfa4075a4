import type { PaymentRecord } from './payment.ts';
import type { Environment, PaymentStatus } from './statuses.ts';

/** docs/refunds-and-disputes.md. */
export const refundStatuses = ['pending', 'succeeded', 'failed', 'canceled'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export const refundReasons = ['duplicate', 'fraudulent', 'requestedByCustomer', 'other'] as const;
export type RefundReason = (typeof refundReasons)[number];

/**
 * Every allowed change of a refund's status; the database refuses any other too. `succeeded` can become
 * `failed`: the customer's bank may send the money back days later.
 */
const refundStatusEdges: Readonly<Record<RefundStatus, readonly RefundStatus[]>> = {
  pending: ['succeeded', 'failed', 'canceled'],
  succeeded: ['failed'],
  failed: [],
  canceled: [],
};

/**
 * Returns whether a refund may change from one status to another. A stale answer of the network would be a
 * change that is not allowed.
 */
export function isAllowedRefundChange(from: RefundStatus, to: RefundStatus): boolean {
  return refundStatusEdges[from].includes(to);
}

/** A refund as stored. Amounts in integer US cents, instants as Date. */
export interface RefundRecord {
  id: string;
  merchantId: string;
  environment: Environment;
  paymentId: string;
  amountCents: number;
  status: RefundStatus;
  reason: RefundReason | null;
  reference: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  metadata: Record<string, unknown>;
  createdAt: Date;
  /** The refund is not sent to the network before this instant, so that it can be canceled until then. */
  submitAfter: Date;
  /** Set before the first byte is sent to the network. From then on the refund cannot be canceled. */
  submittedAt: Date | null;
  succeededAt: Date | null;
  failedAt: Date | null;
  /** The provider's id of a refund that was made there; null for our own. ADR 0024. */
  providerReference: string | null;
}

/** The Refund object of the API and of webhooks. docs/refunds-and-disputes.md. */
export interface RefundView {
  id: string;
  paymentId: string;
  amountCents: number;
  currency: 'USD';
  status: RefundStatus;
  reason: RefundReason | null;
  reference: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  metadata: Record<string, unknown>;
  environment: Environment;
  createdAt: string;
  succeededAt: string | null;
  failedAt: string | null;
}

export function refundView(refund: RefundRecord): RefundView {
  return {
    id: refund.id,
    paymentId: refund.paymentId,
    amountCents: refund.amountCents,
    currency: 'USD',
    status: refund.status,
    reason: refund.reason,
    reference: refund.reference,
    failureCode: refund.failureCode,
    failureMessage: refund.failureMessage,
    metadata: refund.metadata,
    environment: refund.environment,
    createdAt: refund.createdAt.toISOString(),
    succeededAt: refund.succeededAt?.toISOString() ?? null,
    failedAt: refund.failedAt?.toISOString() ?? null,
  };
}

/** Returns the refund as its creation did: immutable fields only, so that a replay has the same bytes. */
export function createdRefundView(refund: RefundRecord): RefundView {
  return {
    ...refundView(refund),
    status: 'pending',
    failureCode: null,
    failureMessage: null,
    succeededAt: null,
    failedAt: null,
  };
}

/** Statuses in which money can be refunded: not during a dispute, and not after a lost one. */
const refundableStatuses: readonly PaymentStatus[] = ['paid', 'partiallyRefunded', 'disputeWon'];

/** The decision about a requested refund; `message` names the status that forbids it. */
export type RefundDecision =
  | { ok: true; amountCents: number }
  | { ok: false; code: 'payment_not_refundable'; message: string }
  | { ok: false; code: 'amount_too_large' };

const onlyPaid = 'only paid payments can be refunded.';
const nothingLeft =
  'Nothing is left to refund: the refunds of this payment, with the pending ones, reach its amount.';

/** Why a payment with each status cannot be refunded. */
const notRefundable: Readonly<Record<PaymentStatus, string>> = {
  pending: `This payment is pending; ${onlyPaid}`,
  requiresAction: `This payment waits for the customer's confirmation; ${onlyPaid}`,
  failed: `This payment failed; ${onlyPaid}`,
  refunded: 'This payment is already refunded in full.',
  disputed: 'This payment is disputed; it can be refunded when the dispute is won.',
  disputeLost: 'The dispute of this payment was lost; its amount was already returned.',
  paid: nothingLeft,
  partiallyRefunded: nothingLeft,
  disputeWon: nothingLeft,
};

/**
 * Decides a refund of `amountCents`, or of the whole remaining amount when null. `pendingCents`, the
 * undecided refunds, count as refunded, so that refunds never exceed the payment. Pure; run under the
 * payment's lock. docs/refunds-and-disputes.md.
 */
export function decideRefund(
  payment: Pick<PaymentRecord, 'status' | 'amountCents' | 'refundedCents'>,
  pendingCents: number,
  amountCents: number | null,
): RefundDecision {
  const refundable = payment.amountCents - payment.refundedCents - pendingCents;
  if (!refundableStatuses.includes(payment.status) || refundable <= 0) {
    return { ok: false, code: 'payment_not_refundable', message: notRefundable[payment.status] };
  }
  if (amountCents === null) return { ok: true, amountCents: refundable };
  return amountCents > refundable ? { ok: false, code: 'amount_too_large' } : { ok: true, amountCents };
}

/** Returns the status of a payment by its refunds alone. */
export function statusByRefunds(amountCents: number, refundedCents: number): PaymentStatus {
  if (refundedCents === 0) return 'paid';
  return refundedCents === amountCents ? 'refunded' : 'partiallyRefunded';
}

/**
 * Returns the payment's status after its refunded amount changed. An open or lost dispute outranks refunds. A
 * won dispute does so until money is refunded after it. Spec: silent, AMB-47.
 */
export function statusAfterRefund(
  payment: Pick<PaymentRecord, 'status' | 'amountCents' | 'refundedCents'>,
  refundedCents: number,
): PaymentStatus {
  const { status, amountCents } = payment;
  if (status === 'disputed' || status === 'disputeLost') return status;
  if (status === 'disputeWon' && refundedCents <= payment.refundedCents) return status;
  return statusByRefunds(amountCents, refundedCents);
}

const second = 1_000;
const hour = 3_600_000;
const day = 24 * hour;

/** When a succeeded refund is checked, because the customer's bank may return it. In ms since its success. */
const checksAfterSuccess = [10 * second, 60 * second, 10 * 60 * second, hour, day, 7 * day, 30 * day];

/** How long a refund's workflow may be missing before another one is started, in ms. */
const startedByItselfMs = 15 * second;

/**
 * Returns when the network is next queried about a refund; null: never again. An undecided refund is queried
 * whenever its age has doubled, at least daily. A succeeded one is queried seven times within a month. Pure.
 */
export function nextRefundCheck(
  refund: Pick<RefundRecord, 'status' | 'submitAfter' | 'submittedAt' | 'succeededAt'>,
  now: Date,
): Date | null {
  const { status, submitAfter, submittedAt, succeededAt } = refund;
  if (status === 'pending') {
    if (submittedAt === null) return later(submitAfter, startedByItselfMs);
    const ageMs = now.getTime() - submittedAt.getTime();
    return later(now, Math.min(day, Math.max(3 * second, ageMs)));
  }
  if (status !== 'succeeded' || succeededAt === null) return null;
  const checks = checksAfterSuccess.map((ms) => later(succeededAt, ms));
  return checks.find((at) => at > now) ?? null;
}

const later = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms);
