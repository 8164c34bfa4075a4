import type { AttemptReport } from '../../activities/attempt-report.ts';
import type { CheckoutEvent } from '../../domain/checkout.ts';
import { type CheckoutState, isClosed } from '../../domain/checkout-state.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { AttemptResult } from '../../temporal/contract/payment.ts';

/** What a waiting caller of pay or confirm gets: a result, or the code its request is refused with. */
export type Answer = AttemptResult | { refused: RefusalCode };

/** Events that change nothing in the rows: only our knowledge changed. */
export function writesRows(event: CheckoutEvent): boolean {
  return event.type !== 'OutcomeBecameUnknown' && event.type !== 'ClosingStarted';
}

/** How an attempt's row reads after an event. */
export function attemptRow(event: CheckoutEvent, card: AttemptReport['card']) {
  const row = (
    status: 'requiresAction' | 'paid' | 'declined' | 'failed' | 'voided' | 'released',
    attemptNo: number,
    failure: { failureCode: string; message: string } | null = null,
  ) => ({
    attemptNo,
    status,
    // A released attempt tells by itself; a voided one may have ended before the vault was asked.
    cardAccepted: status !== 'voided' && !(event.type === 'AttemptReleased' && !event.recorded),
    failureCode: failure?.failureCode ?? null,
    message: failure?.message ?? null,
    card,
  });
  switch (event.type) {
    case 'ActionRequired':
      return row('requiresAction', event.attemptNo);
    case 'AttemptPaid':
      return row('paid', event.attemptNo);
    case 'AttemptDeclined':
      return row('declined', event.attemptNo, event);
    case 'AttemptFailed':
      return row('failed', event.attemptNo, event);
    case 'AttemptVoided':
      return row('voided', event.attemptNo);
    case 'AttemptReleased':
      return row('released', event.attemptNo);
    case 'AttemptStarted':
    case 'ConfirmationStarted':
    case 'ClosingStarted':
    case 'OutcomeBecameUnknown':
    case 'DeadlineReached':
    case 'DeadlinesMoved':
      return null;
  }
}

/**
 * What becomes of capture access after an event. In custom mode the accepted card ended it at the vault; the
 * hosted page takes cards until it is closed.
 */
export function captureAfter(
  next: CheckoutState,
  event: CheckoutEvent | null,
): 'keep' | 'end' | 'endedAtVault' {
  if (next.mode === 'custom' && event !== null && attemptRow(event, null)?.cardAccepted === true) {
    return 'endedAtVault';
  }
  const over = isClosed(next) || (next.mode === 'custom' && event?.type === 'AttemptVoided');
  return over ? 'end' : 'keep';
}

/** What the waiting caller of pay or confirm is told; null while it goes on waiting. */
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
    // The attempt goes on; its caller is told to poll (AMB-36).
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
