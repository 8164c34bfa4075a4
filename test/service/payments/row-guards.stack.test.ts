import { randomUUID } from 'node:crypto';
import { createMerchant } from '../../../src/db/merchants/merchants.ts';
import { loadAnswer, recordAnswer } from '../../../src/db/payments/attempt-answers.ts';
import { resumePayment } from '../../../src/db/payments/payment-ownership.ts';
import {
  type AttemptReservation,
  cancelUnclaimed,
  claimAttempt,
  releaseReservation,
  reserveAttempt,
} from '../../../src/db/payments/reservations.ts';
import { commitTransition } from '../../../src/db/payments/transitions.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import type { Transition } from '../../../src/domain/transition.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { insertNewPayment } from '../../support/new-payment.ts';
import { cloneDatabase } from '../../support/world.ts';

/*
 * Each guard of a payment's rows alone, where the others would let the write through. In the running service
 * several guards refuse the same write, so the simulation cannot show that one of them is missing.
 */

const merchantId = randomUUID();
let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 2, applicationName: 'test' });
  await createMerchant(database, { id: merchantId, name: 'shop', status: 'active' }, byOperator());
});
afterAll(() => database.end());

const newPayment = (): Promise<string> => insertNewPayment(database, { merchantId });

/** Reserves the next attempt of a payment, and returns its number; null when it is refused. */
async function reserve(paymentId: string): Promise<number | null> {
  const reservation = {
    paymentId,
    tenant: null,
    method: 'card',
    tokenSealed: Buffer.from('sealed'),
    tokenHashes: [Buffer.from('hash')],
    captureReference: 'cap_1',
    simulated: null,
    requestId: randomUUID(),
  } satisfies AttemptReservation;
  return (await reserveAttempt(database, reservation, new Date())).attemptNo;
}

/** Creates a payment with a reserved attempt. */
async function reserved() {
  const paymentId = await newPayment();
  expect(await reserve(paymentId)).toBe(1);
  return { paymentId, attemptNo: 1 };
}

const claim = async (attempt: { paymentId: string; attemptNo: number }, runId = 'run') =>
  (await claimAttempt(database, { ...attempt, runId })).state;

/** Creates a payment with a claimed attempt, and its provider's answer. */
async function answered(answer: 'captured' | 'declined') {
  const attempt = await reserved();
  expect(await claim(attempt)).toBe('claimed');
  await recordAnswer(database, attempt, answer);
  return attempt;
}

/** Moves a payment's deadlines to a second ago. */
const passDeadline = (paymentId: string) =>
  database.query(
    `UPDATE payments SET expires_at = now() - interval '1 s', capture_expires_at = now() - interval '1 s'
     WHERE id = $1`,
    [paymentId],
  );

/** A transition that is not final: the attempt was declined, and the checkout accepts another. */
const declined = (paymentId: string, seq: number, change: Partial<Transition> = {}): Transition => ({
  paymentId,
  seq,
  at: Date.now(),
  paymentStatus: 'pending',
  checkoutStatus: 'failed_retryable',
  terminalReason: null,
  attemptsLeft: 4,
  method: 'card',
  failure: null,
  attempt: {
    attemptNo: 1,
    status: 'declined',
    cardAccepted: true,
    failureCode: 'card_declined',
    message: 'declined',
    card: null,
  },
  emitEvent: true,
  final: false,
  capture: 'keep',
  deadlines: null,
  ...change,
});

const stored = async (paymentId: string) =>
  (
    await database.query<{ status: string; left: number; seq: number }>(
      'SELECT checkout_status AS status, attempts_left AS left, state_seq AS seq FROM payments WHERE id = $1',
      [paymentId],
    )
  ).rows[0];

describe('a claim', () => {
  it('is refused after the deadline', async () => {
    const attempt = await reserved();
    await passDeadline(attempt.paymentId);
    expect(await claim(attempt)).toBe('closed');
  });

  it('is refused to a run that does not own the payment, and stays possible for the one that does', async () => {
    const attempt = await reserved();
    await resumePayment(database, attempt.paymentId, 'owner');
    expect(await claim(attempt, 'earlier')).toBe('closed');
    expect(await claim(attempt, 'owner')).toBe('claimed');
  });

  it('is made once, also when the first one recorded that nothing was sent', async () => {
    const attempt = await reserved();
    expect(await claim(attempt)).toBe('claimed');
    expect(await claim(attempt)).toBe('repeated');
    await recordAnswer(database, attempt, 'not_sent');
    expect(await claim(attempt)).toBe('repeated');
  });

  it('is refused once the reservation is canceled', async () => {
    const attempt = await reserved();
    expect(await cancelUnclaimed(database, attempt.paymentId, attempt.attemptNo)).toBe(true);
    expect(await claim(attempt)).toBe('closed');
  });
});

describe('a reservation', () => {
  it('is refused by a checkout that is paid, although attempts are left before its deadline', async () => {
    const { paymentId } = await answered('declined');
    await commitTransition(database, declined(paymentId, 1));
    await database.query("UPDATE payments SET checkout_status = 'paid' WHERE id = $1", [paymentId]);
    expect(await reserve(paymentId)).toBeNull();
    expect(await stored(paymentId)).toMatchObject({ status: 'paid' });
  });

  it('that a worker claimed is neither canceled nor released', async () => {
    const attempt = await reserved();
    expect(await claim(attempt)).toBe('claimed');
    expect(await cancelUnclaimed(database, attempt.paymentId, attempt.attemptNo)).toBe(false);
    expect(await releaseReservation(database, attempt)).toBe(false);
    expect(await loadAnswer(database, attempt)).toBeNull();
  });
});

// Each of the two guards is enough for this; the tests above show each alone.
it('a claim of an earlier run and the cancellation of its reservation exclude each other', async () => {
  const attempt = await reserved();
  await resumePayment(database, attempt.paymentId, 'owner');
  const isClaimed = (await claim(attempt, 'earlier')) === 'claimed';
  const isCanceled = await cancelUnclaimed(database, attempt.paymentId, attempt.attemptNo);
  expect({ isClaimed, isCanceled }).not.toEqual({ isClaimed: true, isCanceled: true });
});

describe('an answer', () => {
  it.each(['voided', 'not_sent', 'requires_action', 'declined'] as const)(
    'that the money was captured is not replaced by %s',
    async (later) => {
      const attempt = await answered('captured');
      await recordAnswer(database, attempt, later);
      expect(await loadAnswer(database, attempt)).toMatchObject({ answer: 'captured' });
    },
  );
});

describe('a transition', () => {
  it('of a run that does not own the payment is refused, whatever its number', async () => {
    const { paymentId } = await answered('declined');
    await resumePayment(database, paymentId, 'owner');
    const { seq = 0 } = (await stored(paymentId)) ?? {};
    const written = await commitTransition(database, declined(paymentId, seq + 1), 'earlier');
    expect(written).toMatchObject({ superseded: true });
    expect(await stored(paymentId)).toEqual({ status: 'processing', left: 5, seq });
  });

  it('that was committed before another one is not written again', async () => {
    const { paymentId } = await answered('declined');
    await commitTransition(database, declined(paymentId, 1));
    await commitTransition(database, declined(paymentId, 2, { attemptsLeft: 3, attempt: null }));
    await commitTransition(database, declined(paymentId, 1));
    expect(await stored(paymentId)).toEqual({ status: 'failed_retryable', left: 3, seq: 2 });
  });

  it('that differs from the one with its number is refused, and not taken for a repeated one', async () => {
    const { paymentId } = await answered('declined');
    await commitTransition(database, declined(paymentId, 1));
    expect(await commitTransition(database, declined(paymentId, 1))).not.toHaveProperty('superseded');
    const other = declined(paymentId, 1, { attemptsLeft: 3 });
    expect(await commitTransition(database, other)).toMatchObject({ superseded: true });
  });
});
