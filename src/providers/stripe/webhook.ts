import { Stripe } from 'stripe';

/** How old a signed event may be, or how far in the future, in seconds. */
const toleranceSeconds = 300;

/**
 * Events of a payment intent with more information than the answer to our own call. The beginning of a step
 * is not among them, because following it would take the payment's fence for a moment.
 */
const decided = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.processing',
];

/** The objects that must be read again after an event. The event itself is not trusted. */
export interface StripeHint {
  /** The payment intent that changed, or whose refund or dispute did. */
  chargeReference: string;
  /** Whether the event's type means that it is captured. */
  succeeded: boolean;
  /** Our key of the attempt in the intent's metadata, which may be any text. Null for other objects. */
  attempt: { paymentId: string | null; attemptNo: string | null } | null;
  /** The intent's refunds must be read again. */
  refunds: boolean;
  /** Our id of the refund that changed; null for a refund that does not name one. */
  refundKey: string | null;
  /** Stripe's id of the dispute that changed. */
  disputeId: string | null;
}

/**
 * Returns the objects that must be read after a signed event; `unsigned` when none of the secrets verifies
 * its signature at `nowMs` (epoch ms), null for an event that does not matter here.
 */
export function stripeHint(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
  nowMs: number,
): StripeHint | 'unsigned' | null {
  const event = secrets
    .map((secret) => verified(body, signature, secret, nowMs))
    .find((found) => found !== null);
  if (!event) return 'unsigned';
  const object = event.data?.object as
    { object?: string; id?: string; payment_intent?: unknown; metadata?: Record<string, string> } | undefined;
  if (!object?.id) return null;
  const none = { refunds: false, refundKey: null, disputeId: null, succeeded: false, attempt: null };
  if (object.object === 'payment_intent') {
    if (!decided.includes(event.type)) return null;
    const { paymentId = null, attempt: attemptNo = null } = object.metadata ?? {};
    const succeeded = event.type === 'payment_intent.succeeded';
    return { ...none, chargeReference: object.id, succeeded, attempt: { paymentId, attemptNo } };
  }
  const { payment_intent: behind } = object;
  if (typeof behind !== 'string') return null;
  const chargeReference = behind;
  if (object.object === 'refund') {
    return { chargeReference, ...none, refunds: true, refundKey: object.metadata?.['refundId'] ?? null };
  }
  if (event.type === 'charge.refunded') return { chargeReference, ...none, refunds: true };
  if (object.object === 'dispute') return { chargeReference, ...none, disputeId: object.id };
  return null;
}

/** Returns the event if the SDK accepts its signature and age, and its time is not too far in the future. */
function verified(body: Buffer, signature: string, secret: string, nowMs: number): Stripe.Event | null {
  const signedAt = Number(/(?:^|,)\s*t=(\d+)/.exec(signature)?.[1]);
  if (!(signedAt - nowMs / 1000 <= toleranceSeconds)) return null;
  try {
    return Stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, nowMs);
  } catch {
    return null;
  }
}
