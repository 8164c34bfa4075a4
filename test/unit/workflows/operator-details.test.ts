import { type CheckoutEvent, evolve } from '../../../src/domain/checkout.ts';
import { type CheckoutState, openCheckout } from '../../../src/domain/checkout-state.ts';
import { type DetailFacts, addFacts, describeCheckout } from '../../../src/workflows/operator-details.ts';

const startMs = Date.UTC(2026, 2, 1, 12);
const card = { brand: 'visa', last4: '9995' };

/** Returns the details after these events, which are a second apart. */
function detailsAfter(...events: CheckoutEvent[]): string {
  let state: CheckoutState = openCheckout({
    mode: 'custom',
    expiresAtMs: startMs + 1_800_000,
    captureEndsAtMs: startMs + 600_000,
  });
  let facts: DetailFacts = { sinceMs: startMs, lastDecline: null, paid: null };
  let nowMs = startMs;
  for (const event of events) {
    nowMs += 1_000;
    state = evolve(state, event);
    facts = { ...addFacts(facts, event, card, state, nowMs), sinceMs: nowMs };
  }
  return describeCheckout(state, facts, false, nowMs);
}

const started: CheckoutEvent = { type: 'AttemptStarted', attemptNo: 1, method: 'card' };
const declined: CheckoutEvent = {
  type: 'AttemptDeclined',
  attemptNo: 1,
  failureCode: 'insufficient_funds',
  message: 'No.',
};

it('the details name whom the payment waits for, as the API does', () => {
  expect(detailsAfter()).toContain(
    'Waits for **customer** since 2026-03-01T12:00:00.000Z, until 2026-03-01T12:30:00.000Z.',
  );
  expect(detailsAfter(started)).toContain('Waits for **network** since 2026-03-01T12:00:01.000Z.');
  expect(detailsAfter(started, { type: 'OutcomeBecameUnknown', attemptNo: 1 })).toContain('is unknown');
  expect(detailsAfter(started, { type: 'ActionRequired', attemptNo: 1 })).toContain(
    "Waiting for the customer's confirmation.",
  );
  expect(detailsAfter({ type: 'DeadlineReached' })).toContain('Waits for nothing');
  expect(detailsAfter(started, { type: 'DeadlineReached' })).toContain('Waits for **network**');
});

it('the details contain the last decline with its card, and when and how the payment was paid', () => {
  const once = detailsAfter(started, declined);
  expect(once).toContain('Last decline: attempt 1, insufficient_funds (visa 9995), 2026-03-01T12:00:02.000Z');
  expect(once).not.toContain('Paid');
  const paid = detailsAfter(
    started,
    declined,
    { ...started, attemptNo: 2 },
    { type: 'AttemptPaid', attemptNo: 2 },
  );
  expect(paid).toContain('Last decline: attempt 1');
  expect(paid).toContain('Paid 2026-03-01T12:00:04.000Z by card (visa 9995), attempt 2');
  expect(paid).not.toContain('after the checkout closed');
  const late = detailsAfter(started, { type: 'DeadlineReached' }, { type: 'AttemptPaid', attemptNo: 1 });
  expect(late).toContain('attempt 1, after the checkout closed');
});
