/** Whether another attempt is useful, and the service's code of the decline (docs/merchants.md). */
interface Decline {
  status: 'declined' | 'failed';
  failureCode: string;
}

const again = (failureCode: string): Decline => ({ status: 'declined', failureCode });
const final = (failureCode: string): Decline => ({ status: 'failed', failureCode });

/**
 * Stripe's decline codes (docs.stripe.com/declines/codes) and, for declines without one, its error codes
 * (docs.stripe.com/error-codes). A code that forbids the card itself is final. After any other the customer,
 * never the service, can try again. Unknown codes, including later ones, are `card_declined`.
 */
const table: Readonly<Record<string, Decline>> = {
  approve_with_id: again('processing_error'),
  authentication_not_handled: again('authentication_failed'),
  authentication_required: again('authentication_failed'),
  call_issuer: again('card_declined'),
  card_not_supported: again('card_not_supported'),
  card_velocity_exceeded: again('insufficient_funds'),
  currency_not_supported: again('card_not_supported'),
  do_not_honor: again('card_declined'),
  do_not_try_again: again('card_declined'),
  duplicate_transaction: again('card_declined'),
  expired_card: again('expired_card'),
  fraudulent: final('fraud_suspected'),
  generic_decline: again('card_declined'),
  incorrect_address: again('card_declined'),
  incorrect_cvc: again('incorrect_cvc'),
  incorrect_number: again('card_declined'),
  incorrect_pin: again('card_declined'),
  incorrect_zip: again('card_declined'),
  insufficient_funds: again('insufficient_funds'),
  invalid_account: again('card_declined'),
  invalid_amount: again('card_declined'),
  invalid_cvc: again('incorrect_cvc'),
  invalid_expiry_month: again('expired_card'),
  invalid_expiry_year: again('expired_card'),
  invalid_number: again('card_declined'),
  invalid_pin: again('card_declined'),
  issuer_not_available: again('processing_error'),
  lost_card: final('lost_card'),
  merchant_blacklist: final('fraud_suspected'),
  new_account_information_available: again('card_declined'),
  no_action_taken: again('card_declined'),
  not_permitted: again('card_declined'),
  offline_pin_required: again('card_declined'),
  online_or_offline_pin_required: again('card_declined'),
  payment_intent_authentication_failure: again('authentication_failed'),
  pickup_card: final('stolen_card'),
  pin_try_exceeded: again('card_declined'),
  processing_error: again('processing_error'),
  reenter_transaction: again('processing_error'),
  restricted_card: final('card_declined'),
  revocation_of_all_authorizations: again('card_declined'),
  revocation_of_authorization: again('card_declined'),
  security_violation: again('card_declined'),
  service_not_allowed: again('card_declined'),
  stolen_card: final('stolen_card'),
  stop_payment_order: again('card_declined'),
  testmode_decline: again('card_declined'),
  transaction_not_allowed: again('card_declined'),
  try_again_later: again('processing_error'),
  withdrawal_count_limit_exceeded: again('insufficient_funds'),
};

/** Returns the service's decline for one of Stripe's, by its decline code or else its error code. */
export function declineOf(declineCode: string | null | undefined, code: string | null | undefined): Decline {
  const found = [declineCode, code].find((name) => name && Object.hasOwn(table, name));
  return table[found ?? ''] ?? again('card_declined');
}
