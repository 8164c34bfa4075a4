import type { CheckoutEvent } from '../../domain/checkout.ts';
import type { CheckoutState } from '../../domain/checkout-state.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { AttemptResult } from '../../temporal/contract/payment.ts';

/**
 * The answer to a waiting caller of pay or confirm: a result, or the code with which its request is refused.
 */
export type Answer = AttemptResult | { refused: RefusalCode };

/** Returns the answer for the waiting caller of pay or confirm; null while the caller still waits. */
export function answerOf(event: CheckoutEvent, state: CheckoutState): Answer | null {
  switch (event.type) {
    case 'AttemptPaid':
      return { status: 'paid' };
    case 'ActionRequired':
      return { status: 'requiresAction', attemptNo: event.attemptNo };
    case 'AttemptDeclined':
    case 'AttemptFailed':
      return {
        status: 'failed',
        failureCode: event.failureCode,
        message: event.message,
        attemptsLeft: state.attemptsLeft,
      };
    case 'AttemptVoided':
      return {
        status: 'failed',
        failureCode: 'processing_error',
        message: 'The attempt did not complete and nothing was charged.',
        attemptsLeft: state.attemptsLeft,
      };
    case 'AttemptReleased':
      return { refused: event.tokenRejected ? 'card_token_rejected' : 'service_unavailable' };
    // The attempt continues; its caller polls the status (AMB-36).
    case 'OutcomeBecameUnknown':
      return { refused: 'service_unavailable' };
    case 'ClosingStarted':
      return { refused: 'checkout_expired' };
    case 'AttemptStarted':
    case 'ConfirmationStarted':
    case 'DeadlineReached':
    case 'DeadlinesMoved':
      return null;
  }
}
