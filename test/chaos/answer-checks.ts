import type { Call } from './history.ts';
import type { Observations } from './observations.ts';
import type { Report } from './violation.ts';

/** The error codes of the specification by status, deliberately written a second time. */
const specified: Record<number, readonly string[]> = {
  400: ['invalid_request', 'invalid_query'],
  401: ['unauthorized'],
  404: ['not_found'],
  409: [
    'idempotency_in_progress',
    'idempotency_key_reused',
    'payment_in_progress',
    'action_required',
    'confirmation_in_progress',
    'confirmation_not_required',
    'result_pending',
    'payment_not_refundable',
    'refund_not_cancelable',
    'evidence_already_submitted',
    'dispute_closed',
    'evidence_past_due',
    'sandbox_not_applicable',
  ],
  410: ['checkout_expired', 'attempts_exhausted'],
  422: ['validation_failed', 'card_token_rejected'],
  429: ['rate_limited', 'too_many_declines'],
  503: ['service_unavailable'],
};

/** Answers that a valid caller never gets. */
const neverForValidCallers = ['unauthorized', 'idempotency_key_reused', 'not_found'];

/** The name of a call that sends another body under a key that was answered before. */
export const reusedKey = 'reuseKey';

/** The name of a call about another merchant's object: the client that makes it checks its refusal (I15). */
export const foreignCall = 'foreign';

/** The longest answer, in ms: 20 s for the workflow, the reads around it, and a process frozen meanwhile. */
const longestAnswerMs = 29_000;

/** Tolerance, in ms, between the customer's clock and the rows' clock. */
const clocksDifferByMs = 1_000;
/** A vault refuses within this time, in ms; a customer who gives up has tried for longer. */
const atOnceMs = 3_000;

/** Checks every answer on its own, and compares the answers under each key with the rows. */
export function checkAnswers(observations: Observations, report: Report): void {
  for (const call of observations.history) {
    if (call.op === 'card') checkCard(observations, call, report);
    else checkAnswer(call, report);
  }
  checkKeys(observations, report);
}

function checkAnswer(call: Call, report: Report): void {
  const { op, paymentId, result, status, code, retryAfter } = call;
  if (status === null) return;
  // Every wait of the service is bounded. The longest is that of a pay for its attempt.
  const tookMs = call.endedAtMs - call.startedAtMs;
  if (tookMs > longestAnswerMs) report('I21', paymentId, `${op} was answered after ${tookMs} ms`);
  if (op === reusedKey && result === 'ok') report('I6', paymentId, 'a key was accepted with another body');
  if ((result !== 'fail' && status !== 503) || (op === foreignCall && status !== 503)) return;
  if (code === null || !specified[status]?.includes(code)) {
    report('I21', paymentId, `${op} answered ${status} ${code}`);
  }
  if (status === 503 && !retryAfter) report('I21', paymentId, `${op} answered 503 without Retry-After`);
  if (op === reusedKey) return;
  if (code !== null && neverForValidCallers.includes(code)) {
    report('I21', paymentId, `${op} of a valid caller answered ${code}`);
  }
}

/** Checks that the vault accepts a card sent within the window, unless an outage lasted all the time. */
function checkCard({ history, payments }: Observations, card: Call, report: Report): void {
  const payment = payments.find(({ id }) => id === card.paymentId);
  const others = history.filter(({ paymentId, op }) => paymentId === card.paymentId && op === 'card');
  if (!payment || card.text !== 'refused' || others.length > 1) return;
  const { id, captureExpiresAtMs } = payment;
  if (
    card.endedAtMs < captureExpiresAtMs - clocksDifferByMs &&
    card.endedAtMs - card.startedAtMs < atOnceMs
  ) {
    report('I9', id, 'the vault refused a card within its window');
  }
}

function checkKeys({ history, payments, keys }: Observations, report: Report): void {
  const answered = new Map<string, { id: string | undefined; op: string; text: string }>();
  for (const { op, paymentId, key, result, data, text } of history) {
    if (key === null || result !== 'ok') continue;
    const first = answered.get(key);
    if (first && first.text !== text) {
      report('I6', paymentId ?? data?.id ?? null, `a replay of ${op} differs from the first answer`);
    }
    answered.set(key, { id: data?.id, op, text });
  }
  for (const { id, op } of answered.values()) {
    if (op === 'create' && !payments.some((payment) => payment.id === id)) {
      report('I2', id ?? null, 'answered 201, but there is no row');
    }
  }
  for (const { id } of payments) {
    if (!keys.some(({ resourceId }) => resourceId === id)) report('I6', id, 'a payment that no key made');
  }
}
