/** The nine payment statuses, case-sensitive. Spec: States > Payment status. */
export const paymentStatuses = [
  'pending',
  'requiresAction',
  'paid',
  'failed',
  'refunded',
  'partiallyRefunded',
  'disputed',
  'disputeWon',
  'disputeLost',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/**
 * The statuses of a checkout; they describe the session, not the payment. Spec: States > Checkout status.
 */
export const checkoutStatuses = [
  'open',
  'processing',
  'requiresAction',
  'paid',
  'failed_retryable',
  'expired',
] as const;
export type CheckoutStatus = (typeof checkoutStatuses)[number];

/** Why a checkout is `expired`. Spec: States > Closing of a checkout. */
export const terminalReasons = ['checkout_expired', 'attempts_exhausted', 'provider_failed'] as const;
export type TerminalReason = (typeof terminalReasons)[number];

export const paymentMethods = ['card', 'wallet', 'pix'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

export const environments = ['sandbox', 'live'] as const;
export type Environment = (typeof environments)[number];

export const checkoutModes = ['hosted', 'custom'] as const;
export type CheckoutMode = (typeof checkoutModes)[number];

export const locales = ['en', 'es', 'pt'] as const;
export type Locale = (typeof locales)[number];

/** The language that a creation may choose: a fixed one, or that of the customer's browser. */
export const localeChoices = [...locales, 'auto'] as const;
export type LocaleChoice = (typeof localeChoices)[number];

/**
 * Every allowed change of a payment's status. Any other change is a bug, and is refused here and by a trigger
 * in the database. Spec: silent on the edges; AMB-47 for refunds and disputes.
 */
export const paymentStatusEdges: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['requiresAction', 'paid', 'failed'],
  requiresAction: ['pending', 'paid', 'failed'],
  paid: ['partiallyRefunded', 'refunded', 'disputed'],
  failed: [],
  // Back to these when a refund that had succeeded is rejected late; the money may be in dispute by then.
  partiallyRefunded: ['refunded', 'disputed', 'paid'],
  refunded: ['partiallyRefunded', 'paid', 'disputed', 'disputeLost'],
  // Back to the earlier status when the network withdraws the dispute.
  disputed: ['disputeWon', 'disputeLost', 'paid', 'partiallyRefunded', 'refunded'],
  disputeWon: ['partiallyRefunded', 'refunded', 'disputed'],
  // The dispute moves to a later stage, or its funds are reinstated.
  disputeLost: ['disputed', 'disputeWon', 'paid', 'partiallyRefunded', 'refunded'],
};

/** Returns whether a payment may change from one status to another; it may always keep its status. */
export function isAllowedStatusChange(from: PaymentStatus, to: PaymentStatus): boolean {
  return from === to || paymentStatusEdges[from].includes(to);
}
