import type { Call } from './history.ts';
import type { Observations } from './observations.ts';
import type { AttemptRow, PaymentRow } from './rows.ts';
import type { Report } from './violation.ts';

const waiters = ['customer', 'network', 'vault', 'deadline', 'operator'];
/** Instants of one machine, taken by several processes. */
const marginMs = 50;

/**
 * Checks I24: whenever a client asked, a payment that was not final waited for exactly one, and for the true
 * one; a final one for nobody, but for what its refunds and disputes wait for. The truth is what the client
 * was told just before, and when attempts were out, by their rows.
 */
export function checkWaiting(observations: Observations, payment: PaymentRow, report: Report): void {
  const calls = observations.history
    .filter(({ paymentId }) => paymentId === payment.id)
    .toSorted((one, other) => one.startedAtMs - other.startedAtMs);
  const attempts = observations.attempts.filter(({ paymentId }) => paymentId === payment.id);
  const alerted = observations.alerted.some(({ paymentId }) => paymentId === payment.id);
  for (const [index, call] of calls.entries()) {
    if (call.op !== 'timeline' || call.result !== 'ok') continue;
    const fault = faultOf(call, calls[index - 1], payment, attempts, alerted);
    if (fault !== null) report('I24', payment.id, fault);
  }
}

function faultOf(
  call: Call,
  before: Call | undefined,
  payment: PaymentRow,
  attempts: readonly AttemptRow[],
  alerted: boolean,
): string | null {
  const { data, startedAtMs, endedAtMs } = call;
  const status = data?.payment?.status;
  if (status === undefined || data?.entries === undefined) return 'a timeline without payment or entries';
  if (data.entries[0]?.kind !== 'payment.created') return 'a timeline that does not begin with the creation';
  const told = data.waitingFor;
  if (told && !waiters.includes(told.who)) return `waits for ${told.who}`;
  if (told?.who === 'operator') return alerted ? null : 'waits for an operator whom nobody alerted';
  const isOpen = status === 'pending' || status === 'requiresAction';
  if (!isOpen) return null;
  if (!told) {
    return payment.finalAtMs === null || endedAtMs < payment.finalAtMs
      ? `waits for nobody while it is ${status}`
      : null;
  }
  const during = (attempt: AttemptRow, fromMs: number): boolean =>
    attempt.startedAtMs <= endedAtMs + marginMs &&
    (attempt.endedAtMs === null || attempt.endedAtMs >= fromMs - marginMs);
  const out = attempts.find(
    ({ sentAtMs, endedAtMs: over, hasAction }) =>
      !hasAction &&
      sentAtMs !== null &&
      sentAtMs + marginMs < startedAtMs &&
      (over === null || over - marginMs > endedAtMs),
  );
  if (out && told.who !== 'network' && told.who !== 'vault') {
    return `waits for ${told.who} while attempt ${out.attemptNo} is out`;
  }
  // What the same client was told just before, when nothing else began and no deadline came.
  if (before?.op !== 'status' || before.result !== 'ok' || endedAtMs >= payment.expiresAtMs) return null;
  const shown = before.data?.status;
  // Meanwhile the customer may have taken the step: the network's callback has it confirmed.
  const confirmed = attempts.some(
    ({ hasAction, status: became, endedAtMs: over }) =>
      hasAction && ['paid', 'declined', 'failed'].includes(became) && (over ?? Infinity) >= startedAtMs,
  );
  if (shown === 'requiresAction' && told.who !== 'customer' && !(confirmed && told.who === 'network')) {
    return `waits for ${told.who} in a step`;
  }
  const atRest = shown === 'open' || shown === 'failed_retryable';
  if (atRest && !attempts.some((attempt) => during(attempt, before.startedAtMs))) {
    const closing = shown === 'open' && endedAtMs >= payment.captureExpiresAtMs;
    if (told.who !== 'customer' && !(closing && told.who === 'deadline')) {
      return `waits for ${told.who} at rest`;
    }
  }
  return null;
}
