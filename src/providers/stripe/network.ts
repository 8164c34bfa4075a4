import { Stripe } from 'stripe';
import type { CardFacts } from '../../domain/card.ts';
import {
  type AttemptReference,
  type Charge,
  type ChargeRequest,
  type PaymentNetwork,
  type Prepared,
  ProviderUnavailable,
  TooManyCharges,
} from '../ports.ts';
import { chargeOf, creationMetadataOf, metadataOf } from './charge-of.ts';
import { readPaymentMethod } from '../pci-vault/proxy-answer.ts';
import { isMissing, isUnexpectedState, orUnavailable, stripeTimeoutsMs } from './client.ts';
import { declineOf } from './declines.ts';

/**
 * Creates a payment method at Stripe from a card that the vault holds. The vault sends the card once and
 * charges nothing. May be repeated under its key.
 */
export type MakePaymentMethod = (card: {
  token: string;
  reference: string;
  idempotencyKey: string;
}) => Promise<
  | { status: 'made'; paymentMethod: string; card: CardFacts | null }
  | { status: 'declined'; code: string | null; declineCode: string | null }
  | { status: 'token_rejected' }
>;

export interface StripeNetworkDeps {
  stripe: Stripe;
  publishableKey: string;
  makePaymentMethod: MakePaymentMethod;
}

const expand = ['latest_charge', 'payment_method'];

/**
 * Returns the port of Stripe. Each attempt is a payment intent of its own: created unconfirmed, confirmed
 * once under the attempt's key, queried by its id, and canceled when it must not be charged any more. After a
 * challenge Stripe continues by itself, so that confirming only reads. docs/going-live.md.
 */
export function createStripeNetwork({
  stripe,
  publishableKey,
  makePaymentMethod,
}: StripeNetworkDeps): PaymentNetwork {
  const read = async (attempt: AttemptReference): Promise<Charge | null> => {
    if (attempt.providerReference === null) return null;
    const intent = await orUnavailable(stripe.paymentIntents.retrieve(attempt.providerReference, { expand }));
    return chargeOf(intent, attempt, publishableKey);
  };

  const cancel = async (attempt: AttemptReference): Promise<Charge> => {
    const id = referenceOf(attempt);
    // Sent without a key: canceling twice is harmless, and an answer stored under a key could be out of date.
    const canceled = await orUnavailable<Stripe.PaymentIntent | null>(
      stripe.paymentIntents.cancel(id, { expand }),
      (error) => (isUnexpectedState(error) ? null : undefined),
    );
    const charge = canceled ? chargeOf(canceled, attempt, publishableKey) : await read(attempt);
    return charge ?? refuse('the charge is neither cancelled nor decided');
  };

  return {
    prepare: async (request) => prepare({ stripe, makePaymentMethod }, request),
    findPrepared: (attempt, madeWithin) => findIntent(stripe, attempt, madeWithin),
    declinesStayOpen: true,
    confirmsByItself: true,
    async charge(request) {
      const attempt = { ...request, providerReference: referenceOf(request) };
      const intent = await orUnavailable(
        stripe.paymentIntents.confirm(
          attempt.providerReference,
          {
            return_url: request.returnUrl,
            expand,
            ...(request.forceChallenge
              ? { payment_method_options: { card: { request_three_d_secure: 'any' as const } } }
              : {}),
          },
          { idempotencyKey: request.key, timeout: stripeTimeoutsMs.confirm },
        ),
        declinedIntent,
      );
      return chargeOf(intent, attempt, publishableKey) ?? refuse('the charge was not confirmed');
    },
    lookup: read,
    confirm: async (attempt) => (await read(attempt)) ?? refuse('the charge was not confirmed'),
    cancel,
    unseenKeys: { closedBy: 'object', close: cancel },
  };
}

/**
 * The most intents that are searched for one attempt, newest first, among those made while its payment was
 * open, and the longest search in ms.
 */
const maxSearched = 2_000;
const searchMs = 6_000;
/** The most that Stripe's clock may differ from ours, in seconds. */
const clockSkewSeconds = 120;

/**
 * Returns the intent of an attempt whose row does not have it; null: there is none. Reads Stripe's list,
 * which is complete at once, unlike its search. Throws TooManyCharges when the account has more intents than
 * are searched.
 */
async function findIntent(
  stripe: Stripe,
  attempt: Pick<AttemptReference, 'key' | 'paymentId'>,
  { createdAt, expiresAt }: { createdAt: Date; expiresAt: Date },
): Promise<string | null> {
  const wanted = metadataOf(attempt);
  const created = {
    gte: Math.floor(createdAt.getTime() / 1000) - clockSkewSeconds,
    lte: Math.ceil(expiresAt.getTime() / 1000) + clockSkewSeconds,
  };
  const endsAt = performance.now() + searchMs;
  let searched = 0;
  let after: string | undefined;
  while (searched < maxSearched && performance.now() < endsAt) {
    const page = await orUnavailable(
      stripe.paymentIntents.list({
        created,
        limit: 100,
        ...(after === undefined ? {} : { starting_after: after }),
      }),
    );
    const found = page.data.find(
      ({ metadata }) => metadata['paymentId'] === wanted.paymentId && metadata['attempt'] === wanted.attempt,
    );
    if (found) return found.id;
    after = page.data.at(-1)?.id;
    if (!page.has_more || after === undefined) return null;
    searched += page.data.length;
  }
  throw new TooManyCharges();
}

async function prepare(
  { stripe, makePaymentMethod }: Pick<StripeNetworkDeps, 'stripe' | 'makePaymentMethod'>,
  request: ChargeRequest,
): Promise<Prepared> {
  const { key, cardToken, cardReference, walletToken, amountCents } = request;
  const makeOfCard = () =>
    cardToken === undefined || cardReference === undefined
      ? refuse('only cards and wallets are taken', false)
      : makePaymentMethod({
          token: cardToken,
          reference: cardReference,
          idempotencyKey: `${key}:method`,
        });
  const made = await (walletToken === undefined ? makeOfCard() : walletMethod(stripe, walletToken));
  if (made.status === 'token_rejected') return made;
  if (made.status === 'declined') return { ...declineOf(made.declineCode, made.code), message: null };
  const intent = await orUnavailable(
    stripe.paymentIntents.create(
      {
        amount: amountCents,
        currency: 'usd',
        payment_method: made.paymentMethod,
        // Cards only, and not the other methods that the merchant may enable at Stripe.
        automatic_payment_methods: { enabled: false },
        capture_method: 'automatic',
        confirm: false,
        metadata: creationMetadataOf(request),
      },
      { idempotencyKey: `${key}:create` },
    ),
  );
  return { status: 'prepared', providerReference: intent.id, card: made.card };
}

const wallets = ['apple_pay', 'google_pay'];

/**
 * Returns the payment method that a wallet's button made in the customer's browser. Rejects one that the
 * account does not have or that no wallet made, because a manipulated page could send any.
 */
async function walletMethod(
  stripe: Stripe,
  paymentMethod: string,
): Promise<Extract<Awaited<ReturnType<MakePaymentMethod>>, { status: 'made' | 'token_rejected' }>> {
  const found = await orUnavailable<Stripe.PaymentMethod | null>(
    stripe.paymentMethods.retrieve(paymentMethod),
    (error) => (isMissing(error) ? null : undefined),
  );
  if (!wallets.includes(found?.card?.wallet?.type ?? '')) return { status: 'token_rejected' };
  const read = readPaymentMethod(found);
  return read ?? refuse('the payment method of the wallet cannot be read', false);
}

/** Returns the intent of a decline, which Stripe answers as an error that contains the intent. */
function declinedIntent(error: unknown): Stripe.PaymentIntent | undefined {
  return error instanceof Stripe.errors.StripeCardError ? error.payment_intent : undefined;
}

const referenceOf = ({ providerReference }: Pick<AttemptReference, 'providerReference'>): string =>
  providerReference ?? refuse('no charge was prepared', false);

function refuse(detail: string, sent = true): never {
  throw new ProviderUnavailable('network', sent, detail);
}
