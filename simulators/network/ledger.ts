import { randomUUID } from 'node:crypto';
import { randomBase62 } from '../secrets.ts';
import type { Log } from '../server.ts';
import type { Table } from '../tables.ts';
import { Timers } from '../timers.ts';
import { brCode, quoteInReais } from './br-code.ts';
import type { Callbacks } from './callbacks.ts';
import type { Charge, ChargeOutcome, Dispute, Refund, Step } from './records.ts';

export interface BookTables {
  charges: Table<Charge>;
  refunds: Table<Refund>;
  disputes: Table<Dispute>;
}

/** A new dispute. `dueInMs`: how long evidence is accepted. */
export interface NewDispute {
  reason: string;
  stage: Dispute['stage'];
  amountCents: number;
  dueInMs: number;
}

const WALLET_LIFETIME_MS = 10 * 60_000;
const DISPUTE_AFTER_MS = 1_000;
const EVIDENCE_DUE_MS = 7 * 24 * 60 * 60_000;

/**
 * The ledger: charges, refunds and disputes, and their automatic changes. A due change happens when its alarm
 * rings or when the object is read, whichever is first, so no reader sees a stale state.
 */
export class Ledger {
  readonly #tables: BookTables;
  readonly #callbacks: Callbacks;
  readonly #now: () => number;
  readonly #timers: Timers;
  readonly #chargesOf = new Map<string, Set<string>>();
  readonly #refundsOf = new Map<string, Set<string>>();
  readonly #disputesOf = new Map<string, Set<string>>();
  readonly #chargeOfPage = new Map<string, string>();
  readonly #waitingForEnd = new Map<string, Set<() => void>>();
  #lastChangeNo = 0;

  constructor(tables: BookTables, callbacks: Callbacks, now: () => number, log: Log) {
    this.#tables = tables;
    this.#callbacks = callbacks;
    this.#now = now;
    this.#timers = new Timers(now, (name) => {
      try {
        this.#ring(name);
      } catch {
        // The journal refused. The change is still due, and the next read makes it.
        log('timer failed');
      }
    });
  }

  /**
   * Rebuilds indexes and timers from the tables; a slow charge that a restart interrupted is finished now.
   */
  resume(): void {
    for (const charge of this.#tables.charges.values()) {
      this.#indexCharge(charge);
      if (charge.behaviour === 'slow' && charge.status === 'pending' && charge.due) {
        this.saveCharge({ ...charge, due: { ...charge.due, at: this.#now() } });
      }
    }
    for (const refund of this.#tables.refunds.values()) this.#indexRefund(refund);
    for (const dispute of this.#tables.disputes.values()) {
      this.#indexDispute(dispute);
      this.#lastChangeNo = Math.max(this.#lastChangeNo, dispute.changeNo);
    }
    // Disputes of older files have no number of their last change yet.
    for (const dispute of [...this.#tables.disputes.values()]) {
      if (dispute.changeNo === 0) this.saveDispute(dispute);
    }
  }

  close(): void {
    this.#timers.close();
  }

  charge(key: string): Charge | undefined {
    const charge = this.#tables.charges.get(key);
    return charge && this.#makeDueCharge(charge);
  }

  chargeOfPage(pageId: string): Charge | undefined {
    return this.charge(this.#chargeOfPage.get(pageId) ?? '');
  }

  chargesOf(paymentId: string): Charge[] {
    return present([...(this.#chargesOf.get(paymentId) ?? [])].map((key) => this.charge(key)));
  }

  saveCharge(charge: Charge): Charge {
    this.#tables.charges.put(charge.key, charge);
    this.#indexCharge(charge);
    if (charge.status !== 'pending') {
      for (const wake of this.#waitingForEnd.get(charge.key) ?? []) wake();
      this.#waitingForEnd.delete(charge.key);
    }
    return charge;
  }

  /** Resolves when the charge is no longer pending. */
  async decided(key: string): Promise<void> {
    if (this.charge(key)?.status !== 'pending') return;
    await new Promise<void>((resolve) => {
      const waiting = this.#waitingForEnd.get(key) ?? new Set();
      this.#waitingForEnd.set(key, waiting.add(resolve));
    });
  }

  /**
   * Returns a charge with its outcome at `now` (epoch ms), and the step, dispute or failure that belongs to
   * it.
   */
  outcome(
    charge: Charge,
    outcome: ChargeOutcome,
    failureCode: string | null,
    now: number = this.#now(),
  ): Charge {
    const disputed = outcome === 'captured' && charge.behaviour === 'paidThenDisputed';
    return {
      ...charge,
      status: outcome,
      failureCode,
      due: null,
      capturedAt: outcome === 'captured' ? now : charge.capturedAt,
      step: outcome === 'requires_action' ? this.newStep(charge, now) : charge.step,
      disputeAt: disputed ? now + DISPUTE_AFTER_MS : charge.disputeAt,
    };
  }

  /** Returns a new page for the customer's step of a charge, opened at `now` (epoch ms). */
  newStep(charge: Pick<Charge, 'method' | 'checkoutExpiresAt' | 'amountCents'>, now: number): Step {
    const pageId = randomBase62(32);
    if (charge.method === 'card') {
      return { kind: 'threeDS', pageId, clientSecret: `tds_${randomBase62(43)}`, state: 'open' };
    }
    const expiresAt = pageExpiry(charge, now);
    if (charge.method === 'wallet') return { kind: 'wallet', pageId, expiresAt };
    const reais = quoteInReais(charge.amountCents, now);
    const code = brCode({
      pixKey: randomUUID(),
      amountCents: reais.amountCents,
      reference: randomBase62(25),
    });
    return { kind: 'pix', pageId, code, expiresAt, reais };
  }

  /** Notifies the service of a change that none of its calls made. */
  notifyCharge(charge: Charge): void {
    const { key, paymentId } = charge;
    this.#callbacks.send({ type: 'charge.updated', key, paymentId }, charge.doubleCallbacks ? 2 : 1);
  }

  refund(key: string): Refund | undefined {
    const refund = this.#tables.refunds.get(key);
    return refund && this.#makeDueRefund(refund);
  }

  refundsOf(paymentId: string): Refund[] {
    return present([...(this.#refundsOf.get(paymentId) ?? [])].map((key) => this.refund(key)));
  }

  saveRefund(refund: Refund): Refund {
    this.#tables.refunds.put(refund.key, refund);
    this.#indexRefund(refund);
    return refund;
  }

  notifyRefund(refund: Refund): void {
    this.#callbacks.send({ type: 'refund.updated', refundKey: refund.key, paymentId: refund.paymentId });
  }

  dispute(disputeId: string): Dispute | undefined {
    const dispute = this.#tables.disputes.get(disputeId);
    return dispute && this.#makeDueDispute(dispute);
  }

  disputesOf(paymentId: string): Dispute[] {
    // Reading the charges first opens the disputes that are due.
    this.chargesOf(paymentId);
    return present([...(this.#disputesOf.get(paymentId) ?? [])].map((id) => this.dispute(id)));
  }

  openDispute(charge: Charge, opening: NewDispute): Dispute {
    const now = this.#now();
    const dispute = this.saveDispute({
      disputeId: `dp_${randomBase62(24)}`,
      paymentId: charge.paymentId,
      chargeKey: charge.key,
      amountCents: opening.amountCents,
      currency: 'USD',
      reason: opening.reason,
      stage: opening.stage,
      status: 'needsResponse',
      evidenceDueAt: now + opening.dueInMs,
      due: null,
      createdAt: now,
    });
    this.notifyDispute(dispute);
    return dispute;
  }

  saveDispute(dispute: Omit<Dispute, 'changeNo'>): Dispute {
    const saved = { ...dispute, changeNo: this.#lastChangeNo + 1 };
    this.#tables.disputes.put(saved.disputeId, saved);
    this.#lastChangeNo += 1;
    this.#indexDispute(saved);
    return saved;
  }

  /** Returns at most `limit` disputes whose last change came after that number, in the order of changes. */
  disputesChangedAfter(changeNo: number, limit: number): Dispute[] {
    // A number of another or emptied ledger is invalid. All changes are then listed again.
    const after = changeNo > this.#lastChangeNo ? 0 : changeNo;
    return [...this.#tables.disputes.values()]
      .filter((dispute) => dispute.changeNo > after)
      .toSorted((a, b) => a.changeNo - b.changeNo)
      .slice(0, limit);
  }

  notifyDispute(dispute: Dispute): void {
    const { disputeId, paymentId } = dispute;
    this.#callbacks.send({ type: 'dispute.updated', disputeId, paymentId });
  }

  #ring(name: string): void {
    const at = name.indexOf(' ');
    const key = name.slice(at + 1);
    const kind = name.slice(0, at);
    if (kind === 'refund') this.refund(key);
    else if (kind === 'dispute') this.dispute(key);
    else this.charge(key);
  }

  #makeDueCharge(charge: Charge): Charge {
    let current = charge;
    if (current.due && this.#now() >= current.due.at) {
      current = this.saveCharge(this.outcome(current, current.due.status, current.due.failureCode));
      this.notifyCharge(current);
    }
    if (current.disputeAt !== null && this.#now() >= current.disputeAt) {
      current = this.saveCharge({ ...current, disputeAt: null });
      this.openDispute(current, {
        reason: 'fraudulent',
        stage: 'chargeback',
        amountCents: current.amountCents,
        dueInMs: EVIDENCE_DUE_MS,
      });
    }
    return current;
  }

  #makeDueRefund(refund: Refund): Refund {
    if (!refund.due || this.#now() < refund.due.at) return refund;
    const { status, failureCode } = refund.due;
    const changed = this.saveRefund({ ...refund, status, failureCode, due: null });
    this.notifyRefund(changed);
    return changed;
  }

  #makeDueDispute(dispute: Dispute): Dispute {
    if (!dispute.due || this.#now() < dispute.due.at) return dispute;
    const changed = this.saveDispute({ ...dispute, status: dispute.due.status, due: null });
    this.notifyDispute(changed);
    return changed;
  }

  #indexCharge(charge: Charge): void {
    addTo(this.#chargesOf, charge.paymentId, charge.key);
    if (charge.step) this.#chargeOfPage.set(charge.step.pageId, charge.key);
    this.#timers.set(`charge ${charge.key}`, charge.due?.at ?? null);
    this.#timers.set(`opening ${charge.key}`, charge.disputeAt);
  }

  #indexRefund(refund: Refund): void {
    addTo(this.#refundsOf, refund.paymentId, refund.key);
    this.#timers.set(`refund ${refund.key}`, refund.due?.at ?? null);
  }

  #indexDispute(dispute: Dispute): void {
    addTo(this.#disputesOf, dispute.paymentId, dispute.disputeId);
    this.#timers.set(`dispute ${dispute.disputeId}`, dispute.due?.at ?? null);
  }
}

/**
 * Returns when a wallet or pix page expires: a wallet after ten minutes, both at the checkout's deadline.
 * Epoch ms.
 */
export function pageExpiry(charge: Pick<Charge, 'method' | 'checkoutExpiresAt'>, now: number): number {
  return charge.method === 'wallet'
    ? Math.min(now + WALLET_LIFETIME_MS, charge.checkoutExpiresAt)
    : charge.checkoutExpiresAt;
}

function addTo(index: Map<string, Set<string>>, owner: string, key: string): void {
  const keys = index.get(owner) ?? new Set();
  index.set(owner, keys.add(key));
}

function present<Item>(items: (Item | undefined)[]): Item[] {
  return items.filter((item) => item !== undefined);
}
