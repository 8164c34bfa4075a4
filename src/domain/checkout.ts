import { type CheckoutState, captureEnd, isClosed } from './checkout-state.ts';
import type { RefusalCode } from './refusals.ts';
import type { PaymentMethod } from './statuses.ts';

/** The answer of the network (or of the vault, before anything was charged) about an attempt. */
export type Outcome =
  | { status: 'paid' }
  | { status: 'declined'; failureCode: string; message: string }
  | { status: 'failed'; failureCode: string; message: string }
  | { status: 'requiresAction' }
  /** The key is closed at the network: nothing was charged under it, and nothing can be. */
  | { status: 'voided' }
  /** The vault refused the token; nothing was sent to the network. */
  | { status: 'tokenRejected' }
  /**
   * A dependency failed before anything was sent to the network; `recorded` when the card was accepted before
   * that.
   */
  | { status: 'notStarted'; recorded: boolean }
  | { status: 'unknown' };

export type CheckoutCommand =
  | { type: 'prepareCapture' }
  /** `attemptNo`: the number that was reserved in the rows; the next one where none is reserved yet. */
  | { type: 'pay'; method: PaymentMethod; attemptNo?: number }
  | { type: 'confirm' }
  /** The customer gives up the current action to use another card or method (hosted page only). */
  | { type: 'abandonAction' }
  | { type: 'resolve'; attemptNo: number; outcome: Outcome }
  | { type: 'reachDeadline' }
  | { type: 'moveDeadlines'; expiresAtMs: number; captureEndsAtMs: number };

export type CheckoutEvent =
  | { type: 'AttemptStarted'; attemptNo: number; method: PaymentMethod }
  /** The fence is released and no attempt is used up; `recorded` when the card was accepted before that. */
  | { type: 'AttemptReleased'; attemptNo: number; recorded: boolean; tokenRejected: boolean }
  | { type: 'ConfirmationStarted'; attemptNo: number }
  | { type: 'ClosingStarted'; attemptNo: number }
  | { type: 'OutcomeBecameUnknown'; attemptNo: number }
  | { type: 'ActionRequired'; attemptNo: number }
  | { type: 'AttemptPaid'; attemptNo: number }
  | { type: 'AttemptDeclined'; attemptNo: number; failureCode: string; message: string }
  | { type: 'AttemptFailed'; attemptNo: number; failureCode: string; message: string }
  | { type: 'AttemptVoided'; attemptNo: number }
  | { type: 'DeadlineReached' }
  | { type: 'DeadlinesMoved'; expiresAtMs: number; captureEndsAtMs: number };

export type Decision = { ok: true; events: CheckoutEvent[] } | { ok: false; code: RefusalCode };

const accept = (...events: CheckoutEvent[]): Decision => ({ ok: true, events });
const refuse = (code: RefusalCode): Decision => ({ ok: false, code });

/**
 * Decides what a command does to a checkout. Pure; `now` is epoch ms.
 * Refuses with the 409 and 410 codes of the specification; those of a closed checkout come first (AMB-14).
 * Spec: States > Attempt rules, Closing of a checkout; FENCE-01 to -07.
 */
export function decide(state: CheckoutState, command: CheckoutCommand, now: number): Decision {
  switch (command.type) {
    case 'prepareCapture':
      return decidePrepare(state, now);
    case 'pay':
      return decidePay(state, command, now);
    case 'confirm':
      return decideConfirm(state, now);
    case 'abandonAction':
      return decideAbandon(state, now);
    case 'resolve':
      return decideResolve(state, command.attemptNo, command.outcome);
    case 'reachDeadline':
      return decideDeadline(state, now);
    case 'moveDeadlines':
      if (isClosed(state)) return refuse('checkout_expired');
      return accept({
        type: 'DeadlinesMoved',
        expiresAtMs: command.expiresAtMs,
        captureEndsAtMs: command.captureEndsAtMs,
      });
  }
}

/**
 * Returns the 410 code of a closed checkout, or null. A passed deadline closes the checkout at once, whether
 * or not its timer ran.
 */
function closedCode(state: CheckoutState, now: number): RefusalCode | null {
  if (state.resting === 'paid') return 'checkout_expired';
  if (state.resting === 'expired') {
    return state.terminalReason === 'attempts_exhausted' ? 'attempts_exhausted' : 'checkout_expired';
  }
  return now >= state.expiresAtMs ? 'checkout_expired' : null;
}

/** Returns the 409 code that prevents a second charge, or null. Spec: Errors 409; AMB-36. */
function fenceCode(state: CheckoutState): RefusalCode | null {
  if (state.flight) return state.flight.certainty === 'unknown' ? 'result_pending' : 'payment_in_progress';
  return state.resting === 'requiresAction' ? 'action_required' : null;
}

function decidePrepare(state: CheckoutState, now: number): Decision {
  const code = closedCode(state, now) ?? fenceCode(state);
  if (code) return refuse(code);
  // The hosted page takes cards as long as the checkout is open, and each attempt may use another card
  // (AMB-64).
  if (state.mode === 'hosted') return accept();
  // Access that was revoked or has run out cannot be refreshed (AMB-02, AMB-31).
  if (state.captureRevoked || now >= state.captureEndsAtMs) return refuse('checkout_expired');
  return accept();
}

function decidePay(
  state: CheckoutState,
  { method, attemptNo = state.attemptsStarted + 1 }: Extract<CheckoutCommand, { type: 'pay' }>,
  now: number,
): Decision {
  const code = closedCode(state, now) ?? fenceCode(state);
  if (code) return refuse(code);
  // A later attempt was made after this reservation, so no caller waits for it any more.
  if (attemptNo <= state.attemptsStarted) return refuse('result_pending');
  return accept({ type: 'AttemptStarted', attemptNo, method });
}

function decideConfirm(state: CheckoutState, now: number): Decision {
  // A paid checkout is closed, but its answer is that nothing needs confirming (CONFIRM-06).
  if (state.resting === 'paid') return refuse('confirmation_not_required');
  const closed = closedCode(state, now);
  if (closed) return refuse(closed);
  if (state.flight) {
    if (state.flight.certainty === 'unknown') return refuse('result_pending');
    return refuse(state.flight.kind === 'attempt' ? 'confirmation_not_required' : 'confirmation_in_progress');
  }
  if (state.resting !== 'requiresAction') return refuse('confirmation_not_required');
  return accept({ type: 'ConfirmationStarted', attemptNo: state.attemptsStarted });
}

function decideAbandon(state: CheckoutState, now: number): Decision {
  const closed = closedCode(state, now);
  if (closed) return refuse(closed);
  if (state.flight) return refuse(fenceCode(state) ?? 'payment_in_progress');
  if (state.resting !== 'requiresAction') return refuse('confirmation_not_required');
  return accept({ type: 'ClosingStarted', attemptNo: state.attemptsStarted });
}

function decideDeadline(state: CheckoutState, now: number): Decision {
  if (isClosed(state) || now < state.expiresAtMs) return accept();
  // An action that is still open at the network must be closed there, or seen to have succeeded (AMB-08).
  const openAction = state.resting === 'requiresAction' && !state.flight;
  return accept(
    { type: 'DeadlineReached' },
    ...(openAction ? [{ type: 'ClosingStarted' as const, attemptNo: state.attemptsStarted }] : []),
  );
}

/**
 * Decides what the network's answer changes. An answer for anything but the current flight is stale and
 * changes nothing.
 */
function decideResolve(state: CheckoutState, attemptNo: number, outcome: Outcome): Decision {
  const { flight } = state;
  if (!flight || flight.attemptNo !== attemptNo) return accept();
  switch (outcome.status) {
    case 'unknown':
      return flight.certainty === 'unknown' ? accept() : accept({ type: 'OutcomeBecameUnknown', attemptNo });
    case 'tokenRejected':
      return accept({ type: 'AttemptReleased', attemptNo, recorded: false, tokenRejected: true });
    case 'notStarted':
      return accept({ type: 'AttemptReleased', attemptNo, recorded: outcome.recorded, tokenRejected: false });
    case 'paid':
      return accept({ type: 'AttemptPaid', attemptNo });
    case 'declined':
      return accept({
        type: 'AttemptDeclined',
        attemptNo,
        failureCode: outcome.failureCode,
        message: outcome.message,
      });
    case 'failed':
      return accept({
        type: 'AttemptFailed',
        attemptNo,
        failureCode: outcome.failureCode,
        message: outcome.message,
      });
    case 'voided':
      return accept({ type: 'AttemptVoided', attemptNo });
    case 'requiresAction':
      // The customer cannot complete a step of a closed checkout, so the attempt is closed at the network.
      if (isClosed(state)) return accept({ type: 'ClosingStarted', attemptNo });
      return accept({ type: 'ActionRequired', attemptNo });
  }
}

/** Returns the state after an event. Defined for every state, so that a replayed sequence never throws. */
export function evolve(state: CheckoutState, event: CheckoutEvent): CheckoutState {
  switch (event.type) {
    case 'AttemptStarted':
      return {
        ...state,
        attemptsStarted: event.attemptNo,
        method: event.method,
        flight: { kind: 'attempt', attemptNo: event.attemptNo, certainty: 'running' },
      };
    case 'AttemptReleased':
      return { ...state, flight: null, captureRevoked: state.captureRevoked || event.recorded };
    case 'ConfirmationStarted':
      return {
        ...state,
        flight: { kind: 'confirmation', attemptNo: event.attemptNo, certainty: 'running' },
      };
    case 'ClosingStarted':
      return { ...state, flight: { kind: 'closing', attemptNo: event.attemptNo, certainty: 'running' } };
    case 'OutcomeBecameUnknown':
      return state.flight
        ? { ...state, captureRevoked: true, flight: { ...state.flight, certainty: 'unknown' } }
        : state;
    case 'ActionRequired':
      return {
        ...state,
        captureRevoked: true,
        flight: null,
        resting: 'requiresAction',
        paymentStatus: 'requiresAction',
      };
    case 'AttemptPaid':
      return {
        ...state,
        captureRevoked: true,
        flight: null,
        // A closed checkout stays `expired` although the payment becomes `paid` (AMB-07).
        resting: state.resting === 'expired' ? 'expired' : 'paid',
        paymentStatus: 'paid',
        failure: null,
      };
    case 'AttemptDeclined':
      return declined(state, event.failureCode, event.message);
    case 'AttemptFailed':
      return {
        ...state,
        captureRevoked: true,
        flight: null,
        resting: 'expired',
        // A checkout already closed keeps its reason and its count.
        terminalReason: state.terminalReason ?? 'provider_failed',
        attemptsLeft: state.terminalReason ? state.attemptsLeft : state.attemptsLeft - 1,
        paymentStatus: 'failed',
        failure: { code: event.failureCode, message: event.message },
      };
    case 'AttemptVoided':
      return isClosed(state)
        ? { ...state, flight: null }
        : declined(state, 'processing_error', 'The attempt did not complete and nothing was charged.');
    case 'DeadlineReached':
      return {
        ...state,
        resting: 'expired',
        terminalReason: 'checkout_expired',
        captureRevoked: true,
        // The customer has no step to complete any more (AMB-08). A deadline never makes a payment `failed`.
        paymentStatus: state.paymentStatus === 'requiresAction' ? 'pending' : state.paymentStatus,
      };
    case 'DeadlinesMoved':
      return {
        ...state,
        expiresAtMs: event.expiresAtMs,
        captureEndsAtMs: captureEnd(state.mode, event),
      };
  }
}

function declined(state: CheckoutState, code: string, message: string): CheckoutState {
  const resolved = { ...state, captureRevoked: true, flight: null };
  // On a closed checkout the count no longer matters, and `attempts_exhausted` must not replace its reason.
  if (isClosed(state)) return resolved;
  const attemptsLeft = state.attemptsLeft - 1;
  if (attemptsLeft > 0) {
    return { ...resolved, attemptsLeft, resting: 'failed_retryable', paymentStatus: 'pending' };
  }
  return {
    ...resolved,
    attemptsLeft: 0,
    resting: 'expired',
    terminalReason: 'attempts_exhausted',
    paymentStatus: 'failed',
    failure: { code, message },
  };
}
