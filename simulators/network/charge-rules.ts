import type { CardBehaviour } from '../test-cards.ts';
import type { ChargeOutcome, PaymentMethod } from './records.ts';

/**
 * The start of a charge. `answer`: `now` answers at once; `lost` cuts the connection after the effect;
 * `never` holds the call without an answer; `decided` answers when the charge is no longer pending.
 */
export interface ChargeStart {
  status: ChargeOutcome;
  failureCode: string | null;
  due: { at: number; status: ChargeOutcome; failureCode: string | null } | null;
  answer: 'now' | 'lost' | 'never' | 'decided';
}

/** A late success comes this long after the checkout's deadline. */
export const LATE_SUCCESS_MS = 2_000;
const SLOW_MS = 5_000;

const begin = (
  status: ChargeOutcome,
  failureCode: string | null = null,
  answer: ChargeStart['answer'] = 'now',
): ChargeStart => ({ status, failureCode, due: null, answer });

interface ChargeMoment {
  now: number;
  checkoutExpiresAt: number;
  /** Number of attempts of the same payment that this kind of card already declined. */
  earlierDeclines: number;
}

/** The behaviour of each test card (docs/simulators.md). */
const CARD_RULES: Readonly<Record<CardBehaviour, (at: ChargeMoment) => ChargeStart>> = {
  paid: () => begin('captured'),
  paidThenDisputed: () => begin('captured'),
  paidRefundPending: () => begin('captured'),
  paidRefundFailsLater: () => begin('captured'),
  declined: () => begin('declined', 'card_declined'),
  insufficientFundsOnce: ({ earlierDeclines }) =>
    earlierDeclines === 0 ? begin('declined', 'insufficient_funds') : begin('captured'),
  lostCard: () => begin('failed', 'lost_card'),
  processingError: () => begin('declined', 'processing_error'),
  challenge: () => begin('requires_action'),
  challengeThenDeclined: () => begin('requires_action'),
  paidAnswerLost: () => begin('captured', null, 'lost'),
  declinedAnswerLost: () => begin('declined', 'processing_error', 'lost'),
  lateSuccess: ({ checkoutExpiresAt }) => lateSuccess(checkoutExpiresAt),
  slow: ({ now }) => ({
    ...begin('pending', null, 'decided'),
    due: { at: now + SLOW_MS, status: 'captured', failureCode: null },
  }),
  // The vault does not release this card. If it ever did, no money would move.
  tokenRejected: () => begin('declined', 'card_declined'),
};

/** Returns the start of a charge with a test card. Pure; times are epoch ms. */
export function startCardCharge(behaviour: CardBehaviour, at: ChargeMoment): ChargeStart {
  return CARD_RULES[behaviour](at);
}

/**
 * Returns the start of a charge whose customer is challenged. Cards whose answer is late or lost keep their
 * usual start.
 */
export function startChallenge(behaviour: CardBehaviour, at: ChargeMoment): ChargeStart {
  const usual = startCardCharge(behaviour, at);
  return usual.answer === 'now' && usual.due === null ? begin('requires_action') : usual;
}

/** Returns the outcome of a charge after an authenticated challenge. */
export function challengeEnd(behaviour: string): { status: ChargeOutcome; failureCode: string | null } {
  switch (behaviour) {
    case 'challengeThenDeclined':
      return { status: 'declined', failureCode: 'authentication_failed' };
    case 'declined':
    case 'insufficientFundsOnce':
      return {
        status: 'declined',
        failureCode: behaviour === 'declined' ? 'card_declined' : 'insufficient_funds',
      };
    case 'processingError':
      return { status: 'declined', failureCode: 'processing_error' };
    case 'lostCard':
      return { status: 'failed', failureCode: 'lost_card' };
    default:
      return { status: 'captured', failureCode: null };
  }
}

/** Returns the start of a late success: no answer, and captured after the checkout's deadline. */
export function lateSuccess(checkoutExpiresAt: number): ChargeStart {
  return {
    ...begin('pending', null, 'never'),
    due: { at: checkoutExpiresAt + LATE_SUCCESS_MS, status: 'captured', failureCode: null },
  };
}

/**
 * Returns the start of a wallet, which waits for its page, or a pix, which waits for its payer; both expire.
 */
export function startPageCharge(method: 'wallet' | 'pix', expiresAt: number): ChargeStart {
  const failureCode = defaultFailureCode(method, 'declined');
  const status = method === 'wallet' ? 'requires_action' : 'pending';
  return { ...begin(status), due: { at: expiresAt, status: 'declined', failureCode } };
}

/** Returns the failure code of an outcome that was ordered without one. */
export function defaultFailureCode(method: PaymentMethod, outcome: ChargeOutcome): string | null {
  if (outcome !== 'declined' && outcome !== 'failed') return null;
  if (method === 'wallet') return 'wallet_declined';
  if (method === 'pix') return 'pix_rejected';
  return outcome === 'declined' ? 'card_declined' : 'lost_card';
}
