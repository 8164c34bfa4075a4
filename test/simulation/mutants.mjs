import { readFileSync } from 'node:fs';
import { transformSync } from '@swc/core';

const source = new URL('../../src/domain/checkout.ts', import.meta.url);

/**
 * Mistakes to plant in src/domain/checkout.ts, each as an exact piece of text and what replaces it. They exist only in
 * the copy that a run of the simulation compiles for itself.
 */
export const plantedInDecisions = [
  {
    name: 'no fence check',
    find: `const code = closedCode(state, now) ?? fenceCode(state);
  if (code) return refuse(code);
  return accept({ type: 'AttemptStarted'`,
    put: `const code = closedCode(state, now);
  if (code) return refuse(code);
  return accept({ type: 'AttemptStarted'`,
  },
  {
    name: 'attemptsLeft twice',
    find: 'const attemptsLeft = state.attemptsLeft - 1;',
    put: 'const attemptsLeft = state.attemptsLeft - 2;',
  },
  {
    name: 'timeouts treated as declines',
    find: "accept({ type: 'OutcomeBecameUnknown', attemptNo });",
    put: "accept({ type: 'AttemptDeclined', attemptNo, failureCode: 'processing_error', message: 'no answer' });",
  },
  {
    name: 'an unknown outcome opens the fence',
    find: "accept({ type: 'OutcomeBecameUnknown', attemptNo });",
    put: "accept({ type: 'AttemptReleased', attemptNo, recorded: true, tokenRejected: false });",
  },
  {
    name: 'one provider key for every attempt',
    find: 'attemptNo: state.attemptsStarted + 1, method',
    put: 'attemptNo: Math.max(1, state.attemptsStarted), method',
  },
  {
    name: 'the deadline forgets what is in flight',
    find: `terminalReason: 'checkout_expired',
        captureRevoked: true,`,
    put: `terminalReason: 'checkout_expired',
        flight: null,
        captureRevoked: true,`,
  },
  {
    name: 'late success is ignored',
    find: `paymentStatus: 'paid',
        failure: null,`,
    put: `paymentStatus: state.resting === 'expired' ? state.paymentStatus : 'paid',
        failure: null,`,
  },
  {
    name: 'expiry by the timer alone',
    find: "return now >= state.expiresAtMs ? 'checkout_expired' : null;",
    put: 'return null;',
  },
  {
    name: 'a decline after the end changes the end',
    find: 'if (isClosed(state)) return settled;',
    put: '',
  },
  {
    name: 'late success reopens the checkout',
    find: "resting: state.resting === 'expired' ? 'expired' : 'paid',",
    put: "resting: 'paid',",
  },
  {
    name: 'taking over forgets the open attempt',
    find: 'openAttempt && (closed || !waiting)',
    put: 'openAttempt && closed',
  },
  {
    name: 'capture extends',
    find: 'if (state.captureRevoked || now >= state.captureEndsAtMs)',
    put: 'if (state.captureRevoked)',
  },
  {
    name: 'capture outlives the accepted card',
    find: 'if (state.captureRevoked || now >= state.captureEndsAtMs)',
    put: 'if (now >= state.captureEndsAtMs)',
  },
  {
    name: 'the deadline leaves an open action open',
    find: "const openAction = state.resting === 'requiresAction' && !state.flight;",
    put: 'const openAction = false;',
  },
  {
    name: 'an action opens on a closed checkout',
    find: "if (isClosed(state)) return accept({ type: 'ClosingStarted', attemptNo });",
    put: '',
  },
];

/** Replaces exactly one place; throws when it is not there exactly once, so that a planted bug cannot rot away. */
export function plant(text, { name, find, put }) {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`"${name}" cannot be planted: its text occurs ${parts.length - 1} times`);
  return parts.join(put);
}

/** The decisions as a module, with a mistake planted, or as they are. */
export async function decisionsWith(mistake) {
  const text = readFileSync(source, 'utf8');
  const { code } = transformSync(mistake ? plant(text, mistake) : text, {
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}
