import type { CheckoutEvent } from './checkout.ts';
import { type CheckoutState, checkoutStatus, isClosed } from './checkout-state.ts';
import type { CheckoutStatus, PaymentMethod, PaymentStatus, TerminalReason } from './statuses.ts';

/** One step of a payment's workflow, with all data for the rows and no secret. Instants in epoch ms. */
export interface Transition {
  paymentId: string;
  /** Rises by one per transition of a payment. */
  seq: number;
  at: number;
  paymentStatus: PaymentStatus;
  checkoutStatus: CheckoutStatus;
  terminalReason: TerminalReason | null;
  attemptsLeft: number;
  method: PaymentMethod | null;
  failure: { code: string; message: string } | null;
  attempt: {
    attemptNo: number;
    status: 'requiresAction' | 'paid' | 'declined' | 'failed' | 'voided' | 'released';
    /** The vault accepted the card. A payment in custom mode then takes no other. */
    cardAccepted: boolean;
    failureCode: string | null;
    message: string | null;
    card: { brand: string; last4: string } | null;
  } | null;
  /** False for the passing of the deadline, which sends no webhook. Spec: Events. */
  emitEvent: boolean;
  /** No transition can follow. */
  final: boolean;
  /** The change of capture access; `endedAtVault` when the vault ended it by accepting the card. */
  capture: 'keep' | 'end' | 'endedAtVault';
  deadlines: { expiresAtMs: number; captureEndsAtMs: number } | null;
}

/** Returns whether no attempt can start after the transition. */
export const isClosing = (transition: Transition): boolean =>
  transition.checkoutStatus === 'paid' || transition.checkoutStatus === 'expired';

/** The event that a transition resolved, and the card that the network returned. */
export interface Resolved {
  event: CheckoutEvent;
  card: { brand: string; last4: string } | null;
}

/** Returns the transition to a state, under a number, at an instant (epoch ms). `resolved` null: nothing. */
export function transitionTo(
  next: CheckoutState,
  resolved: Resolved | null,
  { paymentId, seq, at, emitEvent }: Pick<Transition, 'paymentId' | 'seq' | 'at' | 'emitEvent'>,
): Transition {
  return {
    paymentId,
    seq,
    at,
    paymentStatus: next.paymentStatus,
    checkoutStatus: checkoutStatus(next),
    terminalReason: next.terminalReason,
    attemptsLeft: next.attemptsLeft,
    method: next.method,
    failure: next.failure,
    attempt: resolved ? attemptRow(resolved.event, resolved.card) : null,
    emitEvent,
    final: isClosed(next) && next.flight === null,
    capture: captureAfter(next, resolved?.event ?? null),
    deadlines: { expiresAtMs: next.expiresAtMs, captureEndsAtMs: next.captureEndsAtMs },
  };
}

/** Returns whether an event changes the rows; some events change only the workflow's state. */
export function writesRows(event: CheckoutEvent): boolean {
  return event.type !== 'OutcomeBecameUnknown' && event.type !== 'ClosingStarted';
}

/** Returns the changes of an attempt's row after an event. */
export function attemptRow(event: CheckoutEvent, card: Resolved['card']) {
  const row = (
    status: 'requiresAction' | 'paid' | 'declined' | 'failed' | 'voided' | 'released',
    attemptNo: number,
    failure: { failureCode: string; message: string } | null = null,
  ) => ({
    attemptNo,
    status,
    // A released attempt's event records this. A voided attempt may have ended before the vault was called.
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
 * Returns the change of capture access after an event. In custom mode the accepted card has ended it at the
 * vault. The hosted page takes cards until it is closed.
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
