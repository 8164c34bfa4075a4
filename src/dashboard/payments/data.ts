import type { RefundApproval } from '../../db/refunds/refund-approvals.ts';
import type { ReceiptMail } from '../../db/mail/receipts.ts';
import type { ApiRequest } from '../../domain/api-request.ts';
import type { DisputeRecord } from '../../domain/dispute.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import type { RefundRecord } from '../../domain/refund.ts';
import type { TimelineEntry } from '../../domain/timeline/draft-entry.ts';
import { timelineParts } from '../../domain/timeline/parts.ts';
import type { WaitingFor } from '../../domain/waiting.ts';
import type { DeliveryLine } from '../webhooks/deliveries.tsx';

/** The parts of a payment's timeline that its address can name; without one, the overview. */
export const shownParts = [...timelineParts, 'all'] as const;
export type ShownPart = (typeof shownParts)[number];

/** An attempt to charge the payment. */
export interface AttemptLine {
  attemptNo: number;
  status: string;
  method: string;
  cardBrand: string | null;
  cardLast4: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  /** The network's name of the charge. */
  providerReference: string | null;
  startedAt: Date;
  resolvedAt: Date | null;
}

/** Everything about one payment. */
export interface PaymentPageData {
  payment: PaymentRecord;
  /** It was read from the archive: it is in no list. */
  isArchived: boolean;
  waitingFor: WaitingFor | null;
  entries: readonly TimelineEntry[];
  /** The part of the timeline to show. */
  part: ShownPart;
  attempts: readonly AttemptLine[];
  refunds: readonly RefundRecord[];
  /** The members who asked for refunds, by the refund's id; absent for other authors. */
  refundMembers: Readonly<Record<string, string>>;
  /** The payment link that it began with; null for none. */
  linkId: string | null;
  /** Refunds that wait for a second member. */
  approvals: readonly RefundApproval[];
  disputes: readonly DisputeRecord[];
  deliveries: readonly DeliveryLine[];
  /** URLs of the merchant's endpoints, by id. */
  endpointUrls: Readonly<Record<string, string>>;
  /** The newest receipt that is mailed to the customer; null where none is. */
  receipt: ReceiptMail | null;
  /** Whether the merchant has a mail server. */
  isMailSet: boolean;
  /** The token of the form that mails the receipt again. */
  receiptKey: string;
  /** The newest API requests about it. */
  requests: readonly ApiRequest[];
  /** What can still be refunded, in cents. */
  refundableCents: number;
  /** Where the customer pays; null once that is over. */
  checkoutUrl: string | null;
  /** The idempotency key of the refund form. */
  refundKey: string;
  /** The refund form's values after it was rejected. */
  refundForm: { amount: string; reference: string; reason: string } | null;
  /** Changes with the content of the page. */
  version: string;
}
