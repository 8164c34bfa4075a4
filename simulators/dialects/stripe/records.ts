import { z } from 'zod';
import { declineNames } from './declines.ts';

/** Members of every object. Times are epoch ms here and whole seconds on the wire. */
const owned = {
  id: z.string(),
  accountId: z.string(),
  live: z.boolean(),
  createdAt: z.number(),
  metadata: z.record(z.string(), z.string()),
};

const declineName = z.enum(declineNames);

export const paymentMethodSchema = z.object({
  ...owned,
  behaviour: z.string(),
  brand: z.string(),
  last4: z.string(),
  expMonth: z.number(),
  expYear: z.number(),
  funding: z.enum(['credit', 'debit']),
  fingerprint: z.string(),
  /** Whether there was a security code, which itself is not stored. */
  hasCvc: z.boolean(),
  billing: z.object({
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    postalCode: z.string().nullable(),
    country: z.string().nullable(),
  }),
  wallet: z.enum(['apple_pay', 'google_pay']).nullable().default(null),
  /** A payment method that no customer owns belongs to the first intent it is confirmed with. */
  usedBy: z.string().nullable(),
});
export type StoredPaymentMethod = z.infer<typeof paymentMethodSchema>;

const intentStatuses = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'succeeded',
  'canceled',
] as const;

/** The 3-D Secure that a confirmation may request. */
export const threeDSecureRequests = ['automatic', 'any', 'challenge'] as const;

const outcomeSchema = z.union([z.literal('succeeded'), declineName]);
/** The outcome of a charge: succeeded, or the reason of its decline. */
export type Outcome = z.infer<typeof outcomeSchema>;

export const intentSchema = z.object({
  ...owned,
  amountCents: z.number(),
  status: z.enum(intentStatuses),
  clientSecret: z.string(),
  paymentMethodId: z.string().nullable(),
  returnUrl: z.string().nullable(),
  description: z.string().nullable(),
  receiptEmail: z.string().nullable(),
  statementDescriptorSuffix: z.string().nullable(),
  automaticMethods: z
    .object({ enabled: z.boolean(), allowRedirects: z.enum(['always', 'never']) })
    .nullable(),
  lastError: z
    .object({ decline: declineName, chargeId: z.string().nullable(), paymentMethodId: z.string() })
    .nullable(),
  latestChargeId: z.string().nullable(),
  /** The customer's step; `page` is its address, `redirects` whether the caller sends the customer there. */
  step: z
    .object({
      pageId: z.string(),
      state: z.enum(['open', 'authenticated', 'failed']),
      redirects: z.boolean(),
    })
    .nullable(),
  /** The automatic change while it is `processing`, and when it happens. */
  due: z.object({ at: z.number(), outcome: outcomeSchema }).nullable(),
  canceledAt: z.number().nullable(),
  cancellationReason: z.string().nullable(),
  /** Idempotency key of the latest confirmation, which names the attempt of a charge. */
  confirmKey: z.string().nullable(),
  /** The 3-D Secure that the latest confirmation requested; absent in older books. */
  threeDSecure: z.enum(threeDSecureRequests).default('automatic'),
});
export type Intent = z.infer<typeof intentSchema>;

export const chargeSchema = z.object({
  ...owned,
  intentId: z.string(),
  paymentMethodId: z.string(),
  amountCents: z.number(),
  status: z.enum(['pending', 'succeeded', 'failed']),
  decline: declineName.nullable(),
  authenticated: z.boolean(),
  confirmKey: z.string().nullable(),
  disputeId: z.string().nullable(),
  /** When a dispute opens automatically. */
  disputeAt: z.number().nullable(),
  description: z.string().nullable(),
  receiptEmail: z.string().nullable(),
  statementDescriptorSuffix: z.string().nullable(),
});
export type Charge = z.infer<typeof chargeSchema>;

const refundStatus = z.enum(['pending', 'succeeded', 'failed', 'canceled']);

export const refundSchema = z.object({
  ...owned,
  chargeId: z.string(),
  intentId: z.string(),
  amountCents: z.number(),
  status: refundStatus,
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).nullable(),
  failureReason: z.string().nullable(),
  due: z.object({ at: z.number(), status: refundStatus, failureReason: z.string().nullable() }).nullable(),
  /** Idempotency key it was made under. */
  key: z.string().nullable(),
});
export type Refund = z.infer<typeof refundSchema>;

const disputeStatuses = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
] as const;

export const disputeSchema = z.object({
  ...owned,
  chargeId: z.string(),
  intentId: z.string(),
  amountCents: z.number(),
  /** Lower case. Other values than usd can be ordered, to test how a reader handles an unknown currency. */
  currency: z.string().default('usd'),
  reason: z.string(),
  /** One of `disputeStatuses`, or an unknown status that was ordered, to test how a reader handles it. */
  status: z.string(),
  evidence: z.record(z.string(), z.string()),
  submissions: z.number(),
  dueBy: z.number(),
  due: z.object({ at: z.number(), status: z.enum(disputeStatuses) }).nullable(),
  networkReasonCode: z.string().nullable(),
});
export type Dispute = z.infer<typeof disputeSchema>;

/** A transfer to the account's bank, created by an order. */
export const payoutSchema = z.object({ ...owned, amountCents: z.number() });
export type Payout = z.infer<typeof payoutSchema>;

/** The event of one change, with the object as it was then. */
export const eventSchema = z.object({
  ...owned,
  type: z.string(),
  /** Orders events of the same second. */
  no: z.number(),
  objectId: z.string(),
  /** The object as JSON. */
  object: z.string(),
  requestId: z.string().nullable(),
  idempotencyKey: z.string().nullable(),
});
export type StoredEvent = z.infer<typeof eventSchema>;

export const endpointSchema = z.object({
  ...owned,
  url: z.string(),
  secret: z.string(),
  enabledEvents: z.array(z.string()),
  description: z.string().nullable(),
  apiVersion: z.string().nullable(),
});
export type Endpoint = z.infer<typeof endpointSchema>;

/** The use of a key, and its answer; null while the call runs. */
export const savedAnswerSchema = z.object({
  fingerprint: z.string(),
  at: z.number(),
  requestId: z.string(),
  answer: z.object({ status: z.number(), body: z.string() }).nullable(),
  /** The intent whose final state is the answer, while no answer is stored. */
  settles: z.string().nullable(),
});
export type SavedAnswer = z.infer<typeof savedAnswerSchema>;

/** The abilities of an account; changed by order. */
export const accountSchema = z.object({
  chargesEnabled: z.boolean(),
  cardPayments: z.enum(['active', 'inactive', 'pending']),
});
export type AccountSettings = z.infer<typeof accountSchema>;
