/** The ways in which the provider's books and the rows may differ. docs/reconciliation.md. */
export const differenceKinds = [
  'charge_unknown_here',
  'charge_missing_there',
  'amount_differs',
  'captured_but_not_paid',
  'paid_but_not_captured',
  'captured_twice',
  'refund_unknown_here',
  'refund_missing_there',
  'refund_amount_differs',
  'refund_status_differs',
  'refunded_too_much',
  'dispute_unknown_here',
  'dispute_status_differs',
  'unresolved_too_long',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** `healed`: a check by the key decided, and the rows agree now. The others need a person. */
export const differenceActions = ['healed', 'needs_attention'] as const;
export type DifferenceAction = (typeof differenceActions)[number];

/** The data of one side about a charge, a refund or a dispute. */
export interface ReportedFacts {
  amountCents: number;
  /** Upper case. */
  currency: string;
  status: string;
}

/** Amounts that the provider lists for one day (UTC) in one currency, in cents. */
export interface ReconciliationTotal {
  currency: string;
  /** `2026-03-31`. */
  day: string;
  capturedCents: number;
  refundedCents: number;
  disputedCents: number;
  /** Present if the balance was read: fees, what is left after them, and payouts to the bank. */
  feesCents?: number;
  netCents?: number;
  payoutCents?: number;
}

/** A difference as commands, the workflow and the CSV show it. */
export interface ReconciliationDifference {
  kind: DifferenceKind;
  /** The payment's id; for a foreign payment, the provider's name of it; null: the provider names none. */
  paymentId: string | null;
  ours: ReportedFacts | null;
  theirs: ReportedFacts | null;
  action: DifferenceAction;
}

/** The result of a reconciliation. */
export interface ReconciliationResult {
  runId: string;
  /** Whether everything of the span was compared. */
  complete: boolean;
  compared: { charges: number; refunds: number; disputes: number };
  totals: ReconciliationTotal[];
  differences: ReconciliationDifference[];
}

/** A charge according to the rows. */
export interface OurCharge {
  /** The payment's amount; null: the payment is not one of ours. */
  amountCents: number | null;
  /** The attempt's status; null: the rows do not have the attempt. */
  status: string | null;
  /** The attempt is paid by exactly this object of the provider. */
  isPaidByIt: boolean;
  /** Another attempt of the payment is paid, or the provider captured another charge of it before. */
  isCapturedElsewhere: boolean;
}

/** Returns how a charge differs; null: it does not differ, or is not decided yet. */
export function differenceOfCharge(ours: OurCharge, theirs: ReportedFacts | null): DifferenceKind | null {
  if (theirs === null) return ours.isPaidByIt ? 'charge_missing_there' : null;
  if (theirs.status !== 'captured') return ours.isPaidByIt ? 'paid_but_not_captured' : null;
  if (!ours.isPaidByIt && ours.isCapturedElsewhere) return 'captured_twice';
  if (ours.amountCents === null || ours.status === null) return 'charge_unknown_here';
  if (!ours.isPaidByIt) return 'captured_but_not_paid';
  return theirs.amountCents === ours.amountCents && theirs.currency === 'USD' ? null : 'amount_differs';
}

/** Returns how a refund differs. `ours`: null where the rows do not have it. */
export function differenceOfRefund(
  ours: (ReportedFacts & { isSent: boolean }) | null,
  theirs: ReportedFacts | null,
): DifferenceKind | null {
  if (ours === null) return theirs === null || theirs.status === 'failed' ? null : 'refund_unknown_here';
  if (theirs === null) return ours.status === 'succeeded' ? 'refund_missing_there' : null;
  // It was closed at the provider, so that it never moves money.
  if (ours.status === 'canceled' && theirs.status === 'failed') return null;
  if (theirs.amountCents !== ours.amountCents || theirs.currency !== 'USD') return 'refund_amount_differs';
  return theirs.status === ours.status ? null : 'refund_status_differs';
}

/** Returns how a dispute differs. A dispute that is withdrawn is stored as won. */
export function differenceOfDispute(
  ours: ReportedFacts | null,
  theirs: ReportedFacts | null,
): DifferenceKind | null {
  if (theirs === null) return null;
  if (ours === null) return 'dispute_unknown_here';
  const status = theirs.status === 'withdrawn' ? 'won' : theirs.status;
  return status === ours.status ? null : 'dispute_status_differs';
}

/** Longest span of one run, in days. */
export const longestSpanDays = 400;

/** Returns why a span cannot be compared; null: it can. */
export function spanProblem(from: Date, to: Date): 'order' | 'length' | null {
  if (from.getTime() >= to.getTime()) return 'order';
  return to.getTime() - from.getTime() > longestSpanDays * 86_400_000 ? 'length' : null;
}

/** Returns the latest instant at or before `now` at which the clock shows `time` (`03:00`) in UTC. */
export function lastInstantOf(time: string, now: Date): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const at = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), hours, minutes);
  return new Date(at <= now.getTime() ? at : at - 86_400_000);
}
