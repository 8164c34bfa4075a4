import type { PublishedCardBehaviour } from '../../published-cards.ts';
import type { DeclineName } from './declines.ts';
import type { Outcome } from './records.ts';

/**
 * The course of a confirmation. `answer`: `now` answers at once; `lost` cuts the connection after the effect;
 * `never` holds the call without an answer; `processed` answers when the intent is no longer `processing`.
 */
export interface Start {
  does: 'finish' | 'challenge' | 'process';
  outcome: Outcome;
  /** For `process`: when it ends, epoch ms. */
  at: number;
  answer: 'now' | 'lost' | 'never' | 'processed';
}

interface Moment {
  now: number;
  checkoutExpiresAt: number;
  /** Whether this payment was already declined with such a card. */
  declinedBefore: () => boolean;
  /** Whether the caller requested 3-D Secure. */
  asksThreeDSecure: boolean;
}

/** A late success comes this long after the checkout's deadline. */
const LATE_SUCCESS_MS = 2_000;
const SLOW_MS = 5_000;

const end =
  (outcome: Outcome, answer: Start['answer'] = 'now') =>
  (): Start => ({
    does: 'finish',
    outcome,
    at: 0,
    answer,
  });
const challenge = (): Start => ({ does: 'challenge', outcome: 'succeeded', at: 0, answer: 'now' });
const decline = (name: DeclineName) => end(name);

const CARD_RULES: Readonly<Record<PublishedCardBehaviour, (at: Moment) => Start>> = {
  paid: end('succeeded'),
  paidThenDisputed: end('succeeded'),
  inquiry: end('succeeded'),
  disputedNotReceived: end('succeeded'),
  paidRefundPending: end('succeeded'),
  paidRefundFailsLater: end('succeeded'),
  declined: decline('generic'),
  insufficientFunds: decline('insufficientFunds'),
  insufficientFundsOnce: ({ declinedBefore }) =>
    declinedBefore() ? end('succeeded')() : end('insufficientFunds')(),
  lostCard: decline('lostCard'),
  stolenCard: decline('stolenCard'),
  expiredCard: decline('expiredCard'),
  incorrectCvc: decline('incorrectCvc'),
  velocityExceeded: decline('velocityExceeded'),
  fraudulent: decline('fraudulent'),
  processingError: decline('processingError'),
  challenge,
  challengeThenDeclined: challenge,
  challengeIfAsked: ({ asksThreeDSecure }) => (asksThreeDSecure ? challenge() : end('succeeded')()),
  paidAnswerLost: end('succeeded', 'lost'),
  declinedAnswerLost: end('processingError', 'lost'),
  lateSuccess: ({ checkoutExpiresAt }) => ({
    does: 'process',
    outcome: 'succeeded',
    at: checkoutExpiresAt + LATE_SUCCESS_MS,
    answer: 'never',
  }),
  slow: ({ now }) => ({ does: 'process', outcome: 'succeeded', at: now + SLOW_MS, answer: 'processed' }),
  // The vault does not release this card. If it ever did, no money would move.
  tokenRejected: decline('generic'),
};

/** Returns the course of a confirmation with a published card (docs/simulators.md). Pure. */
export function startOf(behaviour: PublishedCardBehaviour, at: Moment): Start {
  return CARD_RULES[behaviour](at);
}
