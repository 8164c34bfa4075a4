import { createHmac } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import {
  publishedCardBehaviour,
  publishedCardBrand,
  publishedCvvLength,
  type PublishedCardBehaviour,
} from '../../published-cards.ts';
import type { Caller } from './auth.ts';
import { type Call, Calls } from './calls.ts';
import type { StripeContext } from './context.ts';
import { StripeError } from './errors.ts';
import { newObject } from './ids.ts';
import type { Ledger } from './ledger.ts';
import { expand, metadata, shortText, wholeNumber } from './parameters.ts';
import type { StoredPaymentMethod } from './records.ts';

const billingDetails = z
  .strictObject({
    name: shortText.optional(),
    email: shortText.optional(),
    phone: shortText.optional(),
    address: z.record(z.string(), shortText).optional(),
  })
  .optional();

const cardParameters = z.strictObject({
  number: z
    .string()
    .transform((text) => text.replaceAll(/[\s-]/g, ''))
    .pipe(z.string().regex(/^\d{12,19}$/)),
  exp_month: wholeNumber.pipe(z.int().min(1).max(12)),
  exp_year: wholeNumber.pipe(z.int().min(0).max(2100)),
  // Empty counts as absent.
  cvc: z
    .string()
    .regex(/^(\d{3,4})?$/)
    .transform((text) => text || undefined)
    .optional(),
});

const createParameters = z.strictObject({
  type: z.literal('card'),
  card: z.record(z.string(), z.unknown()),
  billing_details: billingDetails,
  allow_redisplay: z.enum(['always', 'limited', 'unspecified']).optional(),
  metadata,
  expand,
});

/** Payment methods that exist in every account of test mode (docs.stripe.com/testing). */
const READY_MADE: Readonly<Record<string, { number: string; behaviour?: PublishedCardBehaviour }>> = {
  pm_card_visa: { number: '4242424242424242' },
  pm_card_visa_debit: { number: '4000056655665556' },
  pm_card_mastercard: { number: '5555555555554444' },
  pm_card_amex: { number: '378282246310005' },
  pm_card_chargeDeclined: { number: '4000000000000002' },
  pm_card_visa_chargeDeclined: { number: '4000000000000002' },
  pm_card_chargeDeclinedInsufficientFunds: { number: '4000000000009995', behaviour: 'insufficientFunds' },
  pm_card_visa_chargeDeclinedInsufficientFunds: {
    number: '4000000000009995',
    behaviour: 'insufficientFunds',
  },
  pm_card_visa_chargeDeclinedLostCard: { number: '4000000000009987' },
  pm_card_visa_chargeDeclinedStolenCard: { number: '4000000000009979' },
  pm_card_chargeDeclinedExpiredCard: { number: '4000000000000069' },
  pm_card_chargeDeclinedIncorrectCvc: { number: '4000000000000127' },
  pm_card_chargeDeclinedProcessingError: { number: '4000000000000119' },
  pm_card_visa_chargeDeclinedVelocityLimitExceeded: { number: '4000000000006975' },
  pm_card_chargeDeclinedFraudulent: { number: '4100000000000019' },
  pm_card_authenticationRequired: { number: '4000002760003184' },
  pm_card_threeDSecure2Required: { number: '4000000000003220' },
  pm_card_threeDSecureOptional: { number: '4000000000003055' },
  pm_card_createDispute: { number: '4000000000000259' },
  pm_card_createDisputeInquiry: { number: '4000000000001976' },
  pm_card_createDisputeProductNotReceived: { number: '4000000000002685' },
  pm_card_pendingRefund: { number: '4000000000007726' },
  pm_card_refundFail: { number: '4000000000005126' },
};

/** Registers payment methods. Only the vault's proxy creates them from a whole card. */
export function paymentMethodRoutes(stripe: StripeContext): FastifyPluginAsync {
  const { ledger } = stripe;
  return async (app) => {
    const calls = new Calls(stripe, app);
    calls.post('/v1/payment_methods', {
      kind: 'payment_methods.create',
      schema: createParameters,
      paymentOf: ({ parameters }) => parameters.metadata['paymentId'] ?? null,
      run: (call) => ({ object: ledger.showMethod(createMethod(stripe, call)) }),
    });
    calls.get('/v1/payment_methods/:id', {
      kind: 'payment_methods.retrieve',
      schema: z.strictObject({ expand }),
      run: ({ caller, id }) => ({ object: ledger.showMethod(ledger.method(caller, id)) }),
    });
  };
}

function createMethod(
  stripe: StripeContext,
  { caller, parameters, isCardProxy }: Call<z.infer<typeof createParameters>>,
): StoredPaymentMethod {
  if (!isCardProxy) {
    throw new StripeError(402, {
      type: 'invalid_request_error',
      message:
        'Sending credit card numbers directly to the Stripe API is generally unsafe. ' +
        'To continue processing use Stripe.js, the Stripe mobile bindings, or Stripe Elements.',
    });
  }
  const card = parseCard(parameters.card);
  const behaviour = requirePublished(card.number);
  const year = card.exp_year < 100 ? 2000 + card.exp_year : card.exp_year;
  const now = stripe.now();
  if (now >= Date.UTC(year, card.exp_month)) {
    throw cardError('invalid_expiry_year', "Your card's expiration year is invalid.", 'exp_year');
  }
  if (card.cvc !== undefined && card.cvc.length !== publishedCvvLength(card.number)) {
    throw cardError('invalid_cvc', "Your card's security code is invalid.", 'cvc');
  }
  return stripe.ledger.saveMethod({
    ...methodOf(caller, card.number, behaviour, now),
    metadata: parameters.metadata,
    expMonth: card.exp_month,
    expYear: year,
    hasCvc: card.cvc !== undefined,
    billing: billingOf(parameters.billing_details),
  });
}

/**
 * Returns the payment method that a call names: one of the account, or a new copy of one that exists in every
 * account of test mode. Throws 404 `resource_missing`.
 */
export function namedMethod(ledger: Ledger, caller: Caller, id: string, now: number): StoredPaymentMethod {
  const ready = caller.live ? undefined : READY_MADE[id];
  if (!ready) return ledger.method(caller, id);
  const behaviour = ready.behaviour ?? publishedCardBehaviour(ready.number) ?? 'declined';
  return ledger.saveMethod(methodOf(caller, ready.number, behaviour, now));
}

/** Returns a payment method of a test card, without storing it. */
export function methodOf(
  caller: Caller,
  number: string,
  behaviour: PublishedCardBehaviour,
  now: number,
): StoredPaymentMethod {
  return {
    ...newObject('pm', caller, now),
    behaviour,
    brand: publishedCardBrand(number),
    last4: number.slice(-4),
    expMonth: 12,
    expYear: new Date(now).getUTCFullYear() + 3,
    funding: number === '4000056655665556' || number === '5200828282828210' ? 'debit' : 'credit',
    // The same card has the same fingerprint within an account, and another one in other accounts.
    fingerprint: createHmac('sha256', caller.accountId).update(number).digest('base64url').slice(0, 16),
    hasCvc: true,
    wallet: null,
    billing: billingOf(undefined),
    usedBy: null,
  };
}

function parseCard(card: Record<string, unknown>): z.infer<typeof cardParameters> {
  const result = cardParameters.safeParse(card);
  if (result.success) return result.data;
  const name = String(result.error.issues[0]?.path[0] ?? 'number');
  const known: Readonly<Record<string, [string, string]>> = {
    number: ['incorrect_number', 'Your card number is incorrect.'],
    exp_month: ['invalid_expiry_month', "Your card's expiration month is invalid."],
    exp_year: ['invalid_expiry_year', "Your card's expiration year is invalid."],
    cvc: ['invalid_cvc', "Your card's security code is invalid."],
  };
  const [code, message] = known[name] ?? ['parameter_unknown', 'Received unknown parameter.'];
  throw cardError(code, message, name);
}

function requirePublished(number: string): PublishedCardBehaviour {
  const behaviour = publishedCardBehaviour(number);
  if (behaviour !== null) return behaviour;
  // Never stored, never quoted.
  throw cardError(
    'card_declined',
    'Your card was declined. Your request was in test mode, but used a non test card.',
    'number',
    'test_mode_live_card',
  );
}

function cardError(code: string, message: string, name: string, declineCode?: string): StripeError {
  return new StripeError(402, {
    type: 'card_error',
    code,
    message,
    param: name,
    ...(declineCode === undefined ? {} : { decline_code: declineCode }),
  });
}

function billingOf(details: z.infer<typeof billingDetails>): StoredPaymentMethod['billing'] {
  return {
    name: details?.name ?? null,
    email: details?.email ?? null,
    phone: details?.phone ?? null,
    postalCode: details?.address?.['postal_code'] ?? null,
    country: details?.address?.['country'] ?? null,
  };
}
