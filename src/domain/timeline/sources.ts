import type { PaymentMethod } from '../statuses.ts';
import type { PaymentState } from '../payment-versions.ts';

/** The sources of a payment's timeline: its rows, without secrets. */

export type AttemptStatus =
  'processing' | 'requiresAction' | 'paid' | 'declined' | 'failed' | 'voided' | 'released';

/** An attempt as the timeline needs it. */
export interface TimelineAttempt {
  attemptNo: number;
  status: AttemptStatus;
  method: PaymentMethod;
  actionKind: 'threeDS' | 'wallet' | 'pix' | null;
  cardBrand: string | null;
  cardLast4: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  startedAt: Date;
  claimedAt: Date | null;
  /** When its outcome first was unknown; null: it never was. */
  firstUnknownAt: Date | null;
  resolvedAt: Date | null;
  /** Whether a paid attempt took the money after the deadline; null: the checkout's status decides. */
  late: boolean | null;
  /** The vault sent the card to a network that prepares charges. */
  prepared: boolean;
  simulated: boolean;
}

/** A refund; instants that have not come are null. */
export interface TimelineRefund {
  id: string;
  amountCents: number;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  failureCode: string | null;
  createdAt: Date;
  submitAfter: Date;
  submittedAt: Date | null;
  succeededAt: Date | null;
  failedAt: Date | null;
}

/** A dispute; instants that have not come are null. */
export interface TimelineDispute {
  id: string;
  amountCents: number;
  reason: string;
  status: 'needsResponse' | 'underReview' | 'won' | 'lost';
  resolution: string | null;
  evidenceDueAt: Date;
  submittedAt: Date | null;
  createdAt: Date;
  closedAt: Date | null;
}

/** Money that the network took and that no paid attempt has. */
export interface TimelineCapture {
  attemptNo: number;
  amountCents: number;
  currency: string;
  /** Null: the network named no instant. */
  capturedAt: Date | null;
  foundAt: Date;
}

/** An event of the log, with the facts of its data about a refund or dispute. */
export interface TimelineEvent {
  id: string;
  type: string;
  sequence: number;
  createdAt: Date;
  subjectId: string | null;
  amountCents: number | null;
  failureCode: string | null;
}

/** One try to deliver an event to an endpoint. */
export interface TimelineDelivery {
  eventId: string;
  type: string;
  endpointId: string;
  attemptNo: number;
  /** When it ended. */
  at: Date;
  statusCode: number | null;
  error: string | null;
}

/** A merchant's call that requested a change. */
export interface TimelineRequest {
  id: string;
  method: string;
  route: string;
  /** When it was answered. */
  answeredAt: Date;
  status: number;
  errorCode: string | null;
}

/** All sources of a payment's timeline. */
export interface TimelineSources {
  states: readonly PaymentState[];
  /** When a browser first opened the hosted page; null: not yet. */
  openedAt: Date | null;
  attempts: readonly TimelineAttempt[];
  refunds: readonly TimelineRefund[];
  disputes: readonly TimelineDispute[];
  captures: readonly TimelineCapture[];
  events: readonly TimelineEvent[];
  deliveries: readonly TimelineDelivery[];
  /** Only for a timeline with API calls, which are stored with a delay and deleted after some days. */
  requests?: readonly TimelineRequest[];
}
