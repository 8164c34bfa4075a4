import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { readTimeline } from '../../../src/operations/payments/timeline.ts';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import { sealContext } from '../../../src/crypto/seal-contexts.ts';
import { type Database, inTransaction, openDatabase } from '../../../src/db/server/database.ts';
import { recordDispute } from '../../../src/db/disputes/disputes.ts';
import {
  type RecordableAnswer,
  markUnknown,
  recordAnswer,
} from '../../../src/db/payments/attempt-answers.ts';
import { reserveAttempt, releaseReservation } from '../../../src/db/payments/reservations.ts';
import { createMerchant } from '../../../src/db/merchants/merchants.ts';
import { loadPaymentHistory } from '../../../src/db/payments/payment-history.ts';
import { loadPayment } from '../../../src/db/payments/payments.ts';
import { insertRefund, markRefundSubmitted, recordRefundStatus } from '../../../src/db/refunds/refunds.ts';
import { type TenantReads, openTenantReads } from '../../../src/db/server/tenant-reads.ts';
import { commitTransition } from '../../../src/db/payments/transitions.ts';
import { type CheckoutCommand, type Outcome, decide, evolve } from '../../../src/domain/checkout.ts';
import { type CheckoutState, openCheckout } from '../../../src/domain/checkout-state.ts';
import { type PaymentRecord, paymentView } from '../../../src/domain/payment.ts';
import { paymentStates } from '../../../src/domain/payment-versions.ts';
import { checkoutStatuses, paymentStatuses } from '../../../src/domain/statuses.ts';
import { Refusal } from '../../../src/domain/refusals.ts';
import { transitionTo, writesRows } from '../../../src/domain/transition.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { insertNewPayment } from '../../support/new-payment.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let tenants: TenantReads;
const keyring = createKeyring(developmentEncryptionKeys);
const merchantId = randomUUID();
const tenant = { merchantId, environment: 'sandbox' as const };
beforeAll(async () => {
  const url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 2, applicationName: 'test' });
  tenants = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  await createMerchant(database, { id: merchantId, name: 'shop', status: 'active' }, byOperator());
});
afterAll(async () => {
  await tenants.end();
  await database.end();
});

const card = { brand: 'visa', last4: '4242' };
/** The network's possible answers, and how the process that receives them stores each. */
const outcomes: readonly [Outcome, RecordableAnswer][] = [
  [{ status: 'paid' }, 'captured'],
  [{ status: 'declined', failureCode: 'card_declined', message: 'No.' }, 'declined'],
  [{ status: 'declined', failureCode: 'processing_error', message: 'Later.' }, 'declined'],
  [{ status: 'failed', failureCode: 'lost_card', message: 'Lost.' }, 'failed'],
  [{ status: 'requiresAction' }, 'requires_action'],
  [{ status: 'voided' }, 'voided'],
  [{ status: 'tokenRejected' }, 'token_rejected'],
];

/** One payment, changed by the functions that change real ones. This class plays its workflow. */
class Play {
  readonly id = randomUUID();
  /** The row after each step, by its version. */
  readonly seen = new Map<number, PaymentRecord>();
  readonly startMs = Date.now() - 3_600_000;
  nowMs = this.startMs;
  #state: CheckoutState = openCheckout({
    mode: 'custom',
    expiresAtMs: this.startMs + 1_800_000,
    captureEndsAtMs: this.startMs + 600_000,
  });
  #seq = 0;
  #disputes = 0;
  #refunds: string[] = [];

  get #now(): Date {
    return new Date(this.nowMs);
  }

  async create(): Promise<void> {
    const url = JSON.stringify({ url: 'https://pay.example/c/x', expiresAt: 'x' });
    await insertNewPayment(database, {
      ...tenant,
      id: this.id,
      metadata: { a: 1 },
      checkoutUrlSealed: keyring.seal(url, sealContext.checkoutUrl(this.id)),
      createdAt: this.#now,
      expiresAt: new Date(this.#state.expiresAtMs),
      captureExpiresAt: new Date(this.#state.captureEndsAtMs),
    });
    await this.readVersion();
  }

  async readVersion(): Promise<void> {
    const { rows } = await database.query<{ version: number }>('SELECT version FROM payments WHERE id = $1', [
      this.id,
    ]);
    const stored = await loadPayment(database, this.id);
    if (stored) this.seen.set(Number(rows[0]?.version), stored);
  }

  async #command(command: CheckoutCommand): Promise<void> {
    const decision = decide(this.#state, command, this.nowMs);
    const [event] = decision.ok ? decision.events : [];
    if (!decision.ok || !event) return;
    const next = decision.events.reduce(evolve, this.#state);
    if (writesRows(event) && event.type !== 'AttemptStarted') {
      this.#seq += 1;
      const emitEvent = event.type !== 'DeadlineReached';
      const numbered = { paymentId: this.id, seq: this.#seq, at: this.nowMs, emitEvent };
      const written = await commitTransition(database, transitionTo(next, { event, card }, numbered));
      if (written.contradicted || written.superseded) return;
    }
    this.#state = next;
  }

  async pay(method: 'card' | 'wallet', sent: boolean): Promise<void> {
    const reservation = {
      paymentId: this.id,
      tenant: null,
      method,
      tokenSealed: null,
      tokenHashes: null,
      captureReference: null,
      simulated: null,
      requestId: randomUUID(),
    };
    const { attemptNo } = await reserveAttempt(database, reservation, this.#now);
    if (attemptNo === null) return;
    await this.readVersion();
    // The claim uses the clock of the database, which is after every deadline here.
    await database.query(
      'UPDATE attempts SET claimed_at = now() WHERE payment_id = $1 AND attempt_no = $2 AND $3',
      [this.id, attemptNo, sent],
    );
    if (sent) await this.#command({ type: 'pay', method, attemptNo });
    else await releaseReservation(database, { paymentId: this.id, attemptNo });
  }

  async answer(index: number): Promise<void> {
    const [outcome, written] = outcomes[index % outcomes.length] ?? [];
    const { flight } = this.#state;
    if (!flight || !outcome || !written) return;
    const attempt = { paymentId: this.id, attemptNo: flight.attemptNo };
    const facts = { bin: '424242', issuer: null, ...card };
    await recordAnswer(database, attempt, written, { card: facts });
    await this.#command({ type: 'resolve', attemptNo: flight.attemptNo, outcome });
  }

  async unknown(): Promise<void> {
    const { flight } = this.#state;
    if (!flight) return;
    await markUnknown(database, this.id, flight.attemptNo);
    await this.#command({ type: 'resolve', attemptNo: flight.attemptNo, outcome: { status: 'unknown' } });
  }

  confirm = (): Promise<void> => this.#command({ type: 'confirm' });
  async deadline(): Promise<void> {
    this.nowMs = Math.max(this.nowMs, this.#state.expiresAtMs);
    await this.#command({ type: 'reachDeadline' });
  }
  nearer = (byMs: number): Promise<void> =>
    this.#command({
      type: 'moveDeadlines',
      expiresAtMs: this.#state.expiresAtMs - byMs,
      captureEndsAtMs: this.#state.captureEndsAtMs - byMs,
    });

  async refund(amountCents: number): Promise<void> {
    const id = randomUUID();
    const submitAfter = this.#now;
    const wanted = { id, paymentId: this.id, amountCents, reason: null, reference: null, metadata: {} };
    await inTransaction(database, (transaction) =>
      insertRefund(transaction, tenant, { ...wanted, createdAt: this.#now, submitAfter }, byOperator().actor),
    );
    this.#refunds.push(id);
    await markRefundSubmitted(database, id, this.#now);
  }

  async refundAnswer(status: 'succeeded' | 'failed', index: number): Promise<void> {
    const id = this.#refunds[index % this.#refunds.length];
    if (id === undefined) return;
    const update = { status, failureCode: status === 'failed' ? 'refused' : null, message: null };
    await inTransaction(database, (transaction) => recordRefundStatus(transaction, id, update, this.#now));
  }

  async dispute(status: 'needsResponse' | 'underReview' | 'won' | 'lost', withdrawn: boolean): Promise<void> {
    if (status === 'needsResponse') this.#disputes += 1;
    if (this.#disputes === 0) return;
    await inTransaction(database, (transaction) =>
      recordDispute(
        transaction,
        {
          providerReference: `${this.id} ${this.#disputes}`,
          paymentId: this.id,
          connectorId: null,
          environment: 'sandbox',
          chargeReference: null,
          amountCents: 2500,
          reason: 'fraudulent',
          stage: 'chargeback',
          status,
          resolution: status === 'won' && withdrawn ? 'withdrawn' : null,
          evidenceDueAt: new Date(this.nowMs + 86_400_000),
          createdAt: this.#now,
        },
        this.#now,
      ),
    );
  }
}

type Step = (payment: Play) => Promise<void>;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .constantFrom('card', 'wallet')
      .map((method) => (payment: Play) => payment.pay(method, true)),
  },
  { weight: 1, arbitrary: fc.constant((payment: Play) => payment.pay('card', false)) },
  { weight: 8, arbitrary: fc.nat(20).map((index) => (payment: Play) => payment.answer(index)) },
  { weight: 1, arbitrary: fc.constant((payment: Play) => payment.unknown()) },
  { weight: 2, arbitrary: fc.constant((payment: Play) => payment.confirm()) },
  { weight: 1, arbitrary: fc.constant((payment: Play) => payment.deadline()) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 60_000 }).map((ms) => (payment: Play) => payment.nearer(ms)),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(1, 1_000, 2_500).map((c) => (payment: Play) => payment.refund(c)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom('succeeded', 'failed'), fc.nat(5)).map(
      ([status, index]) =>
        (payment: Play) =>
          payment.refundAnswer(status, index),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom('needsResponse', 'underReview', 'won', 'lost'), fc.boolean()).map(
      ([status, withdrawn]) =>
        (payment: Play) =>
          payment.dispute(status, withdrawn),
    ),
  },
);

/** Paid and refunded in full, which the random choice rarely draws. */
const givenBack: [Step, number][] = [
  [(payment) => payment.pay('card', true), 1],
  [(payment) => payment.answer(0), 1],
  [(payment) => payment.refund(2_500), 1],
  [(payment) => payment.refundAnswer('succeeded', 0), 1],
];

/** Returns what merchants read and their checkout shows, without the workflow's bookkeeping. */
const readable = (payment: PaymentRecord) => {
  const { stateSeq: _seq, workflowStartedAt: _started, ...rest } = payment;
  return Object.fromEntries(Object.keys(rest).map((key) => [key, payment[key as keyof PaymentRecord]]));
};

/** Plays a script. Clocks differ by a few milliseconds in both directions. */
async function play(steps: readonly (readonly [Step, number])[]): Promise<Play> {
  const payment = new Play();
  await payment.create();
  for (const [act, ms] of steps) {
    payment.nowMs += ms;
    try {
      await act(payment);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    await payment.readVersion();
  }
  return payment;
}

it('the state at every version equals the row as it was read then', async () => {
  let compared = 0;
  const reached = new Set<string>();
  const script = fc.array(fc.tuple(step, fc.integer({ min: -2, max: 6 })), { minLength: 8, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const { id, seen } = await play(steps);
      const history = await loadPaymentHistory(database, id);
      if (!history) throw new Error('no history');
      const states = paymentStates(history.payment, history.versions);
      expect(states).toHaveLength(history.payment.version + 1);
      for (const [version, row] of seen) {
        const state = states[version];
        if (!state) throw new Error(`no state ${version}`);
        const { version: _v, eventSeq: _e, changedAt: _c, ...record } = state.payment;
        expect(readable(record)).toEqual(readable(row));
        compared += 1;
        reached.add(row.status).add(row.checkoutStatus);
        // The time alone determines the state only when the next change came at a later one.
        const next = states[version + 1];
        if (next && next.from.getTime() === state.from.getTime()) continue;
        const deps = { database, tenants, keyring, now: Date.now };
        const read = await readTimeline(deps, tenant, id, state.from, false);
        const usable = read?.payment.checkoutUrl ?? null;
        expect(read?.payment).toEqual(paymentView(row, usable));
        for (const { at } of read?.entries ?? [])
          expect(Date.parse(at)).toBeLessThanOrEqual(state.from.getTime());
      }
      for (const [index, { from }] of states.entries()) {
        expect(from.getTime()).toBeGreaterThanOrEqual(states[index - 1]?.from.getTime() ?? 0);
      }
    }),
    { numRuns: 120, seed: 40, examples: [[givenBack]] },
  );
  expect(compared).toBeGreaterThan(500);
  const all = [...paymentStatuses, ...checkoutStatuses];
  expect(all.filter((status) => !reached.has(status))).toEqual([]);
}, 240_000);
