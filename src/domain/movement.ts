import type { Environment } from './statuses.ts';

/** The types of movements of money. docs/movements.md. */
export const movementTypes = [
  'captured',
  'late',
  'refunded',
  'refund_failed',
  'disputed',
  'dispute_won',
  'dispute_lost',
  'fee',
  'payout',
] as const;
export type MovementType = (typeof movementTypes)[number];

/** A movement of money, as it is stored. It never changes. */
export interface MovementRecord {
  id: string;
  type: MovementType;
  /** Negative when the movement took money from the merchant. */
  amountCents: number;
  currency: string;
  environment: Environment;
  /** Null: a payout belongs to no payment. */
  paymentId: string | null;
  refundId: string | null;
  disputeId: string | null;
  method: string | null;
  /** The provider's id of the object, or the key under which the provider finds it. */
  providerReference: string | null;
  /** The movement that this one reverses or continues. */
  followsFrom: string | null;
  /** When the money moved. */
  occurredAt: Date;
  /** The instant under which the movement is counted. */
  bookedAt: Date;
  /** The day under which the movement is counted, in the merchant's time zone: `2026-03-31`. */
  bookedOn: string;
}

/** A movement as the API and the download show it. */
export interface MovementView extends Omit<MovementRecord, 'occurredAt' | 'bookedAt'> {
  occurredAt: string;
  bookedAt: string;
}

export const movementView = ({
  id,
  type,
  amountCents,
  currency,
  occurredAt,
  bookedAt,
  bookedOn,
  paymentId,
  refundId,
  disputeId,
  method,
  providerReference,
  followsFrom,
  environment,
}: MovementRecord): MovementView => ({
  id,
  type,
  amountCents,
  currency,
  occurredAt: occurredAt.toISOString(),
  bookedAt: bookedAt.toISOString(),
  bookedOn,
  paymentId,
  refundId,
  disputeId,
  method,
  providerReference,
  followsFrom,
  environment,
});
