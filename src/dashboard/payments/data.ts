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

/** The parts of a payment's timeline that its address can name. Without a part it shows the overview. */
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
  /** The network's reference of the charge. */
  providerReference: string | null;
  startedAt: Date;
  resolvedAt: Date | null;
}

/** All data of one payment's page. */
export interface PaymentPageData {
  payment: PaymentRecord;
  /** Whether it was read from the archive; then no list contains it. */
  isArchived: boolean;
  waitingFor: WaitingFor | null;
  entries: readonly TimelineEntry[];
  /** The part of the timeline to show. */
  part: ShownPart;
  attempts: readonly AttemptLine[];
  refunds: readonly RefundRecord[];
  /** The names of the members who requested refunds, by the refund's id; absent for other authors. */
  refundMembers: Readonly<Record<string, string>>;
  /** The payment link with which the payment was created; null for none. */
  linkId: string | null;
  /** Refunds that wait for a second member. */
  approvals: readonly RefundApproval[];
  disputes: readonly DisputeRecord[];
  deliveries: readonly DeliveryLine[];
  /** URLs of the merchant's endpoints, by id. */
  endpointUrls: Readonly<Record<string, string>>;
  /** The newest receipt that is mailed to the customer; null if there is none. */
  receipt: ReceiptMail | null;
  /** Whether the merchant has a mail server. */
  isMailSet: boolean;
  /** The token of the form that mails the receipt again. */
  receiptKey: string;
  /** The newest API requests about the payment. */
  requests: readonly ApiRequest[];
  /** The amount that can still be refunded, in cents. */
  refundableCents: number;
  /** The address where the customer pays; null once the checkout has closed. */
  checkoutUrl: string | null;
  /** The idempotency key of the refund form. */
  refundKey: string;
  /** The refund form's values after it was rejected. */
  refundForm: { amount: string; reference: string; reason: string } | null;
  /** A value that changes with the content of the page. */
  version: string;
}
