import { z } from 'zod';

export const chargeOutcomes = ['captured', 'declined', 'failed', 'requires_action', 'pending'] as const;
export type ChargeOutcome = (typeof chargeOutcomes)[number];
export const paymentMethods = ['card', 'wallet', 'pix'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** An automatic change at `at` (epoch ms), unless something else happens first. */
const dueChargeSchema = z.object({
  at: z.number(),
  status: z.enum(chargeOutcomes),
  failureCode: z.string().nullable(),
});

/** The customer's step, with the unguessable id of its page. */
const stepSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('threeDS'),
    pageId: z.string(),
    clientSecret: z.string(),
    state: z.enum(['open', 'authenticated', 'failed']),
  }),
  z.object({ kind: z.literal('wallet'), pageId: z.string(), expiresAt: z.number() }),
  z.object({
    kind: z.literal('pix'),
    pageId: z.string(),
    code: z.string(),
    expiresAt: z.number(),
    reais: z.object({ amountCents: z.number(), rate: z.string(), rateAt: z.number() }),
  }),
]);
export type Step = z.infer<typeof stepSchema>;

/** The details of the payment's creation that a charge carries. */
export const creationSchema = z.object({
  reference: z.string().min(1).max(255),
  keyHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

/** A false answer about a charge, to test how a reader handles unknown values. */
export const misreportSchema = z.strictObject({
  status: z.string().min(1).max(64).optional(),
  amountCents: z.int().optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  key: z.string().min(1).max(128).optional(),
  capturedAt: z.iso.datetime().optional(),
});

/**
 * One charge in the ledger. Amounts in cents, times in epoch ms. The card number is never here, only its
 * `behaviour`. `bodyHash` null marks a tombstone: a key that was voided before it was charged.
 */
export const chargeSchema = z.object({
  chargeId: z.string(),
  key: z.string(),
  paymentId: z.string(),
  attemptId: z.string(),
  /** Empty for a tombstone, and for a charge of an older file. */
  merchantId: z.string().default(''),
  environment: z.string(),
  amountCents: z.number(),
  currency: z.literal('USD'),
  method: z.enum(paymentMethods),
  status: z.enum([...chargeOutcomes, 'voided']),
  failureCode: z.string().nullable(),
  card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
  behaviour: z.string(),
  step: stepSchema.nullable(),
  due: dueChargeSchema.nullable(),
  disputeAt: z.number().nullable(),
  doubleCallbacks: z.boolean(),
  bodyHash: z.string().nullable(),
  returnUrl: z.string(),
  ancestorOrigins: z.array(z.string()),
  checkoutExpiresAt: z.number(),
  createdAt: z.number(),
  /** Null when no money was taken, or in older files. */
  capturedAt: z.number().nullable().default(null),
  /** Null when the call had none, or for a tombstone. */
  creation: creationSchema.nullable().default(null),
  /** An ordered, false answer that readers see instead. */
  misreport: misreportSchema.nullable().default(null),
});
export type Charge = z.infer<typeof chargeSchema>;

/** An outcome ordered for a key that has not been charged yet. */
export const preparedSchema = z.object({
  /** The merchant that ordered it; absent in an order of the service key, for any sandbox charge. */
  merchantId: z.string().optional(),
  outcome: z.enum(chargeOutcomes),
  failureCode: z.string().nullable(),
  afterSeconds: z.number(),
});
export type Prepared = z.infer<typeof preparedSchema>;

const refundStatuses = ['pending', 'succeeded', 'failed'] as const;

/** A refund of a charge; `bodyHash` null marks a tombstone. */
export const refundSchema = z.object({
  refundId: z.string(),
  key: z.string(),
  paymentId: z.string(),
  chargeKey: z.string(),
  amountCents: z.number(),
  status: z.enum(refundStatuses),
  failureCode: z.string().nullable(),
  due: z
    .object({ at: z.number(), status: z.enum(refundStatuses), failureCode: z.string().nullable() })
    .nullable(),
  bodyHash: z.string().nullable(),
  createdAt: z.number(),
});
export type Refund = z.infer<typeof refundSchema>;

export const disputeStages = ['inquiry', 'chargeback', 'preArbitration'] as const;
const disputeStatuses = ['needsResponse', 'underReview', 'won', 'lost', 'withdrawn'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

export const disputeSchema = z.object({
  disputeId: z.string(),
  paymentId: z.string(),
  chargeKey: z.string(),
  amountCents: z.number(),
  /** Other values than USD can be ordered, to test how a reader handles an unknown currency. */
  currency: z.string().default('USD'),
  reason: z.string(),
  stage: z.enum(disputeStages),
  /** One of `disputeStatuses`, or an unknown status that was ordered, to test how a reader handles it. */
  status: z.string(),
  evidenceDueAt: z.number(),
  due: z.object({ at: z.number(), status: z.enum(disputeStatuses) }).nullable(),
  createdAt: z.number(),
  /** The number of its last change among all changes of disputes. */
  changeNo: z.number().default(0),
});
export type Dispute = z.infer<typeof disputeSchema>;

/**
 * The use of an Idempotency-Key of a dispute call: its body's hash and the dispute that it created or
 * changed.
 */
export const onceSchema = z.object({ bodyHash: z.string(), disputeId: z.string() });
