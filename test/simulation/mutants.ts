import type { Mutant } from '../support/harness/mutant.ts';

const file = 'src/domain/checkout.ts';

/** Mistakes in the decisions of a payment. */
export const decisionMutants: readonly Mutant[] = [
  {
    name: 'no fence check',
    file,
    find: `const code = closedCode(state, now) ?? fenceCode(state);
  if (code) return refuse(code);
  // A later attempt`,
    replace: `const code = closedCode(state, now);
  if (code) return refuse(code);
  // A later attempt`,
  },
  {
    name: 'attemptsLeft twice',
    file,
    find: 'const attemptsLeft = state.attemptsLeft - 1;',
    replace: 'const attemptsLeft = state.attemptsLeft - 2;',
  },
  {
    name: 'timeouts treated as declines',
    file,
    find: "accept({ type: 'OutcomeBecameUnknown', attemptNo });",
    replace: "accept({ type: 'AttemptDeclined', attemptNo, failureCode: 'no_answer', message: '' });",
  },
  {
    name: 'an unknown outcome opens the fence',
    file,
    find: "accept({ type: 'OutcomeBecameUnknown', attemptNo });",
    replace: "accept({ type: 'AttemptReleased', attemptNo, recorded: true, tokenRejected: false });",
  },
  {
    name: 'one provider key for every attempt',
    file,
    find: `if (attemptNo <= state.attemptsStarted) return refuse('result_pending');
  return accept({ type: 'AttemptStarted', attemptNo, method });`,
    replace:
      "return accept({ type: 'AttemptStarted', attemptNo: Math.max(1, state.attemptsStarted), method });",
  },
  {
    name: 'the deadline forgets what is in flight',
    file,
    find: `terminalReason: 'checkout_expired',
        captureRevoked: true,`,
    replace: `terminalReason: 'checkout_expired',
        flight: null,
        captureRevoked: true,`,
  },
  {
    name: 'late success is ignored',
    file,
    find: `paymentStatus: 'paid',
        failure: null,`,
    replace: `paymentStatus: state.resting === 'expired' ? state.paymentStatus : 'paid',
        failure: null,`,
  },
  {
    name: 'expiry by the timer alone',
    file,
    find: "return now >= state.expiresAtMs ? 'checkout_expired' : null;",
    replace: 'return null;',
  },
  {
    name: 'a decline after the end changes the end',
    file,
    find: 'if (isClosed(state)) return resolved;',
    replace: '',
  },
  {
    name: 'late success reopens the checkout',
    file,
    find: "resting: state.resting === 'expired' ? 'expired' : 'paid',",
    replace: "resting: 'paid',",
  },
  {
    name: 'resuming forgets the open attempt',
    file: 'src/domain/checkout-state.ts',
    find: 'openAttempt && (closed || !waiting)',
    replace: 'openAttempt && closed',
  },
  {
    name: 'capture extends',
    file,
    find: 'if (state.captureRevoked || now >= state.captureEndsAtMs)',
    replace: 'if (state.captureRevoked)',
  },
  {
    name: 'capture outlives the accepted card',
    file,
    find: 'if (state.captureRevoked || now >= state.captureEndsAtMs)',
    replace: 'if (now >= state.captureEndsAtMs)',
  },
  {
    name: 'the deadline leaves an open action open',
    file,
    find: "const openAction = state.resting === 'requiresAction' && !state.flight;",
    replace: 'const openAction = false;',
  },
  {
    name: 'an action opens on a closed checkout',
    file,
    find: "if (isClosed(state)) return accept({ type: 'ClosingStarted', attemptNo });",
    replace: '',
  },
];
