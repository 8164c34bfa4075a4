import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { AttemptReport, Heard } from '../../../src/activities/attempt-report.ts';
import { type Asking, type Foreseen, followUp } from '../../../src/activities/commit-with-answer.ts';
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
const paid: Heard = {
  report: { outcome: { status: 'paid' }, card: { brand: 'visa', last4: '4242' } },
  answer: 'captured',
  details,
};
const declined: Heard = {
  report: { outcome: { status: 'declined', failureCode: 'card_declined', message: 'no' }, card: null },
  answer: 'declined',
  details: { failure: { failureCode: 'card_declined', message: 'no' } },
};

/** A payment with an attempt that was sent, and its checkout as the workflow holds it. */
async function sentAttempt() {
  const attempt = { paymentId: await shop.customPayment(), attemptNo: 1 };
  const intent = randomUUID();
  await world.database.query(
    `WITH fence AS (UPDATE payments SET checkout_status = 'processing' WHERE id = $1)
     INSERT INTO attempts (payment_id, attempt_no, status, method, request_id, started_at, sent_at)
     VALUES ($1, 1, 'processing', 'card', $2, now(), now())`,
    [attempt.paymentId, intent],
  );
  const expiresAtMs = Date.now() + 30 * minute;
  const open = openCheckout({ mode: 'custom', expiresAtMs, captureEndsAtMs: expiresAtMs });
  const state = evolve(open, { type: 'AttemptStarted', attemptNo: 1, method: 'card' });
  return { attempt, foreseen: { state, seq: 1 } satisfies Foreseen };
}

/** The same checkout at its deadline. */
const passed = (state: CheckoutState): CheckoutState => {
  const now = Date.now();
  return { ...state, expiresAtMs: now, captureEndsAtMs: now };
};

const dispatched: string[] = [];
function write(
  attempt: { paymentId: string; attemptNo: number },
  heard: Heard,
  asking: Partial<Asking>,
): Promise<AttemptReport> {
  const commit = createCommit({
    database: world.database,
    webhooks: { dispatch: (id) => dispatched.push(id) },
    startRefund: () => Promise.reject(new Error('a refund was started')),
  });
  const { database } = world;
  const written = followUp(
    { database, commit },
    { runId: 'run', foreseen: null, hold: () => true, ...asking },
  );
  return new MockActivityEnvironment().run(() => written(attempt, heard)) as Promise<AttemptReport>;
}

/** What the rows say of the payment, its attempt and its events. */
async function rowsOf({ paymentId }: { paymentId: string }) {
  const { rows } = await world.database.query(
    `SELECT p.status, p.checkout_status AS checkout, p.state_seq AS seq, p.attempts_left AS left, p.card_bin AS bin,
       a.status AS attempt, a.answer, (SELECT array_agg(e.type) FROM events e WHERE e.payment_id = p.id) AS events
     FROM payments p JOIN attempts a ON a.payment_id = p.id WHERE p.id = $1`,
    [paymentId],
  );
  return rows[0] as Record<string, unknown>;
}
/** The answer is kept, and the workflow has still to decide what follows. */
const answerAlone = {
  status: 'pending',
  checkout: 'processing',
  seq: 0,
  attempt: 'processing',
  answer: 'captured',
};

describe('an answer that is heard while the workflow waits', () => {
  it('is written with the payment, its event and the number that the workflow gave', async () => {
    const { attempt, foreseen } = await sentAttempt();
    const report = await write(attempt, paid, { foreseen });
    expect(report).toEqual({ ...paid.report, committed: { seq: 1, revokeCapture: false } });
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

  it('is written with what a decline leaves', async () => {
    const { attempt, foreseen } = await sentAttempt();
    expect(await write(attempt, declined, { foreseen })).toMatchObject({ committed: {} });
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
    [string, (asked: { foreseen: Foreseen; paymentId: string }) => Partial<Asking> | Promise<Partial<Asking>>]
  >([
    ['the workflow has to decide by itself', () => ({})],
    ['the workflow waits no longer', ({ foreseen }) => ({ foreseen, hold: () => false })],
    [
      'the deadline has passed',
      ({ foreseen }) => ({
        foreseen: { ...foreseen, state: passed(foreseen.state) },
      }),
    ],
    ['another transition came before it', async ({ foreseen }) => ({ foreseen: { ...foreseen, seq: 2 } })],
    [
      'another run owns the payment',
      async ({ foreseen, paymentId }) => {
        await world.database.query('UPDATE payments SET workflow_run_id = $2 WHERE id = $1', [
          paymentId,
          'other',
        ]);
        return { foreseen };
      },
    ],
    [
      'the database takes the answer alone',
      async ({ foreseen }) => ({ foreseen: { ...foreseen, state: { ...foreseen.state, attemptsLeft: 99 } } }),
    ],
  ])('is written alone when %s', async (_when, asking) => {
    const { attempt, foreseen } = await sentAttempt();
    const { paymentId } = attempt;
    expect(await write(attempt, paid, await asking({ foreseen, paymentId }))).toEqual(paid.report);
    expect(await rowsOf(attempt)).toMatchObject({ ...answerAlone, events: null });
  });

  it('heard again after it was written changes nothing', async () => {
    const { attempt, foreseen } = await sentAttempt();
    await write(attempt, paid, { foreseen });
    const before = await rowsOf(attempt);
    expect(await write(attempt, declined, { foreseen })).toEqual(declined.report);
    expect(await rowsOf(attempt)).toEqual(before);
  });
});
