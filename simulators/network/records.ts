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

/** What the customer has to do, with the unguessable id of the page where it is done. */
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

/** What a charge carries of its payment's creation. */
export const creationSchema = z.object({
  reference: z.string().min(1).max(255),
  keyHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

/** A false answer about a charge, so that a reader meets what it does not know. */
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
  /** Empty: a tombstone, or written before it was kept. */
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
  /** Null: no money was taken, or it was before this was kept. */
  capturedAt: z.number().nullable().default(null),
  /** Null: it was sent without, or it is a tombstone. */
  creation: creationSchema.nullable().default(null),
  /** What readers are shown instead, by order. */
  misreport: misreportSchema.nullable().default(null),
});
export type Charge = z.infer<typeof chargeSchema>;

/** An outcome ordered for a key that has not been charged yet. */
export const preparedSchema = z.object({
  /** The merchant that ordered it; absent: the holder of the service key, for any sandbox charge. */
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
  /** Anything but USD: ordered, so that a reader meets what it does not know. */
  currency: z.string().default('USD'),
  reason: z.string(),
  stage: z.enum(disputeStages),
  /** One of `disputeStatuses`, or a status of tomorrow that was ordered. */
  status: z.string(),
  evidenceDueAt: z.number(),
  due: z.object({ at: z.number(), status: z.enum(disputeStatuses) }).nullable(),
  createdAt: z.number(),
  /** The number of its last change among all changes of disputes. */
  changeNo: z.number().default(0),
});
export type Dispute = z.infer<typeof disputeSchema>;

/**
 * The use of an Idempotency-Key of a dispute call: the hash of its body and the dispute it made or changed.
 */
export const onceSchema = z.object({ bodyHash: z.string(), disputeId: z.string() });
