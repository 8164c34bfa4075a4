import type { Call, Shown } from '../../chaos/history.ts';
import type { ClientPlan } from '../../chaos/plan.ts';
import { refundAndDispute } from '../../chaos/refunds-and-disputes.ts';
import { withDatabase } from '../../chaos/rows.ts';
import { databaseUrl } from '../simulated-postgres.ts';
import type { Caller } from './caller.ts';
import { answerWrongly, createWrongly, orderCanceledRefund, orderWrongly } from './wrong-orders.ts';

/** Why these clients open disputes. Those of the clients that pay have another reason, and are counted. */
const disputeReason = 'duplicate';

/** The e-mail address of the customer of these payments, who is erased at the end in some seeds. */
export const erasableEmail = (index: number): string => `customer-${index}@example.com`;

/** How long after the faults an order that decides an attempt is repeated, in ms. */
const settleMs = 30_000;

type Scenario = (caller: SandboxShop) => Promise<void>;

/** What a developer does with one payment in the sandbox, with relative frequencies. */
const scenarios: readonly (readonly [Scenario, number])[] = [
  [(shop) => shop.payInOneOrder(), 3],
  [(shop) => shop.failAndPay(), 3],
  [(shop) => shop.challenge(), 5],
  [(shop) => shop.succeedLate(), 4],
  [(shop) => shop.captureUnexpectedly(), 2],
  [(shop) => shop.payWithFault(), 3],
  [(shop) => shop.dispute(), 5],
  [(shop) => shop.declineOften(), 2],
];

/** Plays a developer who tries two payments with the operations of the sandbox, instead of a customer. */
export async function playSandbox(caller: Caller, plan: ClientPlan): Promise<void> {
  const { client } = caller;
  await playOne(caller, plan, erasableEmail(caller.index));
  const first = client.paymentId;
  if (client.isOver) return;
  await playOne(caller, plan, `second-${erasableEmail(caller.index)}`);
  // Only the customer of the first one may be erased.
  client.paymentId = first;
}

async function playOne(caller: Caller, plan: ClientPlan, email: string): Promise<void> {
  const shop = new SandboxShop(caller, plan, email);
  if (!(await shop.create())) return;
  if (caller.random.chance(0.2)) await orderWrongly(caller, shop.id, shop.isCustom);
  await caller.random.weighted(scenarios)(shop);
  await caller.read(`/v1/payments/${shop.id}/timeline`);
}

class SandboxShop {
  readonly #caller: Caller;
  readonly #plan: ClientPlan;
  readonly #email: string;
  id = '';
  isCustom = false;
  /** Whether the last order of an outcome may have its effect later. */
  #isUnanswered = false;

  constructor(caller: Caller, plan: ClientPlan, email: string) {
    this.#caller = caller;
    this.#plan = plan;
    this.#email = email;
  }

  async create(): Promise<boolean> {
    const { random, client, index } = this.#caller;
    this.isCustom = random.chance(0.6);
    const body = {
      amountCents: this.#plan.amountCents,
      currency: 'USD',
      reference: `sandbox-${index}`,
      successUrl: 'https://shop.example/ok',
      cancelUrl: 'https://shop.example/no',
      checkoutMode: this.isCustom ? 'custom' : 'hosted',
      customer: {
        ...{ email: this.#email, name: 'Ada Lovelace' },
        ...random.pick([{}, { documentNumber: '12345678900', phone: '+15555550123' }]),
      },
      description: 'Two cups',
      lineItems: [{ name: 'Cup', quantity: 2, amountCents: this.#plan.amountCents }],
      metadata: { cart: index },
    };
    if (random.chance(0.3)) await createWrongly(this.#caller, body);
    const created = await this.#caller.keyed('create', '/v1/payments', body);
    if (created?.result !== 'ok' || created.data?.id === undefined) return false;
    this.id = created.data.id;
    client.paymentId = this.id;
    return true;
  }

  async payInOneOrder(): Promise<void> {
    const { random } = this.#caller;
    await this.#outcome({ outcome: 'paid', ...random.pick([{}, { method: 'card' }, { method: 'pix' }]) });
    await this.#goOn();
  }

  async failAndPay(): Promise<void> {
    const { random } = this.#caller;
    await this.#outcome({
      outcome: 'failed',
      ...random.pick([{}, { failureCode: 'insufficient_funds' }, { failureCode: 'stolen_card' }]),
    });
    await this.#outcome(
      random.pick([{ outcome: 'processing' }, { outcome: 'paid', afterSeconds: random.between(1, 4) }]),
    );
    await this.#settle();
    await this.#goOn();
  }

  async challenge(): Promise<void> {
    const { random, client } = this.#caller;
    await this.#outcome({ outcome: 'requiresAction' });
    await client.pause(100, 2_000);
    await this.#order('challenge', { result: random.pick(['authenticated', 'failed', 'abandoned']) });
    if (this.isCustom && this.#caller.shop.customActions) {
      const confirm = (): Promise<Call | null> =>
        client.callWithRetries({
          ...{ op: 'confirm', method: 'POST', path: `/v1/payments/${this.id}/confirm`, body: {} },
        });
      await Promise.all(random.chance(0.5) ? [confirm(), confirm()] : [confirm()]);
    }
    await this.#goOn();
  }

  /** Lets the network take the money after the deadline, which comes sooner than it should. */
  async succeedLate(): Promise<void> {
    const { random, context } = this.#caller;
    if (random.chance(0.6)) {
      await this.#outcome({ outcome: random.pick(['processing', 'requiresAction']), afterSeconds: 1 });
    }
    if (random.chance(0.5)) await this.#fault('network', 'lateSuccess');
    context.made.movedDeadline.add(this.id);
    const capture = { op: 'capture', method: 'POST', path: `/v1/payments/${this.id}/capture` } as const;
    // Maybe while the shop's customer begins to enter a card.
    const begun =
      this.isCustom && random.chance(0.6) ? this.#caller.client.callWithRetries(capture) : undefined;
    await this.#order('advance-clock', { bySeconds: random.pick([3, 30]) });
    await begun;
    await this.#settle();
    await this.#goOn();
  }

  /** Lets the network take the money of an attempt that failed. */
  async captureUnexpectedly(): Promise<void> {
    const { random, client, context } = this.#caller;
    await this.#outcome({ outcome: 'failed', failureCode: random.pick(['insufficient_funds', 'lost_card']) });
    await client.pause(100, 1_000);
    const attemptNo = await latestAttemptNo(this.id);
    if (attemptNo !== null) context.made.capturedLate.add(`${this.id}:${attemptNo}`);
    await this.#outcome({ outcome: 'unexpectedCapture' });
  }

  async payWithFault(): Promise<void> {
    const { random } = this.#caller;
    const mode = random.pick(['timeout', 'lostResponse', 'error', 'slow', 'duplicateCallback']);
    await this.#fault(random.pick(['vault', 'network', 'webhook', 'network']), mode);
    await this.#outcome({ outcome: 'paid' });
    await this.#goOn();
  }

  async dispute(): Promise<void> {
    const { random, client, context } = this.#caller;
    await this.#outcome({ outcome: 'paid' });
    client.untilMs = context.workload.refundUntilMs;
    // Opened in any stage and moved on, so that its last event may be that of a move.
    context.made.disputed.add(this.id);
    // In the longer pause the service reminds of the evidence, or submits it.
    const waits = random.chance(0.5);
    const dueSoon = [{ dueInSeconds: 8 }, { dueInSeconds: 3_608 }, { dueInSeconds: 86_410 }] as const;
    const remindedSoon = [...dueSoon, { dueInSeconds: 86_410 }, { dueInSeconds: 21_610 }] as const;
    const opened = await this.#order('disputes', {
      reason: disputeReason,
      ...random.pick([{}, { stage: 'inquiry' }, { stage: 'preArbitration' }]),
      ...random.pick([{}, { amountCents: 500 }, { amountCents: 500 }, { amountCents: 99_000_000 }]),
      ...(waits ? random.pick(remindedSoon) : random.pick([{}, ...dueSoon])),
    });
    const disputeId = opened?.result === 'ok' ? opened.data?.id : undefined;
    if (disputeId === undefined) return;
    const path = `/v1/disputes/${disputeId}`;
    if (random.chance(0.3)) {
      await answerWrongly(this.#caller, path, this.#caller.newKey('submit'));
    }
    if (random.chance(0.6)) {
      const body = { note: 'winning_evidence', autoSubmit: true };
      await client.callWithRetries({ op: 'stage', method: 'PUT', path: `${path}/evidence`, body });
    }
    await (waits ? client.pause(11_000, 15_000) : client.pause(500, 6_000));
    const resolve = (): Promise<Call | null> =>
      this.#caller.keyed('order', `/v1/sandbox${path.slice(3)}/resolve`, {
        outcome: random.pick(['escalated', 'won', 'lost', 'withdrawn']),
      });
    const accept = (): Promise<Call | null> =>
      client.callWithRetries({
        ...{ op: 'answer', method: 'POST', path: `${path}/accept`, key: this.#caller.newKey('accept') },
      });
    // Both at once: the network may have decided what the shop accepts.
    if (random.chance(0.4)) await Promise.all([resolve(), accept()]);
    else {
      await resolve();
      await accept();
    }
    await resolve();
  }

  /** Has so many cards declined that the shop's limits of declines may refuse the next one. */
  async declineOften(): Promise<void> {
    for (let tries = 0; tries < 4; tries += 1) {
      await this.#outcome({ outcome: 'failed', failureCode: 'insufficient_funds' });
      await this.#caller.client.pause(50, 300);
    }
  }

  /** Decides an attempt that the developer left pending at the network: nothing else would ever decide it. */
  async #settle(): Promise<void> {
    const { client, context } = this.#caller;
    client.untilMs = context.workload.refundUntilMs + settleMs;
    await this.#outcome({ outcome: 'paid' });
  }

  /** Refunds and disputes a payment that was paid, as a shop does. */
  async #goOn(): Promise<void> {
    const { client, random, context } = this.#caller;
    const last = await client.callWithRetries({ op: 'read', method: 'GET', path: `/v1/payments/${this.id}` });
    if (last?.data?.status !== 'paid') return;
    client.untilMs = context.workload.refundUntilMs;
    if (random.chance(0.2)) await orderCanceledRefund(this.#caller, this.id);
    const { amountCents } = this.#plan;
    await refundAndDispute(client, this.#plan, random, { id: this.id, amountCents });
  }

  /**
   * Orders the outcome of an attempt. While an earlier order has no answer, the network may have declined the
   * attempt that this order makes it capture.
   */
  async #outcome(body: object): Promise<Shown | null> {
    const attemptNo = this.#isUnanswered ? await latestAttemptNo(this.id) : null;
    if (attemptNo !== null) this.#caller.context.made.capturedLate.add(`${this.id}:${attemptNo}`);
    const call = await this.#order('outcome', body);
    this.#isUnanswered = call?.result !== 'ok';
    return call?.data ?? null;
  }

  #order(verb: string, body: object): Promise<Call | null> {
    return this.#caller.keyed('order', `/v1/sandbox/payments/${this.id}/${verb}`, body);
  }

  async #fault(target: string, mode: string): Promise<void> {
    const count = this.#caller.random.between(1, 2);
    await this.#caller.keyed('order', '/v1/sandbox/faults', { target, mode, count, paymentId: this.id });
  }
}

/** Returns the number of a payment's latest attempt; null when it has none. */
function latestAttemptNo(id: string): Promise<number | null> {
  const text = 'SELECT max(attempt_no) AS "attemptNo" FROM attempts WHERE payment_id = $1';
  return withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.query<{ attemptNo: number | null }>(text, [id]);
    return rows[0]?.attemptNo ?? null;
  });
}
