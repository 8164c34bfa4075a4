import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Attempt, AttemptReport, ProviderAnswer } from '../../../src/activities/attempt-report.ts';
import {
  type CallContext,
  type ExpectedState,
  commitWithAnswer,
} from '../../../src/activities/commit-with-answer.ts';
import { createCommit } from '../../../src/activities/transitions.ts';
import { evolve } from '../../../src/domain/checkout.ts';
import { type CheckoutState, openCheckout } from '../../../src/domain/checkout-state.ts';
import { type World, createWorld } from '../../support/world.ts';
import { Shop } from '../../support/shop.ts';

let world: World;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const minute = 60_000;
const details = { card: { bin: '424242', issuer: null, brand: 'visa', last4: '4242' } };
const paid: ProviderAnswer = {
  report: { outcome: { status: 'paid' }, card: { brand: 'visa', last4: '4242' } },
  record: { answer: 'captured', details },
};
const declined: ProviderAnswer = {
  report: { outcome: { status: 'declined', failureCode: 'card_declined', message: 'no' }, card: null },
  record: { answer: 'declined', details: { failure: { failureCode: 'card_declined', message: 'no' } } },
};

/** Creates a payment with an attempt that was sent, and its checkout as the workflow has it. */
async function sentAttempt() {
  const attempt = { paymentId: await shop.customPayment(), attemptNo: 1 };
  const requestId = randomUUID();
  await world.database.query(
    `WITH fence AS (UPDATE payments SET checkout_status = 'processing' WHERE id = $1)
     INSERT INTO attempts (payment_id, attempt_no, status, method, request_id, started_at, claimed_at)
     VALUES ($1, 1, 'processing', 'card', $2, now(), now())`,
    [attempt.paymentId, requestId],
  );
  const expiresAtMs = Date.now() + 30 * minute;
  const open = openCheckout({ mode: 'custom', expiresAtMs, captureEndsAtMs: expiresAtMs });
  const state = evolve(open, { type: 'AttemptStarted', attemptNo: 1, method: 'card' });
  return { attempt, expectedState: { state, seq: 1 } satisfies ExpectedState };
}

/** Returns the same checkout after its deadline. */
const passed = (state: CheckoutState): CheckoutState => {
  const now = Date.now();
  return { ...state, expiresAtMs: now, captureEndsAtMs: now };
};

const dispatched: string[] = [];
function write(
  attempt: Attempt,
  answer: ProviderAnswer,
  context: Partial<CallContext>,
): Promise<AttemptReport> {
  const commit = createCommit({
    database: world.database,
    webhooks: { dispatch: (id) => dispatched.push(id) },
    startRefund: () => Promise.reject(new Error('a refund was started')),
  });
  const { database } = world;
  const whole = { runId: 'run', expectedState: null, hold: () => true, ...context };
  return new MockActivityEnvironment().run(() =>
    commitWithAnswer({ database, commit, now: Date.now }, whole, attempt, answer),
  ) as Promise<AttemptReport>;
}

/** Returns the rows of the payment, its attempt and its events. */
async function rowsOf({ paymentId }: { paymentId: string }) {
  const { rows } = await world.database.query(
    `SELECT p.status, p.checkout_status AS checkout, p.state_seq AS seq, p.attempts_left AS left, p.card_bin AS bin,
       a.status AS attempt, a.answer, (SELECT array_agg(e.type) FROM events e WHERE e.payment_id = p.id) AS events
     FROM payments p JOIN attempts a ON a.payment_id = p.id WHERE p.id = $1`,
    [paymentId],
  );
  return rows[0] as Record<string, unknown>;
}
/** The rows when the answer is stored and the workflow must still decide the transition. */
const answerAlone = {
  status: 'pending',
  checkout: 'processing',
  seq: 0,
  attempt: 'processing',
  answer: 'captured',
};

describe('an answer that arrives while the workflow waits', () => {
  it('is committed with the payment, its event and the number that the workflow expects', async () => {
    const { attempt, expectedState } = await sentAttempt();
    const report = await write(attempt, paid, { expectedState });
    expect(report).toEqual({ ...paid.report, committedTransition: { seq: 1, revokeCapture: false } });
    expect(await rowsOf(attempt)).toEqual({
      status: 'paid',
      checkout: 'paid',
      seq: 1,
      left: 5,
      bin: '424242',
      attempt: 'paid',
      answer: 'captured',
      events: ['payment.paid'],
    });
  });

  it('is committed with the state after a decline', async () => {
    const { attempt, expectedState } = await sentAttempt();
    expect(await write(attempt, declined, { expectedState })).toMatchObject({ committedTransition: {} });
    expect(await rowsOf(attempt)).toMatchObject({
      status: 'pending',
      checkout: 'failed_retryable',
      seq: 1,
      left: 4,
      attempt: 'declined',
      events: null,
    });
  });

  it.each<
    [
      string,
      (asked: {
        expectedState: ExpectedState;
        paymentId: string;
      }) => Partial<CallContext> | Promise<Partial<CallContext>>,
    ]
  >([
    ['the workflow has to decide itself', () => ({})],
    ['the workflow waits no longer', ({ expectedState }) => ({ expectedState, hold: () => false })],
    [
      'the deadline has passed',
      ({ expectedState }) => ({
        expectedState: { ...expectedState, state: passed(expectedState.state) },
      }),
    ],
    [
      'another transition came before it',
      async ({ expectedState }) => ({ expectedState: { ...expectedState, seq: 2 } }),
    ],
    [
      'another run owns the payment',
      async ({ expectedState, paymentId }) => {
        await world.database.query('UPDATE payments SET workflow_run_id = $2 WHERE id = $1', [
          paymentId,
          'other',
        ]);
        return { expectedState };
      },
    ],
    [
      'the database takes the answer alone',
      async ({ expectedState }) => ({
        expectedState: { ...expectedState, state: { ...expectedState.state, attemptsLeft: 99 } },
      }),
    ],
  ])('is stored alone when %s', async (_when, contextOf) => {
    const { attempt, expectedState } = await sentAttempt();
    const { paymentId } = attempt;
    expect(await write(attempt, paid, await contextOf({ expectedState, paymentId }))).toEqual(paid.report);
    expect(await rowsOf(attempt)).toMatchObject({ ...answerAlone, events: null });
  });

  it('changes nothing when it arrives again', async () => {
    const { attempt, expectedState } = await sentAttempt();
    await write(attempt, paid, { expectedState });
    const before = await rowsOf(attempt);
    expect(await write(attempt, declined, { expectedState })).toEqual(declined.report);
    expect(await rowsOf(attempt)).toEqual(before);
  });
});
