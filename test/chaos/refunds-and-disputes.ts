import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/harness/random.ts';
import type { ApiClient } from './api-client.ts';
import type { Call } from './history.ts';
import { movedReason } from './moving-disputes.ts';
import type { ClientPlan } from './plan.ts';

/** The test card whose payments are disputed automatically. */
const disputedCard = '4000000000000259';
const maxReads = 40;
/** After this many reads, the dispute of a client that gave up in the middle is decided. */
const checksBeforeDeciding = 12;

interface PaidPayment {
  id: string;
  amountCents: number;
}

/**
 * Acts as a merchant's backend on a paid payment: makes partial refunds, twice under one key or two at once,
 * cancels some, and answers disputes.
 */
export async function refundAndDispute(
  client: ApiClient,
  plan: ClientPlan,
  random: Random,
  payment: PaidPayment,
): Promise<void> {
  const backend = new RefundingBackend(client, plan, random, payment);
  const { oncePaid, card } = plan;
  await Promise.all([
    oncePaid === 'refunds' || oncePaid === 'both' ? backend.refundParts() : undefined,
    oncePaid === 'dispute' || oncePaid === 'both' ? backend.openDispute() : undefined,
    card === disputedCard ? backend.awaitDispute() : undefined,
    oncePaid === 'answersMoves' ? backend.answerMoves() : undefined,
  ]);
  await client.callWithRetries({ op: 'read', method: 'GET', path: `/v1/payments/${payment.id}` });
}

class RefundingBackend {
  readonly #client: ApiClient;
  readonly #plan: ClientPlan;
  readonly #random: Random;
  readonly #payment: PaidPayment;

  constructor(client: ApiClient, plan: ClientPlan, random: Random, payment: PaidPayment) {
    this.#client = client;
    this.#plan = plan;
    this.#random = random;
    this.#payment = payment;
  }

  async refundParts(): Promise<void> {
    const random = this.#random;
    for (let count = random.between(1, 4); count > 0 && !this.#client.isOver; count -= 1) {
      const made = await this.#refundOnce();
      const refund = made.find((answer) => answer?.result === 'ok')?.data;
      if (refund?.id !== undefined) await this.#changeMind(refund.id);
      await this.#client.pause(50, 800);
    }
  }

  async #refundOnce(): Promise<(Call | null)[]> {
    const random = this.#random;
    const style = random.weighted([
      ['once', 3],
      ['twiceWithOneKey', 3],
      ['twoAtOnce', 2],
      ['allThatIsLeft', 1],
    ] as const);
    // Equal amounts are two refunds. More than half of the payment, twice, is one refund too many.
    const body =
      style === 'allThatIsLeft' ? {} : { amountCents: this.#part(style === 'twoAtOnce' ? 0.7 : 0.4) };
    const key = this.#newKey('refund');
    const refund = (usedKey: string = key): Promise<Call | null> =>
      this.#post('refund', `/v1/payments/${this.#payment.id}/refunds`, body, usedKey);
    if (style === 'twiceWithOneKey') return Promise.all([refund(), refund()]);
    if (style === 'twoAtOnce') {
      return Promise.all([refund(this.#newKey('refund')), refund(this.#newKey('refund'))]);
    }
    const made = [await refund()];
    if (random.chance(0.3)) made.push(await refund());
    return made;
  }

  async #changeMind(refundId: string): Promise<void> {
    const what = this.#random.weighted([
      ['nothing', 4],
      ['cancel', 3],
      ['fail', 3],
    ] as const);
    if (what === 'cancel') {
      await this.#client.callWithRetries({
        op: 'cancel',
        method: 'POST',
        path: `/v1/refunds/${refundId}/cancel`,
      });
    }
    if (what === 'fail') {
      await this.#post('order', `/v1/sandbox/refunds/${refundId}/outcome`, {
        outcome: this.#random.pick(['failed', 'succeeded']),
      });
    }
  }

  async openDispute(): Promise<void> {
    await sleep(this.#random.between(0, 2_500));
    const opened = await this.#post('dispute', `/v1/sandbox/payments/${this.#payment.id}/disputes`, {
      reason: 'productNotReceived',
    });
    if (opened?.result === 'ok' && opened.data?.id !== undefined) await this.#respond(opened.data.id);
  }

  /** Waits for the card's dispute, which opens a second after the payment without a notice to the client. */
  async awaitDispute(): Promise<void> {
    while (!this.#client.isOver) {
      const { items } = await this.#client.get('disputes', `/v1/payments/${this.#payment.id}/disputes`);
      const id = items.find(({ reason }) => reason === 'fraudulent')?.id;
      if (id !== undefined) return this.#respond(id);
      await this.#client.pause(300, 900);
    }
  }

  /** Sends evidence whenever the network's dispute needs it, as after a move to a later stage. */
  async answerMoves(): Promise<void> {
    while (!this.#client.isOver) {
      const { items } = await this.#client.get('disputes', `/v1/payments/${this.#payment.id}/disputes`);
      const dispute = items.find(({ reason }) => reason === movedReason);
      if (dispute?.id !== undefined && dispute.status === 'needsResponse') {
        const path = `/v1/disputes/${dispute.id}`;
        const body = { evidence: { note: 'it was delivered' } };
        await this.#client.callWithRetries({ op: 'stage', method: 'PUT', path: `${path}/evidence`, body });
        await this.#post('answer', `${path}/submit`);
      }
      await this.#client.pause(300, 900);
    }
  }

  async #respond(disputeId: string): Promise<void> {
    const path = `/v1/disputes/${disputeId}`;
    const how = this.#random.weighted([
      ['winning_evidence', 3],
      ['losing_evidence', 2],
      ['accept', 2],
      ['resolve', 2],
    ] as const);
    if (how === 'accept') await this.#post('answer', `${path}/accept`);
    else if (how === 'resolve') {
      await this.#decide(disputeId, this.#random.pick(['won', 'lost', 'withdrawn']));
    } else {
      const body = { evidence: { note: how } };
      const staged = await this.#client.callWithRetries({
        op: 'stage',
        method: 'PUT',
        path: `${path}/evidence`,
        body,
      });
      if (staged?.result === 'ok') await this.#post('answer', `${path}/submit`);
    }
    for (let tries = 0; tries < maxReads && !this.#client.isOver; tries += 1) {
      const { data } = await this.#client.get('readDispute', path);
      if (data?.status === 'won' || data?.status === 'lost') return;
      if (tries === checksBeforeDeciding) await this.#decide(disputeId, 'won');
      await this.#client.pause(200, 500);
    }
  }

  async #decide(disputeId: string, outcome: string): Promise<void> {
    await this.#post('order', `/v1/sandbox/disputes/${disputeId}/resolve`, { outcome });
  }

  #post(op: string, path: string, body?: object, key: string = this.#newKey(op)): Promise<Call | null> {
    return this.#client.callWithRetries({ op, method: 'POST', path, body, key });
  }

  #newKey(what: string): string {
    const { seed, index } = this.#plan;
    return `chaos-${what}-${seed}-${index}-${Date.now()}-${this.#random.between(1, 1e9)}`;
  }

  #part(share: number): number {
    const drawn = this.#payment.amountCents * share * this.#random.pick([0.2, 0.5, 1]);
    return Math.max(1, Math.round(drawn));
  }
}
