import { randomUUID } from 'node:crypto';
import { createDisputeNetwork } from '../../src/providers/disputes-http.ts';
import { createProviderHttp } from '../../src/providers/http.ts';
import { createPaymentNetwork } from '../../src/providers/network-http.ts';
import type { ChargeRequest, PaymentNetwork } from '../../src/providers/ports.ts';
import type { DisputeNetwork } from '../../src/providers/dispute-port.ts';
import type { RefundNetwork } from '../../src/providers/refund-port.ts';
import { createRefundNetwork } from '../../src/providers/refunds-http.ts';
import { createStripe, createStripeAgent } from '../../src/providers/stripe/client.ts';
import { createStripeDisputes } from '../../src/providers/stripe/disputes.ts';
import { createStripeNetwork } from '../../src/providers/stripe/network.ts';
import { createStripeRefunds } from '../../src/providers/stripe/refunds.ts';
import { submitChallenge } from '../support/challenge.ts';
import { RETURN_URL, SERVICE_KEY, World } from '../support/simulators.ts';
import { SECRET_KEY, StripeWorld } from '../support/stripe-dialect.ts';

/** Cards by what they do, at every network: each subject says how it is asked for one. */
export type CardNamed =
  'paid' | 'declined' | 'lost' | 'challenge' | 'challengeIfAsked' | 'answerLost' | 'disputed';

/** A network that the contract suite is run on. */
export interface Subject {
  /** Where it listens; empty: at the real account. */
  url: string;
  network: PaymentNetwork;
  refunds: RefundNetwork;
  disputes: DisputeNetwork;
  /** A new attempt with such a card, not prepared and not charged. */
  attempt(card: CardNamed): Promise<ChargeRequest>;
  /** Answers the customer's step without a browser; null: not possible here. */
  answerStep: ((url: string, button: 'approve' | 'fail') => Promise<unknown>) | null;
  /** Charges of a payment that took money, as the network's own books say; null: it shows none. */
  taken: ((paymentId: string) => Promise<number>) | null;
  /** Gives money of a charge back as its account's owner does at the network; null: not possible there. */
  refundElsewhere: ((chargeReference: string, amountCents: number) => Promise<string>) | null;
  stop(): Promise<void>;
}

const request = (paymentId: string, more: Partial<ChargeRequest>): ChargeRequest => ({
  key: `${paymentId}:1`,
  paymentId,
  merchantId: 'mer_1',
  environment: 'sandbox',
  amountCents: 2_500,
  method: 'card',
  customer: { name: null, email: null, documentNumber: null, phone: null },
  checkoutExpiresAt: new Date(Date.now() + 30 * 60_000).toISOString(),
  returnUrl: RETURN_URL,
  providerReference: null,
  ...more,
});

interface TakenCharge {
  status: string;
}

const numbers: Readonly<Record<CardNamed, string>> = {
  paid: '4242424242424242',
  declined: '4000000000000002',
  lost: '4000000000009987',
  challenge: '4000000000003220',
  challengeIfAsked: '4000000000003055',
  answerLost: '4000000000007007',
  disputed: '4000000000000259',
};

const captured = ({ charges }: { charges: readonly TakenCharge[] }): number =>
  charges.filter(({ status }) => status === 'captured').length;

/** The simulators' own protocol. */
export async function simulatorSubject(): Promise<Subject> {
  const world = await World.start();
  const http = createProviderHttp({
    provider: 'network',
    baseUrl: world.networkUrl,
    serviceKey: SERVICE_KEY,
    timeoutMs: 8_000,
  });
  return {
    url: world.networkUrl,
    network: createPaymentNetwork(http),
    refunds: createRefundNetwork(http),
    disputes: createDisputeNetwork(http),
    attempt: async (card) => {
      // The simulator challenges any card.
      const { session, token } = await world.token(numbers[card === 'challengeIfAsked' ? 'paid' : card]);
      return request(session.paymentId, { cardToken: token });
    },
    answerStep: submitChallenge,
    taken: async (paymentId) => captured(await world.ledger(paymentId)),
    refundElsewhere: null,
    stop: async () => {
      await http.close();
      await world.stop();
    },
  };
}

/** Payment methods that Stripe keeps ready in test mode, at the account itself as at the dialect. */
const readyMade: Readonly<Partial<Record<CardNamed, string>>> = {
  paid: 'pm_card_visa',
  declined: 'pm_card_visa_chargeDeclined',
  lost: 'pm_card_visa_chargeDeclinedLostCard',
  challenge: 'pm_card_threeDSecure2Required',
  challengeIfAsked: 'pm_card_threeDSecureOptional',
  disputed: 'pm_card_createDispute',
};

function stripeSubject(
  options: { secretKey: string; apiBase: string | null },
  more: Pick<Subject, 'answerStep' | 'taken'> & {
    methodOf: (card: CardNamed) => Promise<string>;
    stop: () => Promise<void>;
  },
): Subject {
  const agent = createStripeAgent();
  const stripe = createStripe({ ...options, agent });
  return {
    url: options.apiBase ?? '',
    network: createStripeNetwork({
      stripe,
      publishableKey: 'pk_test_1',
      // The card stands for itself: what the vault's proxy makes of a token is tested with the vault.
      makePaymentMethod: async ({ token }) => ({ status: 'made', paymentMethod: token, card: null }),
    }),
    refunds: createStripeRefunds(stripe),
    disputes: createStripeDisputes(stripe),
    attempt: async (card) =>
      request(randomUUID(), { cardToken: await more.methodOf(card), cardReference: 'cap_1' }),
    answerStep: more.answerStep,
    taken: more.taken,
    refundElsewhere: async (chargeReference, amountCents) => {
      const { id } = await stripe.refunds.create({
        payment_intent: chargeReference,
        amount: amountCents,
        reason: 'requested_by_customer',
      });
      return id;
    },
    stop: async () => {
      await agent.close();
      await more.stop();
    },
  };
}

/** The Stripe dialect of the simulators. */
export async function dialectSubject(): Promise<Subject> {
  const world = await StripeWorld.start();
  return stripeSubject(
    { secretKey: SECRET_KEY, apiBase: world.url },
    {
      methodOf: async (card) => world.method(numbers[card]),
      answerStep: submitChallenge,
      taken: async (paymentId) => captured((await world.get(`/ledger?paymentId=${paymentId}`)).json()),
      stop: () => world.stop(),
    },
  );
}

/** A real account in test mode, where its credentials and a network are there. */
export const realSubject = (secretKey: string) => async (): Promise<Subject> =>
  stripeSubject(
    { secretKey, apiBase: null },
    {
      methodOf: async (card) => readyMade[card] ?? 'pm_card_visa',
      answerStep: null,
      taken: null,
      stop: async () => undefined,
    },
  );
