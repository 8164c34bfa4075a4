import { checkDisputes, checkRefunds } from './refund-and-dispute-checks.mjs';

/**
 * The judge. It knows the specification's promises and nothing of the service's code: from the network's ledger, the
 * clients' history, the rows and the workflows it lists what was broken, as `{invariant, paymentId?, detail}`.
 * Numbers are those of docs/reliability.md.
 */
export function check(facts) {
  const violations = [];
  const broken = (invariant, paymentId, detail) => violations.push({ invariant, paymentId, detail });
  for (const payment of facts.payments) checkPayment(facts, payment, broken);
  checkHistory(facts, broken);
  checkWhole(facts, broken);
  return violations;
}

const checkoutEdges = {
  open: ['processing', 'requiresAction', 'paid', 'failed_retryable', 'expired'],
  processing: ['open', 'requiresAction', 'paid', 'failed_retryable', 'expired'],
  requiresAction: ['processing', 'paid', 'failed_retryable', 'expired'],
  failed_retryable: ['processing', 'requiresAction', 'paid', 'expired'],
  paid: [],
  expired: [],
};
const paymentEdges = {
  pending: ['requiresAction', 'paid', 'failed'],
  requiresAction: ['pending', 'paid', 'failed'],
  paid: ['partiallyRefunded', 'refunded', 'disputed'],
  failed: [],
  // Back when a refund fails late.
  partiallyRefunded: ['partiallyRefunded', 'paid', 'refunded', 'disputed'],
  refunded: ['paid', 'partiallyRefunded'],
  // Back when the network withdraws the dispute.
  disputed: ['disputeWon', 'disputeLost', 'paid', 'partiallyRefunded', 'refunded'],
  disputeWon: ['partiallyRefunded', 'refunded', 'disputed'],
  disputeLost: [],
};
/** In these the money came in, whatever happened to it later. */
const moneyCameIn = (status) => !['pending', 'requiresAction', 'failed'].includes(status);

function checkPayment(facts, payment, broken) {
  const { id } = payment;
  const charges = facts.ledgers.get(id) ?? [];
  const captured = charges.filter(({ status }) => status === 'captured');
  const attempts = facts.attempts.filter(({ paymentId }) => paymentId === id);

  if (captured.length > 1) broken('I1', id, `${captured.length} captured charges`);
  const perAttempt = new Set(captured.map(({ attemptId }) => attemptId));
  if (perAttempt.size !== captured.length) broken('I1', id, 'an attempt was captured twice');

  if (moneyCameIn(payment.status) !== captured.length > 0) {
    broken('I3', id, `payment ${payment.status}, ${captured.length} captured at the network`);
  }
  for (const { amountCents } of charges) {
    if (amountCents !== payment.amountCents)
      broken('I3', id, `charged ${amountCents} of ${payment.amountCents}`);
  }
  const pending = charges.filter(({ status }) => status === 'pending');
  if (pending.length > 0) broken('I17', id, 'a charge is still open at the network');

  for (const [index, attempt] of attempts.entries()) {
    const next = attempts[index + 1];
    if (next && (attempt.settledAt === null || attempt.settledAt > next.startedAt + 1)) {
      broken('I4', id, `attempt ${next.attemptNo} began while ${attempt.attemptNo} was open`);
    }
    // An attempt that was voided unsent has a row of its end only.
    const sent = charges.some(
      ({ attemptId, status }) => attemptId === `${id}:${attempt.attemptNo}` && status !== 'voided',
    );
    if (sent && attempt.startedAt > payment.expiresAt + 1_000) {
      broken('I16', id, `attempt ${attempt.attemptNo} began after the deadline`);
    }
  }
  for (const { attemptId, status } of charges) {
    const attempt = attempts.find(({ attemptNo }) => attemptId === `${id}:${attemptNo}`);
    if (!attempt) broken('I2', id, `the network knows attempt ${attemptId}, the rows do not`);
    else if (status === 'captured' && attempt.status !== 'paid') {
      broken('I3', id, `captured attempt is ${attempt.status} in the rows`);
    }
  }
  const declined = attempts.filter(({ status }) => status === 'declined').length;
  const used = 5 - payment.attemptsLeft;
  const voided = attempts.filter(({ status }) => status === 'voided').length;
  const failed = attempts.filter(({ status }) => status === 'failed').length;
  if (used < declined + failed - (payment.checkoutStatus === 'expired' ? declined + failed : 0)) {
    broken('I8', id, `${declined} declines, ${used} attempts used`);
  }
  if (used > declined + failed + voided) broken('I8', id, `${used} attempts used, only ${declined} declines`);

  if (!payment.settled)
    broken('I17', id, `not settled: ${payment.checkoutStatus}, payment ${payment.status}`);
  const workflow = facts.workflows.get(id);
  if (payment.settled && workflow !== 'COMPLETED')
    broken('I17', id, `settled, but its workflow is ${workflow}`);

  checkRefunds(facts, payment, broken);
  checkDisputes(facts, payment, broken);
  checkEvents(facts, payment, broken);
  checkReads(facts, payment, broken);
}

function checkEvents(facts, payment, broken) {
  const { id } = payment;
  const events = facts.events.filter(({ paymentId }) => paymentId === id);
  for (const [index, event] of events.entries()) {
    if (event.sequence !== index + 1) broken('I10', id, `event ${event.sequence} in place ${index + 1}`);
  }
  let status = 'pending';
  for (const event of events.filter(({ type }) => type.startsWith('payment.'))) {
    const to = event.type.replace('payment.', '');
    // The one silent change: an action that the deadline closed.
    const silent = status === 'requiresAction' && event.previousStatus === 'pending';
    if (event.previousStatus !== status && !silent) {
      broken('I10', id, `event tells of a change from ${event.previousStatus}, the last was to ${status}`);
    }
    if (!paymentEdges[event.previousStatus]?.includes(to)) {
      broken('I10', id, `event tells of a change from ${event.previousStatus} to ${to}`);
    }
    status = to;
  }
  const silentEnd = status === 'requiresAction' && payment.status === 'pending';
  if (status !== payment.status && !silentEnd) {
    broken('I10', id, `the events end at ${status}, the payment is ${payment.status}`);
  }
  for (const event of events) {
    const came = facts.received.filter((each) => each.id === event.id);
    if (came.length === 0) broken('I10', id, `event ${event.id} was never delivered`);
    if (new Set(came.map(({ body }) => body)).size > 1)
      broken('I10', id, `event ${event.id} came with two bodies`);
  }
  const known = new Set(events.map((event) => event.id));
  for (const { id: eventId, body, valid } of facts.received) {
    if (!body.includes(id)) continue;
    if (!valid) broken('I10', id, `delivery ${eventId} has a wrong signature`);
    if (!known.has(eventId))
      broken('I11', id, `delivery ${eventId} tells of an event that was not committed`);
  }
}

/** What the payment's client saw, call after call: a later call may not see an earlier state. */
function checkReads(facts, payment, broken) {
  const { id } = payment;
  const calls = facts.history
    .filter(({ paymentId, result }) => paymentId === id && result === 'ok')
    .toSorted((one, other) => one.startedAt - other.startedAt);
  ordered(
    calls.filter(({ op }) => op === 'status'),
    ({ data }) => data.status,
    checkoutEdges,
    'I7',
  );
  ordered(
    calls.filter(({ op }) => op === 'read'),
    ({ data }) => data.status,
    paymentEdges,
    'I7',
  );

  function ordered(seen, statusOf, edges, invariant) {
    let before = null;
    for (const call of seen) {
      const status = statusOf(call);
      // Overlapping calls have no order.
      if (before && call.startedAt < before.endedAt) continue;
      const from = before && statusOf(before);
      if (from && from !== status && !reaches(edges, from, status)) {
        broken(invariant, id, `${call.op} showed ${from}, then ${status}`);
      }
      if (from && call.data.attemptsLeft > before.data.attemptsLeft) {
        broken('I8', id, `attemptsLeft rose to ${call.data.attemptsLeft}`);
      }
      before = call;
    }
  }

  for (const { op, data } of calls) {
    if (op === 'pay' && data.status === 'paid' && !moneyCameIn(payment.status)) {
      broken('I11', id, 'pay answered paid, the payment is not');
    }
    if (op === 'read' && (data.amountCents !== payment.amountCents || data.currency !== 'USD')) {
      broken('I14', id, 'amount or currency changed');
    }
  }
  const secrets = new Set(
    calls.filter(({ op }) => op === 'capture').map(({ data }) => JSON.stringify(data.capture)),
  );
  if (secrets.size > 1) broken('I9', id, 'two prepares gave different capture access');
}

const reaches = (edges, from, to, seen = new Set()) =>
  edges[from].some((next) => {
    if (next === to) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(edges, next, to, seen);
  });

const specified = {
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
  429: ['rate_limited'],
  503: ['service_unavailable'],
};

/** 20 s for the workflow, what is read before and after it, and a process that is frozen meanwhile. */
const longestAnswerMs = 29_000;

function checkHistory(facts, broken) {
  const created = new Map();
  for (const call of facts.history) {
    const { op, paymentId, key, result, status, code, data, text, retryAfter } = call;
    // Every wait of the service is bounded; the longest is that of a pay for its attempt.
    if (status !== null && call.endedAt - call.startedAt > longestAnswerMs) {
      broken('I21', paymentId, `${op} was answered after ${call.endedAt - call.startedAt} ms`);
    }
    if (result === 'fail' || status === 503) {
      if (!specified[status]?.includes(code)) broken('I21', paymentId, `${op} answered ${status} ${code}`);
      if (status === 503 && !retryAfter) broken('I21', paymentId, `${op} answered 503 without Retry-After`);
      if (code === 'unauthorized' || code === 'idempotency_key_reused' || code === 'not_found') {
        broken('I21', paymentId, `${op} of a valid caller answered ${code}`);
      }
    }
    if (key === null || result !== 'ok') continue;
    const first = created.get(key);
    if (first && first.text !== text)
      broken('I6', paymentId ?? data.id, `a replay of ${op} differs from the first answer`);
    created.set(key, { text, id: data.id, op });
  }
  for (const { id, op } of created.values()) {
    if (op === 'create' && !facts.payments.some((payment) => payment.id === id))
      broken('I2', id, 'answered 201, but there is no row');
  }
  for (const payment of facts.payments) {
    if (!facts.keys.some(({ resourceId }) => resourceId === payment.id)) {
      broken('I6', payment.id, 'a payment that no key made');
    }
  }
}

function checkWhole(facts, broken) {
  if (facts.idle.length > 0) broken('I18', null, `${facts.idle.length} connections idle in a transaction`);
  for (const { paymentId } of facts.secrets)
    broken('I9', paymentId, 'settled, but its capture secret is kept');
  for (const { name, text } of facts.logs) {
    for (const canary of facts.canaries) {
      if (canary && text.includes(canary)) broken('I12', null, `${name} holds a secret`);
    }
    if (/4242424242424242|4000000000007007/.test(text)) broken('I12', null, `${name} holds a card number`);
  }
}
