import type { Call } from './history.ts';
import type { Observations } from './observations.ts';
import type { AttemptRow, PaymentRow } from './rows.ts';
import type { Report } from './violation.ts';

const awaitedParties = ['customer', 'network', 'vault', 'deadline', 'operator'];
/** Tolerance, in ms, between times that several processes of one machine took. */
const marginMs = 50;

/**
 * Checks I24: at every read of a client, a payment that was not final waited for exactly one role, and for
 * the right one. A final payment waits for none, except for its refunds and disputes. The client's previous
 * read shows the truth, and the rows of attempts show when each was in progress.
 */
export function checkWaiting(observations: Observations, payment: PaymentRow, report: Report): void {
  const calls = observations.history
    .filter(({ paymentId }) => paymentId === payment.id)
    .toSorted((one, other) => one.startedAtMs - other.startedAtMs);
  const attempts = observations.attempts.filter(({ paymentId }) => paymentId === payment.id);
  const alerted = observations.alerted.some(({ paymentId }) => paymentId === payment.id);
  for (const [index, call] of calls.entries()) {
    // The rows lack attempts that were in progress before the rows were put back.
    if (call.startedAtMs < (observations.putBack.get(payment.id) ?? -Infinity)) continue;
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
  const waiting = data.waitingFor;
  if (waiting && !awaitedParties.includes(waiting.who)) return `waits for ${waiting.who}`;
  if (waiting?.who === 'operator') return alerted ? null : 'waits for an operator without an alert';
  const isOpen = status === 'pending' || status === 'requiresAction';
  if (!isOpen) return null;
  if (!waiting) {
    return payment.finalAtMs === null || endedAtMs < payment.finalAtMs
      ? `waits for no one while it is ${status}`
      : null;
  }
  const during = (attempt: AttemptRow, fromMs: number): boolean =>
    attempt.startedAtMs <= endedAtMs + marginMs &&
    (attempt.endedAtMs === null || attempt.endedAtMs >= fromMs - marginMs);
  const out = attempts.find(
    ({ claimedAtMs, endedAtMs: over, hasAction }) =>
      !hasAction &&
      claimedAtMs !== null &&
      claimedAtMs + marginMs < startedAtMs &&
      (over === null || over - marginMs > endedAtMs),
  );
  if (out && waiting.who !== 'network' && waiting.who !== 'vault') {
    return `waits for ${waiting.who} while attempt ${out.attemptNo} is out`;
  }
  // The same client's previous read decides, when nothing else began and no deadline passed.
  if (before?.op !== 'status' || before.result !== 'ok' || endedAtMs >= payment.expiresAtMs) return null;
  const shown = before.data?.status;
  // In the meantime the customer may have completed the step, and the network's callback confirms it.
  const confirmed = attempts.some(
    ({ hasAction, status: became, endedAtMs: over }) =>
      hasAction && ['paid', 'declined', 'failed'].includes(became) && (over ?? Infinity) >= startedAtMs,
  );
  if (shown === 'requiresAction' && waiting.who !== 'customer' && !(confirmed && waiting.who === 'network')) {
    return `waits for ${waiting.who} in a step`;
  }
  const atRest = shown === 'open' || shown === 'failed_retryable';
  if (atRest && !attempts.some((attempt) => during(attempt, before.startedAtMs))) {
    const closing = shown === 'open' && endedAtMs >= payment.captureExpiresAtMs;
    if (waiting.who !== 'customer' && !(closing && waiting.who === 'deadline')) {
      return `waits for ${waiting.who} at rest`;
    }
  }
  return null;
}
