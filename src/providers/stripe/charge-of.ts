import type { Stripe } from 'stripe';
import type { ProviderAction } from '../../domain/action.ts';
import type { AttemptReference, Charge, ChargeRequest } from '../ports.ts';
import { declineOf } from './declines.ts';

/** Returns the service's data on a payment intent, without any data of a customer. */
export const metadataOf = (attempt: Pick<AttemptReference, 'key' | 'paymentId'>) => ({
  paymentId: attempt.paymentId,
  attempt: attempt.key.slice(attempt.paymentId.length + 1),
});

/** Returns the same data with the facts from which a payment is restored when its rows are lost. */
export const creationMetadataOf = (request: ChargeRequest) => ({
  ...metadataOf(request),
  merchantId: request.merchantId,
  ...(request.creation && { reference: request.creation.reference }),
  ...(request.creation?.keyHash && { creationKeyHash: request.creation.keyHash }),
});

/**
 * Returns the charge of an attempt by its payment intent; null while it is not confirmed, so that the issuer
 * was not asked. An intent of another attempt, or in a state that this version does not know, is
 * `unreadable`.
 */
export function chargeOf(
  intent: Stripe.PaymentIntent,
  attempt: AttemptReference,
  publishableKey: string,
): Charge | null {
  const { paymentId, attempt: attemptNo } = metadataOf(attempt);
  const charge = {
    chargeId: intent.id,
    key: attempt.key,
    paymentId: attempt.paymentId,
    amountCents: intent.status === 'succeeded' ? intent.amount_received : intent.amount,
    currency: intent.currency.toUpperCase(),
    failureCode: null,
    message: null,
    card: cardOf(intent),
    action: null,
    stepDone: intent.status !== 'requires_action',
    capturedAtMs: intent.status === 'succeeded' ? capturedAt(intent) : null,
  };
  const isOfPayment = intent.id === attempt.providerReference && intent.metadata['paymentId'] === paymentId;
  if (!isOfPayment || intent.metadata['attempt'] !== attemptNo) return { ...charge, status: 'unreadable' };
  const failure = intent.last_payment_error;
  switch (intent.status) {
    case 'succeeded':
      return { ...charge, status: 'captured' };
    case 'processing':
      return { ...charge, status: 'pending' };
    case 'requires_action':
      return { ...charge, status: 'requires_action', action: actionOf(intent, publishableKey) };
    case 'requires_payment_method':
      return failure ? { ...charge, ...declineOf(failure.decline_code, failure.code) } : null;
    case 'requires_confirmation':
      return null;
    case 'canceled':
      return failure
        ? { ...charge, ...declineOf(failure.decline_code, failure.code) }
        : { ...charge, status: 'voided' };
    case 'requires_capture':
    default:
      // The amount is held but not captured, or the state is newer than this version.
      return { ...charge, status: 'unreadable' };
  }
}

/** Returns when the charge was made, in epoch ms of whole seconds; Stripe captures it as it is made. */
function capturedAt({ latest_charge: charge }: Stripe.PaymentIntent): number | null {
  return typeof charge === 'object' && charge !== null && Number.isSafeInteger(charge.created)
    ? charge.created * 1_000
    : null;
}

/** Returns the customer's step; null for a step without a page, which makes the charge undecided. */
function actionOf(intent: Stripe.PaymentIntent, publishableKey: string): ProviderAction | null {
  const url = intent.next_action?.redirect_to_url?.url;
  if (!url || !intent.client_secret) return null;
  return { kind: 'threeDS', clientSecret: intent.client_secret, publishableKey, url };
}

/** Returns the card if Stripe returns both its brand and last four digits. */
function cardOf(intent: Stripe.PaymentIntent): Charge['card'] {
  const charged =
    typeof intent.latest_charge === 'object' ? intent.latest_charge?.payment_method_details?.card : undefined;
  const attached = typeof intent.payment_method === 'object' ? intent.payment_method?.card : undefined;
  const card = charged ?? attached ?? intent.last_payment_error?.payment_method?.card;
  return card?.brand && card.last4 ? { brand: card.brand, last4: card.last4 } : null;
}
