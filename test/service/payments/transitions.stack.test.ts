import { randomUUID } from 'node:crypto';
import { openDatabase, type Database } from '../../../src/db/server/database.ts';
import { type RecordableAnswer, recordAnswer } from '../../../src/db/payments/attempt-answers.ts';
import {
  type AttemptReservation,
  type CustomTenant,
  claimAttempt,
  reserveAttempt,
  releaseReservation,
} from '../../../src/db/payments/reservations.ts';
import { createMerchant, setMerchantStatus } from '../../../src/db/merchants/merchants.ts';
import { loadCheckout } from '../../../src/db/payments/checkouts.ts';
import { resumePayment } from '../../../src/db/payments/payment-ownership.ts';
import type { Transition } from '../../../src/domain/transition.ts';
import { commitTransition } from '../../../src/db/payments/transitions.ts';
import { readCheckout } from '../../../src/operations/payments/checkout-view.ts';
import { isAllowedStatusChange, paymentStatuses } from '../../../src/domain/statuses.ts';
import { eventually } from '../../support/shop.ts';
import { insertNewPayment } from '../../support/new-payment.ts';
import { cloneDatabase } from '../../support/world.ts';
import { byOperator } from '../../support/harness/by-operator.ts';

let database: Database;
const merchantId = randomUUID();
beforeAll(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 4, applicationName: 'test' });
  await createMerchant(database, { id: merchantId, name: 'shop', status: 'active' }, byOperator());
});
afterAll(() => database.end());

const newPayment = (checkoutMode: 'hosted' | 'custom' = 'custom'): Promise<string> =>
  insertNewPayment(database, { merchantId, checkoutMode });

const paid = (paymentId: string, seq: number): Transition => ({
  paymentId,
  seq,
  at: Date.now(),
  paymentStatus: 'paid',
  checkoutStatus: 'paid',
  terminalReason: null,
  attemptsLeft: 5,
  method: 'card',
  failure: null,
  attempt: {
    attemptNo: 1,
    status: 'paid',
    cardAccepted: true,
    failureCode: null,
    message: null,
    card: { brand: 'visa', last4: '0042' },
  },
  emitEvent: true,
  final: true,
  capture: 'keep',
  deadlines: null,
});

const expired = (paymentId: string, seq: number): Transition => ({
  ...paid(paymentId, seq),
  paymentStatus: 'pending',
  checkoutStatus: 'expired',
  terminalReason: 'checkout_expired',
  attempt: null,
  emitEvent: false,
  capture: 'end',
});

const reservationOf = (paymentId: string) =>
  ({
    paymentId,
    tenant: null,
    method: 'card',
    tokenSealed: Buffer.from('sealed'),
    tokenHashes: [Buffer.from('hash')],
    captureReference: 'cap_1',
    simulated: null,
    requestId: randomUUID(),
  }) satisfies AttemptReservation;

/** Creates a payment with a sent attempt, and the provider's answer as its worker recorded it. */
async function answered(answer: RecordableAnswer): Promise<string> {
  const id = await newPayment();
  expect(await reserveAttempt(database, reservationOf(id), new Date())).toMatchObject({ attemptNo: 1 });
  expect((await claimAttempt(database, { paymentId: id, attemptNo: 1, runId: 'run' })).state).toBe('claimed');
  await recordAnswer(database, { paymentId: id, attemptNo: 1 }, answer);
  return id;
}

const row = async (id: string) =>
  (await database.query<Record<string, unknown>>('SELECT * FROM payments WHERE id = $1', [id])).rows[0];
const stored = async (id: string) =>
  (
    await database.query(
      `SELECT p.checkout_status AS "checkoutStatus", p.state_seq AS seq, a.status AS attempt
       FROM payments p JOIN attempts a ON a.payment_id = p.id WHERE p.id = $1`,
      [id],
    )
  ).rows[0];
const events = async (id: string) =>
  (await database.query('SELECT id, sequence, type FROM events WHERE payment_id = $1', [id])).rows;

/** Moves the payment's deadline to a second ago. */
const passDeadline = (id: string) =>
  database.query(
    "UPDATE payments SET expires_at = now() - interval '1 s', capture_expires_at = now() - interval '1 s' WHERE id = $1",
    [id],
  );
const lateOf = async (id: string): Promise<unknown> =>
  (await database.query<{ late: boolean }>('SELECT late FROM attempts WHERE payment_id = $1', [id])).rows[0]
    ?.late;

describe('a transition', () => {
  it('that reports an attempt again leaves the time of its result: a worker died before it received that', async () => {
    const id = await answered('captured');
    const at = Date.now();
    await commitTransition(database, { ...paid(id, 1), at });
    await commitTransition(database, { ...paid(id, 2), at: at + 10_000 });
    const { rows } = await database.query(
      `SELECT p.paid_at AS "paidAt", p.finalized_at AS "finalizedAt", a.resolved_at AS "resolvedAt"
       FROM payments p JOIN attempts a ON a.payment_id = p.id WHERE p.id = $1`,
      [id],
    );
    const first = new Date(at);
    expect(rows).toEqual([{ paidAt: first, finalizedAt: first, resolvedAt: first }]);
    expect(await events(id)).toHaveLength(1);
  });

  it('that follows a final one is refused: a lost task decided again, and a dispute came in between', async () => {
    const id = await answered('captured');
    await commitTransition(database, paid(id, 1));
    for (const status of ['disputed', 'disputeWon']) {
      await database.query('UPDATE payments SET status = $2 WHERE id = $1', [id, status]);
    }
    // The deadline passed before the second task, which put it first, so that the result has another number.
    expect(await commitTransition(database, expired(id, 1))).toMatchObject({ superseded: true });
    expect(await commitTransition(database, paid(id, 2))).toMatchObject({ superseded: true });
    expect(await row(id)).toMatchObject({ status: 'disputeWon', state_seq: 1 });
  });

  it('writes payment, attempt, event and projection together', async () => {
    const id = await answered('captured');
    await commitTransition(database, paid(id, 1));
    expect(await row(id)).toMatchObject({
      accepted_token_hash: Buffer.from('hash'),
      status: 'paid',
      checkout_status: 'paid',
      card_last4: '0042',
      state_seq: 1,
    });
    expect(await events(id)).toMatchObject([{ sequence: 1, type: 'payment.paid' }]);
  });

  it('to paid leaves a checkout expired whose deadline passed before the commit, also when repeated', async () => {
    const id = await answered('captured');
    await passDeadline(id);
    await commitTransition(database, paid(id, 1));
    const closed = { status: 'paid', checkout_status: 'expired', terminal_reason: 'checkout_expired' };
    expect(await row(id)).toMatchObject(closed);
    expect(await commitTransition(database, paid(id, 1))).not.toMatchObject({ superseded: true });
    expect(await row(id)).toMatchObject({ ...closed, state_seq: 1 });
    expect(await events(id)).toMatchObject([{ type: 'payment.paid' }]);
    expect(await lateOf(id)).toBe(false);
  });

  it('has one effect when it runs twice, also at the same time', async () => {
    const id = await answered('captured');
    const transition = paid(id, 1);
    await Promise.all([1, 2, 3, 4].map(() => commitTransition(database, transition)));
    expect(await events(id)).toHaveLength(1);
    expect(await row(id)).toMatchObject({ event_seq: 1 });
  });

  it.each(['declined', 'not_sent', 'requires_action'] as const)(
    'to paid is refused and writes nothing where the provider answered %s',
    async (answer) => {
      const id = await answered(answer);
      expect(await commitTransition(database, paid(id, 1))).toMatchObject({ contradicted: true });
      expect(await row(id)).toMatchObject({ status: 'pending', state_seq: 0 });
      expect(await events(id)).toEqual([]);
    },
  );

  it('that is older than the stored one changes nothing', async () => {
    const id = await answered('captured');
    await commitTransition(database, paid(id, 5));
    await commitTransition(database, {
      ...paid(id, 4),
      paymentStatus: 'failed',
      failure: { code: 'x', message: 'x' },
    });
    expect(await row(id)).toMatchObject({ status: 'paid', state_seq: 5 });
  });

  it('by the deadline is refused while an attempt is under way that has not reached its workflow', async () => {
    const id = await newPayment();
    await reserveAttempt(database, reservationOf(id), new Date());
    await claimAttempt(database, { paymentId: id, attemptNo: 1, runId: 'run' });
    expect(await commitTransition(database, expired(id, 1))).toMatchObject({ superseded: true });
    expect(await stored(id)).toMatchObject({ checkoutStatus: 'processing', attempt: 'processing', seq: 0 });
  });

  it('by the deadline releases a reservation that no worker claimed', async () => {
    const id = await newPayment();
    await reserveAttempt(database, reservationOf(id), new Date());
    expect(await commitTransition(database, expired(id, 1))).not.toMatchObject({ superseded: true });
    expect(await stored(id)).toMatchObject({ checkoutStatus: 'expired', attempt: 'released', seq: 1 });
  });

  it('by the deadline sends no event though the status changes', async () => {
    const id = await newPayment();
    await commitTransition(database, {
      ...paid(id, 1),
      paymentStatus: 'requiresAction',
      checkoutStatus: 'requiresAction',
      attempt: null,
      final: false,
    });
    await commitTransition(database, {
      ...paid(id, 2),
      paymentStatus: 'pending',
      checkoutStatus: 'expired',
      terminalReason: 'checkout_expired',
      attempt: null,
      emitEvent: false,
    });
    expect((await events(id)).map(({ type }) => String(type))).toEqual(['payment.requiresAction']);
  });
});

describe('a checkout that is read after its deadline', () => {
  const read = async (id: string) => {
    const record = await loadCheckout(database, id);
    if (record === null) throw new Error(`there is no payment ${id}`);
    const workflows = { snapshot: () => Promise.reject(new Error('not asked')) };
    const deps = { database, workflows, statusSource: 'projection', now: () => Date.now() } as const;
    return readCheckout(deps, record);
  };

  it('is expired although no transition says so yet', async () => {
    const id = await answered('captured');
    await passDeadline(id);
    expect(await read(id)).toMatchObject({ status: 'expired', terminalReason: 'checkout_expired' });
    await commitTransition(database, paid(id, 1));
    expect(await read(id)).toMatchObject({ status: 'expired', terminalReason: 'checkout_expired' });
  });

  it('is paid if the commit began before the deadline and ends after it', async () => {
    const id = await answered('captured');
    await passDeadline(id);
    const committing = await database.connect();
    try {
      await committing.query('BEGIN');
      await committing.query(
        "UPDATE payments SET status = 'paid', checkout_status = 'paid', finalized_at = now() WHERE id = $1",
        [id],
      );
      const shown = read(id);
      await eventually(async () => {
        const { rows } = await database.query(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        return rows[0];
      });
      await committing.query('COMMIT');
      expect(await shown).toMatchObject({ status: 'paid', terminalReason: null });
    } finally {
      committing.release();
    }
  });
});

describe('the constraints of the database', () => {
  it('allow exactly the status changes of the domain', async () => {
    const failureOf = (status: string) => (status === 'failed' ? 'card_declined' : null);
    for (const from of paymentStatuses) {
      for (const to of paymentStatuses) {
        const id = await newPayment();
        await database.query("SET session_replication_role = 'origin'");
        await database.query('ALTER TABLE payments DISABLE TRIGGER payments_status_edges');
        await database.query('UPDATE payments SET status = $2, failure_code = $3 WHERE id = $1', [
          id,
          from,
          failureOf(from),
        ]);
        await database.query('ALTER TABLE payments ENABLE TRIGGER payments_status_edges');
        const change = database.query('UPDATE payments SET status = $2, failure_code = $3 WHERE id = $1', [
          id,
          to,
          failureOf(to),
        ]);
        const allowed = await change.then(
          () => true,
          () => false,
        );
        expect([from, to, allowed]).toEqual([from, to, isAllowedStatusChange(from, to)]);
      }
    }
  });

  it('refuse a second open attempt of one payment', async () => {
    const id = await newPayment();
    const insert = (no: number) =>
      database.query(
        "INSERT INTO attempts (payment_id, attempt_no, status, method) VALUES ($1, $2, 'processing', 'card')",
        [id, no],
      );
    await insert(1);
    await expect(insert(2)).rejects.toThrow('attempts_one_open');
  });

  it.each([
    ['amount_cents', 9_999],
    ['reference', 'other'],
    ['environment', 'live'],
    ['metadata', '{"a":1}'],
  ])('refuse a change of %s', async (column, value) => {
    const id = await newPayment();
    await expect(
      database.query(`UPDATE payments SET ${column} = $2 WHERE id = $1`, [id, value]),
    ).rejects.toThrow('terms');
  });

  it('refuse more refunded than paid', async () => {
    const id = await newPayment();
    await expect(
      database.query('UPDATE payments SET refunded_cents = 2501 WHERE id = $1', [id]),
    ).rejects.toThrow('violates check constraint');
  });
});

it('a reserved attempt is not sent when its merchant was disabled meanwhile', async () => {
  const id = await newPayment();
  expect(await reserveAttempt(database, reservationOf(id), new Date())).toMatchObject({ attemptNo: 1 });
  await setMerchantStatus(database, merchantId, 'disabled', byOperator());
  try {
    expect((await claimAttempt(database, { paymentId: id, attemptNo: 1, runId: 'run' })).state).toBe(
      'closed',
    );
    const other = await newPayment();
    expect(await reserveAttempt(database, reservationOf(other), new Date())).toEqual({
      attemptNo: null,
      tooMany: null,
    });
    expect(await loadCheckout(database, other)).toMatchObject({ id: other, merchantActive: false });
  } finally {
    await setMerchantStatus(database, merchantId, 'active', byOperator());
  }
});

describe('a reservation for a tenant', () => {
  const tenant = { merchantId, environment: 'sandbox', customMode: true } as const;

  it('returns the payment as it is reserved', async () => {
    const id = await newPayment();
    const reserved = await reserveAttempt(database, { ...reservationOf(id), tenant }, new Date());
    expect(reserved).toMatchObject({
      attemptNo: 1,
      payment: { id, merchantId, amountCents: 2500, checkoutStatus: 'processing', method: 'card' },
    });
  });

  it.each<[string, Partial<CustomTenant>, 'hosted' | 'custom']>([
    ['of a tenant without custom mode', { customMode: false }, 'custom'],
    ['of another merchant', { merchantId: randomUUID() }, 'custom'],
    ['of the other environment', { environment: 'live' }, 'custom'],
    ['on the hosted page', {}, 'hosted'],
  ])('refuses a payment %s and changes nothing', async (_, differs, checkoutMode) => {
    const id = await newPayment(checkoutMode);
    const before = await row(id);
    const reservation = { ...reservationOf(id), tenant: { ...tenant, ...differs } };
    const reserved = await reserveAttempt(database, reservation, new Date());
    expect(reserved).toEqual({ attemptNo: null, tooMany: null });
    expect(await row(id)).toEqual(before);
  });

  it('accepts the accepted card under an older look-up key, and keeps the hash that was accepted', async () => {
    const id = await newPayment();
    const [older, newer] = [Buffer.from('older'), Buffer.from('newer')];
    await database.query('UPDATE payments SET accepted_token_hash = $2 WHERE id = $1', [id, older]);
    const other = { ...reservationOf(id), tenant, tokenHashes: [newer] };
    expect(await reserveAttempt(database, other, new Date())).toEqual({ attemptNo: null, tooMany: null });
    const same = { ...reservationOf(id), tenant, tokenHashes: [newer, older] };
    expect(await reserveAttempt(database, same, new Date())).toMatchObject({ attemptNo: 1 });
    const { rows } = await database.query<{ hash: Buffer }>(
      'SELECT token_hash AS hash FROM attempts WHERE payment_id = $1',
      [id],
    );
    expect(rows).toEqual([{ hash: older }]);
  });
});

it('a reservation that waited for the end of the previous attempt begins after that end', async () => {
  const id = await newPayment();
  const asked = new Date();
  expect(await reserveAttempt(database, reservationOf(id), asked)).toMatchObject({ attemptNo: 1 });
  await releaseReservation(database, { paymentId: id, attemptNo: 1 });
  const again = { ...reservationOf(id), requestId: randomUUID() };
  expect(await reserveAttempt(database, again, asked)).toMatchObject({ attemptNo: 2 });
  const { rows } = await database.query<{ inOrder: boolean }>(
    `SELECT date_trunc('milliseconds', a.resolved_at) <= b.started_at AS "inOrder"
     FROM attempts a JOIN attempts b ON b.payment_id = a.payment_id AND b.attempt_no = 2
     WHERE a.payment_id = $1 AND a.attempt_no = 1`,
    [id],
  );
  expect(rows).toEqual([{ inOrder: true }]);
});

it('a released attempt keeps the instant of its end when its workflow reports it too', async () => {
  const id = await newPayment();
  const asked = new Date();
  await reserveAttempt(database, reservationOf(id), asked);
  await releaseReservation(database, { paymentId: id, attemptNo: 1 });
  const ended = async () => {
    const { rows } = await database.query<{ at: Date }>(
      'SELECT resolved_at AS at FROM attempts WHERE payment_id = $1 AND attempt_no = 1',
      [id],
    );
    return rows[0]?.at;
  };
  const takenBack = await ended();
  const released = { attemptNo: 1, status: 'released', cardAccepted: false } as const;
  await commitTransition(database, {
    ...paid(id, 1),
    at: asked.getTime() + 60_000,
    paymentStatus: 'pending',
    checkoutStatus: 'open',
    attempt: { ...released, failureCode: null, message: null, card: null },
    emitEvent: false,
    final: false,
  });
  expect(await stored(id)).toMatchObject({ seq: 1, attempt: 'released' });
  expect(await ended()).toEqual(takenBack);
});

describe("a run that takes over during the customer's step", () => {
  const asked = async (): Promise<string> => {
    const id = await answered('requires_action');
    const waiting = { attemptNo: 1, status: 'requiresAction', cardAccepted: true } as const;
    await commitTransition(database, {
      ...paid(id, 1),
      paymentStatus: 'requiresAction',
      checkoutStatus: 'requiresAction',
      attempt: { ...waiting, failureCode: null, message: null, card: null },
      final: false,
    });
    return id;
  };
  const openAttempt = async (id: string) =>
    (await resumePayment(database, id, randomUUID())).checkout.openAttempt;

  it('waits for the customer', async () => {
    expect(await openAttempt(await asked())).toMatchObject({ waitsForCustomer: true, confirming: false });
  });

  it('queries the network about the step where the previous run received its completion and died', async () => {
    const id = await asked();
    await recordAnswer(database, { paymentId: id, attemptNo: 1 }, 'captured');
    expect(await openAttempt(id)).toMatchObject({
      waitsForCustomer: false,
      confirming: true,
      certainty: 'unknown',
    });
  });
});
