import { Stripe } from 'stripe';

/** Seconds that a signed event may be old, or ahead of this clock. */
const toleranceSeconds = 300;

/**
 * Events of a payment intent that hold more than the answer to our own call did. The beginning of a step is
 * not among them, because following it takes the payment's fence for a moment.
 */
const decided = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.processing',
];

/** The objects that an event asks to read again. The event itself is not trusted. */
export interface StripeHint {
  /** The payment intent that changed, or whose refund or dispute did. */
  chargeReference: string;
  /** It is captured, by the event's type. */
  succeeded: boolean;
  /** Our key of the attempt, as its metadata names it: any text, of any payment. Null for other objects. */
  attempt: { paymentId: string | null; attemptNo: string | null } | null;
  /** The intent's refunds are to be read again. */
  refunds: boolean;
  /** Our id of the refund that changed; null for a refund that does not name one. */
  refundKey: string | null;
  /** Stripe's id of the dispute that changed. */
  disputeId: string | null;
}

/**
 * Returns the objects that a signed event asks to read; `unsigned` where none of the secrets verifies its
 * signature now, null for an event that does not matter here.
 */
export function stripeHint(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
): StripeHint | 'unsigned' | null {
  const event = secrets.map((secret) => verified(body, signature, secret)).find((found) => found !== null);
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

/**
 * Checks signature and age by the SDK, and also refuses a time that is too far in the future.
 */
function verified(body: Buffer, signature: string, secret: string): Stripe.Event | null {
  const signedAt = Number(/(?:^|,)\s*t=(\d+)/.exec(signature)?.[1]);
  if (!(signedAt - Date.now() / 1000 <= toleranceSeconds)) return null;
  try {
    return Stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds);
  } catch {
    return null;
  }
}
