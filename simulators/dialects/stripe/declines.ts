import type { ApiError } from './errors.ts';

/** Why a card was declined, with the codes of docs.stripe.com/declines/codes. */
export interface Decline {
  code: string;
  declineCode: string | null;
  message: string;
  adviceCode: 'try_again_later' | 'do_not_try_again' | 'confirm_card_data' | null;
  /** A failed authentication is not an error of the card. */
  type: 'card_error' | 'invalid_request_error';
}

const cardDeclined = (
  declineCode: string,
  message: string,
  adviceCode: Decline['adviceCode'] = 'try_again_later',
): Decline => ({ code: 'card_declined', declineCode, message, adviceCode, type: 'card_error' });

const ofCode = (code: string, message: string, adviceCode: Decline['adviceCode']): Decline => ({
  code,
  declineCode: null,
  message,
  adviceCode,
  type: 'card_error',
});

export const DECLINES = {
  generic: cardDeclined('generic_decline', 'Your card was declined.'),
  insufficientFunds: cardDeclined('insufficient_funds', 'Your card has insufficient funds.'),
  lostCard: cardDeclined('lost_card', 'Your card was declined.', 'do_not_try_again'),
  stolenCard: cardDeclined('stolen_card', 'Your card was declined.', 'do_not_try_again'),
  velocityExceeded: cardDeclined(
    'card_velocity_exceeded',
    'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
  ),
  fraudulent: cardDeclined('fraudulent', 'Your card was declined.', 'do_not_try_again'),
  expiredCard: ofCode('expired_card', 'Your card has expired.', 'confirm_card_data'),
  incorrectCvc: ofCode('incorrect_cvc', "Your card's security code is incorrect.", 'confirm_card_data'),
  processingError: ofCode(
    'processing_error',
    'An error occurred while processing your card. Try again in a little bit.',
    'try_again_later',
  ),
  authentication: {
    code: 'payment_intent_authentication_failure',
    declineCode: null,
    message:
      'The provided PaymentMethod has failed authentication. ' +
      'You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this PaymentIntent again.',
    adviceCode: null,
    type: 'invalid_request_error',
  },
} as const satisfies Record<string, Decline>;

export type DeclineName = keyof typeof DECLINES;
export const declineNames = Object.keys(DECLINES) as [DeclineName, ...DeclineName[]];

/** The decline as an error without the objects it is about. */
export function declineError(name: DeclineName, chargeId: string | null): ApiError {
  const decline: Decline = DECLINES[name];
  return {
    type: decline.type,
    code: decline.code,
    message: decline.message,
    ...(decline.declineCode === null ? {} : { decline_code: decline.declineCode }),
    ...(decline.adviceCode === null ? {} : { advice_code: decline.adviceCode }),
    ...(chargeId === null ? {} : { charge: chargeId }),
  };
}
