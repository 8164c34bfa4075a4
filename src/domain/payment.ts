import type { CardIssuer } from './card.ts';
import type {
  CheckoutMode,
  CheckoutStatus,
  Environment,
  Locale,
  PaymentMethod,
  PaymentStatus,
  TerminalReason,
} from './statuses.ts';

/** One line of an order. `amountCents` is for the whole line, not for one piece. ADR 0040. */
export interface LineItem {
  name: string;
  quantity: number;
  amountCents: number;
}

/** A payment as stored. Amounts in integer US cents, instants as Date. */
export interface PaymentRecord {
  id: string;
  merchantId: string;
  environment: Environment;
  checkoutMode: CheckoutMode;
  reference: string;
  amountCents: number;
  refundedCents: number;
  status: PaymentStatus;
  method: PaymentMethod | null;
  customerEmail: string | null;
  customerName: string | null;
  metadata: Record<string, unknown>;
  /** The purpose of the payment, in the merchant's words. */
  description: string | null;
  /** Null: none were sent. */
  lineItems: LineItem[] | null;
  successUrl: string;
  cancelUrl: string;
  fixedMethod: 'card' | 'wallet' | null;
  offeredMethods: PaymentMethod[];
  embeddingOrigin: string | null;
  frameOrigins: string[];
  /** The page's language. If the page follows the browser's, the one for browsers with none of ours. */
  locale: Locale;
  /** Whether the page follows the language of the customer's browser. */
  localeAuto: boolean;
  checkoutUrlSealed: Buffer;
  vaultId: string;
  createdAt: Date;
  expiresAt: Date;
  captureExpiresAt: Date;
  checkoutStatus: CheckoutStatus;
  terminalReason: TerminalReason | null;
  attemptsLeft: number;
  stateSeq: number;
  finalizedAt: Date | null;
  failureCode: string | null;
  failureMessage: string | null;
  cardBin: string | null;
  cardIssuer: CardIssuer | null;
  cardBrand: string | null;
  cardLast4: string | null;
  paidAt: Date | null;
  refundedAt: Date | null;
  workflowStartedAt: Date | null;
  /** The connector with which the payment was created, which never changes; null: the simulators. */
  connectorId: string | null;
  /** Keyed hash of its creation's Idempotency-Key; null or absent: not known. */
  creationKeyHash?: Buffer | null;
  /** When the payment was restored after its rows were lost; null or absent: never. ADR 0062. */
  restoredAt?: Date | null;
}

/** The fields of a payment that its checkout needs, and no others: every call of a checkout reads them. */
export type CheckoutPayment = Omit<
  PaymentRecord,
  | 'createdAt'
  | 'refundedCents'
  | 'refundedAt'
  | 'customerEmail'
  | 'customerName'
  | 'metadata'
  | 'description'
  | 'lineItems'
  | 'fixedMethod'
  | 'checkoutUrlSealed'
  | 'failureCode'
  | 'failureMessage'
  | 'cardBin'
  | 'cardIssuer'
  | 'cardBrand'
  | 'cardLast4'
  | 'restoredAt'
>;

/** Returns the provider's key of an attempt. An attempt always has the same key. */
export const attemptKey = (paymentId: string, attemptNo: number): string => `${paymentId}:${attemptNo}`;

/**
 * The Payment object of the API and of webhooks, with all keys always (PMT-31). Spec: Resources > Payment.
 */
export interface PaymentView {
  id: string;
  reference: string;
  status: PaymentStatus;
  method: PaymentMethod | null;
  amountCents: number;
  refundedCents: number;
  netCents: number;
  currency: 'USD';
  customer: { email: string | null; name: string | null };
  metadata: Record<string, unknown>;
  checkoutUrl: string | null;
  expiresAt: string;
  cardBin: string | null;
  cardIssuer: CardIssuer | null;
  cardBrand: string | null;
  cardLast4: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  createdAt: string;
  paidAt: string | null;
  refundedAt: string | null;
  environment: Environment;
  /** Present only if they were sent: any other payment has exactly the keys of the specification. */
  description?: string | undefined;
  lineItems?: LineItem[] | undefined;
  locale?: 'auto' | undefined;
  /** Present only if the payment's rows were lost and restored. ADR 0062. */
  restored?: true | undefined;
}

/** Returns whether the checkout URL still opens a usable page (AMB-21). */
export function checkoutIsUsable(payment: Pick<PaymentRecord, 'checkoutStatus'>): boolean {
  return payment.checkoutStatus !== 'paid' && payment.checkoutStatus !== 'expired';
}

/**
 * Returns the amount that the merchant keeps of a payment, in cents: 0 before it is paid and after a lost
 * dispute (AMB-20).
 */
export function netCents(
  payment: Pick<PaymentRecord, 'amountCents' | 'refundedCents' | 'paidAt' | 'status'>,
): number {
  if (payment.paidAt === null || payment.status === 'disputeLost') return 0;
  return payment.amountCents - payment.refundedCents;
}

/**
 * Returns a stored payment as merchants read it. `checkoutUrl` is in clear, or null where it must not appear.
 */
export function paymentView(payment: PaymentRecord, checkoutUrl: string | null): PaymentView {
  return {
    id: payment.id,
    reference: payment.reference,
    status: payment.status,
    method: payment.method,
    amountCents: payment.amountCents,
    refundedCents: payment.refundedCents,
    netCents: netCents(payment),
    currency: 'USD',
    customer: { email: payment.customerEmail, name: payment.customerName },
    metadata: payment.metadata,
    checkoutUrl,
    expiresAt: payment.expiresAt.toISOString(),
    cardBin: payment.cardBin,
    cardIssuer: payment.cardIssuer,
    cardBrand: payment.cardBrand,
    cardLast4: payment.cardLast4,
    failureCode: payment.failureCode,
    failureMessage: payment.failureMessage,
    createdAt: payment.createdAt.toISOString(),
    paidAt: payment.paidAt?.toISOString() ?? null,
    refundedAt: payment.refundedAt?.toISOString() ?? null,
    environment: payment.environment,
    ...(payment.description === null ? {} : { description: payment.description }),
    ...(payment.lineItems === null ? {} : { lineItems: payment.lineItems }),
    ...(payment.localeAuto ? { locale: 'auto' as const } : {}),
    ...(payment.restoredAt ? { restored: true as const } : {}),
  };
}
