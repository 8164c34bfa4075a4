import type { PublishedCardBehaviour } from '../../published-cards.ts';
import { randomBase62 } from '../../secrets.ts';
import { startOf, type Start } from './card-rules.ts';
import { declineError } from './declines.ts';
import { StripeError } from './errors.ts';
import type { Cause } from './events.ts';
import type { Ledger } from './ledger.ts';
import { paymentIdOf } from './payment-reference.ts';
import type { Intent, StoredPaymentMethod } from './records.ts';

export interface Confirmation {
  returnUrl: string | null;
  /** Whether the caller shows the customer's step itself instead of redirecting the customer. */
  useSdk: boolean;
  /** The 3-D Secure that the caller requests; `automatic` leaves it to the issuer. */
  threeDSecure: Intent['threeDSecure'];
  key: string | null;
  cause: Cause;
}

/**
 * Confirms an intent with a payment method. Returns the changed intent, and how the call is answered. Throws
 * 400 `payment_intent_unexpected_state` for an intent that is succeeded, canceled or processing; an intent
 * that waits for its customer stays as it is.
 */
export function confirmIntent(
  ledger: Ledger,
  before: Intent,
  method: StoredPaymentMethod | null,
  confirmation: Confirmation,
  now: number,
): { intent: Intent; answer: Start['answer'] } {
  requireConfirmable(ledger, before);
  if (before.status === 'requires_action' && method === null) return { intent: before, answer: 'now' };
  const used = method ?? ledger.findMethod(before.paymentMethodId);
  if (!used) {
    throw unexpectedState(
      ledger,
      before,
      'You cannot confirm this PaymentIntent because it is missing a payment method. ' +
        'You can either update the PaymentIntent with a payment method and then confirm it again, ' +
        'or confirm it again directly with a payment method.',
    );
  }
  if (used.usedBy !== null && used.usedBy !== before.id) throw methodUsed();
  ledger.saveMethod({ ...used, usedBy: before.id });
  const intent: Intent = {
    ...before,
    paymentMethodId: used.id,
    returnUrl: confirmation.returnUrl ?? before.returnUrl,
    threeDSecure: confirmation.threeDSecure,
    confirmKey: confirmation.key ?? before.confirmKey,
    lastError: null,
    step: null,
  };
  const start = startOf(used.behaviour as PublishedCardBehaviour, {
    now,
    checkoutExpiresAt: checkoutEnd(intent, ledger.checkoutMs),
    declinedBefore: () => declinedBefore(ledger, intent, used.behaviour),
    asksThreeDSecure: confirmation.threeDSecure !== 'automatic',
  });
  return { intent: begin(ledger, intent, start, confirmation), answer: start.answer };
}

function begin(ledger: Ledger, intent: Intent, start: Start, confirmation: Confirmation): Intent {
  const { cause, useSdk } = confirmation;
  if (start.does === 'finish') return ledger.finish(intent, start.outcome, cause);
  if (start.does === 'process') {
    return ledger.process(intent, { at: start.at, outcome: start.outcome }, cause);
  }
  const redirects = intent.returnUrl !== null && !useSdk;
  const step = { pageId: randomBase62(32), state: 'open' as const, redirects };
  return ledger.saveIntent({ ...intent, status: 'requires_action', step }, 'requires_action', cause);
}

/** Records the customer's answer to the challenge. Only the first answer counts. */
export function answerChallenge(ledger: Ledger, intent: Intent, state: 'authenticated' | 'failed'): Intent {
  if (intent.status !== 'requires_action' || intent.step?.state !== 'open') return intent;
  const answered = { ...intent, step: { ...intent.step, state } };
  const behaviour = ledger.findMethod(intent.paymentMethodId)?.behaviour;
  const passes = state === 'authenticated' && behaviour !== 'challengeThenDeclined';
  return ledger.finish(answered, passes ? 'succeeded' : 'authentication', null);
}

/** Cancels an intent that was not captured. Throws 400 `payment_intent_unexpected_state` otherwise. */
export function cancelIntent(
  ledger: Ledger,
  intent: Intent,
  reason: string | null,
  cause: Cause | null,
  now: number,
): Intent {
  if (intent.status === 'succeeded' || intent.status === 'canceled' || intent.status === 'processing') {
    throw unexpectedState(
      ledger,
      intent,
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. ` +
        'Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, ' +
        'requires_capture, requires_confirmation, requires_action, processing.',
    );
  }
  return ledger.saveIntent(
    { ...intent, status: 'canceled', canceledAt: now, cancellationReason: reason, due: null },
    'canceled',
    cause,
  );
}

/**
 * Captures an intent that was declined or canceled, which no provider should do. Throws 400
 * `payment_intent_unexpected_state` for an intent that was never used with a payment method.
 */
export function captureDeclined(ledger: Ledger, intent: Intent): Intent {
  const used = intent.paymentMethodId ?? intent.lastError?.paymentMethodId ?? null;
  const isOver = intent.status === 'requires_payment_method' || intent.status === 'canceled';
  if (!isOver || used === null) {
    throw unexpectedState(ledger, intent, 'Only a declined or canceled PaymentIntent is captured so.');
  }
  return ledger.finish({ ...intent, paymentMethodId: used, canceledAt: null }, 'succeeded', null);
}

/** Returns the 402 of a confirmation that ended in a decline, or null when it did not. */
export function declineAnswer(ledger: Ledger, intent: Intent): StripeError | null {
  if (intent.status !== 'requires_payment_method' || intent.lastError === null) return null;
  const { decline, chargeId, paymentMethodId } = intent.lastError;
  const method = ledger.findMethod(paymentMethodId);
  return new StripeError(
    402,
    {
      ...declineError(decline, chargeId),
      payment_intent: ledger.showIntent(intent),
      ...(method ? { payment_method: ledger.showMethod(method) } : {}),
    },
    { saved: true },
  );
}

function methodUsed(): StripeError {
  return new StripeError(
    400,
    {
      type: 'invalid_request_error',
      message:
        'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, ' +
        'shared with a connected account without Customer attachment, or was detached from a Customer. ' +
        'It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.',
    },
    { saved: true },
  );
}

function requireConfirmable(ledger: Ledger, intent: Intent): void {
  if (intent.status === 'succeeded') {
    throw unexpectedState(
      ledger,
      intent,
      'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.',
    );
  }
  if (intent.status === 'canceled' || intent.status === 'processing') {
    throw unexpectedState(
      ledger,
      intent,
      `You cannot confirm this PaymentIntent because it has a status of ${intent.status}. ` +
        'Only a PaymentIntent with one of the following statuses may be confirmed: requires_confirmation, ' +
        'requires_action.',
    );
  }
}

function unexpectedState(ledger: Ledger, intent: Intent, message: string): StripeError {
  return new StripeError(
    400,
    {
      type: 'invalid_request_error',
      code: 'payment_intent_unexpected_state',
      message,
      payment_intent: ledger.showIntent(intent),
    },
    { saved: true },
  );
}

function declinedBefore(ledger: Ledger, intent: Intent, behaviour: string): boolean {
  const paymentId = paymentIdOf(intent);
  return ledger
    .charges()
    .some(
      (charge) =>
        charge.status === 'failed' &&
        (charge.intentId === intent.id || (paymentId !== null && paymentIdOf(charge) === paymentId)) &&
        charge.accountId === intent.accountId &&
        ledger.findMethod(charge.paymentMethodId)?.behaviour === behaviour,
    );
}

/** Returns the deadline in the payment's metadata (`checkoutExpiresAt`, ISO 8601), else the default one. */
function checkoutEnd(intent: Intent, checkoutMs: number): number {
  const named = Date.parse(intent.metadata['checkoutExpiresAt'] ?? '');
  return Number.isNaN(named) ? intent.createdAt + checkoutMs : named;
}
