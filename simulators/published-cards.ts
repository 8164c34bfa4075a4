import { cardBehaviour, cvvLength, type CardBehaviour } from './test-cards.ts';

/**
 * The behavior of a card at the Stripe dialect: that of the network simulator, and Stripe's further outcomes.
 */
export type PublishedCardBehaviour =
  | CardBehaviour
  | 'insufficientFunds'
  | 'stolenCard'
  | 'expiredCard'
  | 'incorrectCvc'
  | 'velocityExceeded'
  | 'fraudulent'
  | 'inquiry'
  | 'challengeIfAsked'
  | 'disputedNotReceived';

export type PublishedBrand = 'visa' | 'mastercard' | 'amex' | 'discover' | 'diners' | 'jcb' | 'unionpay';

/**
 * Numbers that Stripe publishes for testing (docs.stripe.com/testing), beside those of test-cards.ts. For a
 * number in both lists, test-cards.ts decides.
 */
const STRIPE_CARDS: ReadonlyMap<string, PublishedCardBehaviour> = new Map([
  ['4000056655665556', 'paid'],
  ['2223003122003222', 'paid'],
  ['5200828282828210', 'paid'],
  ['5105105105105100', 'paid'],
  ['371449635398431', 'paid'],
  ['6011111111111117', 'paid'],
  ['3056930009020004', 'paid'],
  ['3566002020360505', 'paid'],
  ['6200000000000005', 'paid'],
  ['4000000000009979', 'stolenCard'],
  ['4000000000000069', 'expiredCard'],
  ['4000000000000127', 'incorrectCvc'],
  ['4000000000006975', 'velocityExceeded'],
  ['4100000000000019', 'fraudulent'],
  ['4000000000003055', 'challengeIfAsked'],
  ['4000002500003155', 'challenge'],
  ['4000002760003184', 'challenge'],
  ['4000000000001976', 'inquiry'],
  ['4000000000002685', 'disputedNotReceived'],
]);

/** Returns the behaviour of a published number, or null for an unpublished one. */
export function publishedCardBehaviour(number: string): PublishedCardBehaviour | null {
  return cardBehaviour(number) ?? STRIPE_CARDS.get(number) ?? null;
}

export function publishedCardBrand(number: string): PublishedBrand {
  if (/^3[47]/.test(number)) return 'amex';
  if (/^(5[1-5]|2[2-7])/.test(number)) return 'mastercard';
  if (/^62/.test(number)) return 'unionpay';
  if (/^6/.test(number)) return 'discover';
  if (/^35/.test(number)) return 'jcb';
  return number.startsWith('3') ? 'diners' : 'visa';
}

/** Security code length in digits. */
export function publishedCvvLength(number: string): 3 | 4 {
  return publishedCardBrand(number) === 'amex' ? cvvLength('amex') : 3;
}
