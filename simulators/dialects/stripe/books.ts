import type { Log } from '../../server.ts';
import type { Table } from '../../tables.ts';
import { Timers } from '../../timers.ts';
import type { Caller } from './auth.ts';
import { noSuch } from './errors.ts';
import type { Charge, Dispute, Intent, Outcome, Payout, Refund, StoredPaymentMethod } from './records.ts';

export interface LedgerTables {
  methods: Table<StoredPaymentMethod>;
  intents: Table<Intent>;
  charges: Table<Charge>;
  refunds: Table<Refund>;
  disputes: Table<Dispute>;
  payouts: Table<Payout>;
}

export interface LedgerMeans {
  publicUrl: () => string;
  /** Changes made in `work` are on disk all together, or not at all. */
  together: <Result>(work: () => Result) => Result;
  /** How long checkouts stay open, in ms; a late success comes after that. */
  checkoutMs: number;
  /** Epoch ms. */
  now: () => number;
  log: Log;
}

/**
 * Objects by id and by what they belong to. A due change happens when its alarm rings or when the object is
 * read, whichever is first, so no reader sees a stale state. The ledger decides what changes.
 */
export abstract class Books {
  readonly #tables: LedgerTables;
  readonly #timers: Timers;
  readonly #chargesOf = new Map<string, Set<string>>();
  readonly #refundsOf = new Map<string, Set<string>>();
  readonly #disputesOf = new Map<string, Set<string>>();
  readonly #intentOfPage = new Map<string, string>();
  readonly #waitingForEnd = new Map<string, Set<() => void>>();
  protected readonly together: LedgerMeans['together'];
  protected readonly now: () => number;

  constructor(tables: LedgerTables, { together, now, log }: LedgerMeans) {
    this.#tables = tables;
    this.together = together;
    this.now = now;
    this.#timers = new Timers(now, (name) => {
      try {
        this.#ring(name);
      } catch {
        // The journal refused. The change is still due, and the next read makes it.
        log('timer failed');
      }
    });
  }

  protected abstract whenIntentDue(intent: Intent, outcome: Outcome): Intent;
  protected abstract whenDisputeDue(charge: Charge): void;
  protected abstract whenRefundDue(
    refund: Refund,
    status: Refund['status'],
    failureReason: string | null,
  ): Refund;
  protected abstract whenDecisionDue(dispute: Dispute, status: Dispute['status']): Dispute;

  /** Rebuilds indexes and alarms from the tables. */
  resume(): void {
    for (const intent of this.#tables.intents.values()) this.#indexIntent(intent);
    for (const charge of this.#tables.charges.values()) this.#indexCharge(charge);
    for (const refund of this.#tables.refunds.values()) this.#indexRefund(refund);
    for (const dispute of this.#tables.disputes.values()) this.#indexDispute(dispute);
  }

  close(): void {
    this.#timers.close();
  }

  /* Reads for a caller. An object of another account is answered like an unknown one. */

  method(caller: Caller, id: string): StoredPaymentMethod {
    return owned(caller, this.#tables.methods.get(id), 'PaymentMethod', id, 'payment_method');
  }

  intent(caller: Caller, id: string): Intent {
    return owned(caller, this.findIntent(id), 'payment_intent', id, 'intent');
  }

  charge(caller: Caller, id: string): Charge {
    return owned(caller, this.findCharge(id), 'charge', id, 'charge');
  }

  refund(caller: Caller, id: string): Refund {
    return owned(caller, this.findRefund(id), 'refund', id, 'id');
  }

  dispute(caller: Caller, id: string): Dispute {
    return owned(caller, this.findDispute(id), 'dispute', id, 'dispute');
  }

  intents(): Intent[] {
    return present([...this.#tables.intents.values()].map(({ id }) => this.findIntent(id)));
  }

  charges(): Charge[] {
    return present([...this.#tables.charges.values()].map(({ id }) => this.findCharge(id)));
  }

  refunds(): Refund[] {
    return present([...this.#tables.refunds.values()].map(({ id }) => this.findRefund(id)));
  }

  disputes(): Dispute[] {
    // Reading the charges first opens the disputes that are due.
    this.charges();
    return present([...this.#tables.disputes.values()].map(({ id }) => this.findDispute(id)));
  }

  payout(caller: Caller, id: string): Payout {
    return owned(caller, this.#tables.payouts.get(id), 'payout', id, 'payout');
  }

  payouts(): Payout[] {
    return [...this.#tables.payouts.values()];
  }

  addPayout(payout: Payout): Payout {
    return this.#tables.payouts.put(payout.id, payout);
  }

  findIntent(id: string): Intent | undefined {
    const intent = this.#tables.intents.get(id);
    const due = intent?.due;
    if (!intent || !due || this.now() < due.at) return intent;
    return this.together(() => this.whenIntentDue(intent, due.outcome));
  }

  intentOfPage(pageId: string): Intent | undefined {
    return this.findIntent(this.#intentOfPage.get(pageId) ?? '');
  }

  findMethod(id: string | null): StoredPaymentMethod | undefined {
    return this.#tables.methods.get(id ?? '');
  }

  findCharge(id: string): Charge | undefined {
    const charge = this.#tables.charges.get(id);
    if (!charge || charge.disputeAt === null || this.now() < charge.disputeAt) return charge;
    this.together(() => this.whenDisputeDue(charge));
    return this.#tables.charges.get(id);
  }

  chargesOf(intentId: string): Charge[] {
    return present([...(this.#chargesOf.get(intentId) ?? [])].map((id) => this.findCharge(id)));
  }

  findRefund(id: string): Refund | undefined {
    const refund = this.#tables.refunds.get(id);
    const due = refund?.due;
    if (!refund || !due || this.now() < due.at) return refund;
    return this.together(() => this.whenRefundDue(refund, due.status, due.failureReason));
  }

  refundsOf(chargeId: string): Refund[] {
    return present([...(this.#refundsOf.get(chargeId) ?? [])].map((id) => this.findRefund(id)));
  }

  refundedCents(chargeId: string): number {
    return this.refundsOf(chargeId)
      .filter(({ status }) => status === 'pending' || status === 'succeeded')
      .reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  findDispute(id: string): Dispute | undefined {
    const dispute = this.#tables.disputes.get(id);
    const due = dispute?.due;
    if (!dispute || !due || this.now() < due.at) return dispute;
    return this.together(() => this.whenDecisionDue(dispute, due.status));
  }

  disputesOf(chargeId: string): Dispute[] {
    this.findCharge(chargeId);
    return present([...(this.#disputesOf.get(chargeId) ?? [])].map((id) => this.findDispute(id)));
  }

  /** Resolves when the intent is no longer `processing`. */
  async processed(id: string): Promise<void> {
    if (this.findIntent(id)?.status !== 'processing') return;
    await new Promise<void>((resolve) => {
      const waiting = this.#waitingForEnd.get(id) ?? new Set();
      this.#waitingForEnd.set(id, waiting.add(resolve));
    });
  }

  saveMethod(method: StoredPaymentMethod): StoredPaymentMethod {
    return this.#tables.methods.put(method.id, method);
  }

  protected keepIntent(intent: Intent): Intent {
    this.#tables.intents.put(intent.id, intent);
    this.#indexIntent(intent);
    if (intent.status !== 'processing') {
      for (const wake of this.#waitingForEnd.get(intent.id) ?? []) wake();
      this.#waitingForEnd.delete(intent.id);
    }
    return intent;
  }

  protected keepCharge(charge: Charge): Charge {
    this.#tables.charges.put(charge.id, charge);
    this.#indexCharge(charge);
    return charge;
  }

  protected keepRefund(refund: Refund): Refund {
    this.#tables.refunds.put(refund.id, refund);
    this.#indexRefund(refund);
    return refund;
  }

  protected keepDispute(dispute: Dispute): Dispute {
    this.#tables.disputes.put(dispute.id, dispute);
    this.#indexDispute(dispute);
    return dispute;
  }

  /** A charge as it was last stored, without due changes. */
  protected keptCharge(id: string): Charge | undefined {
    return this.#tables.charges.get(id);
  }

  #ring(name: string): void {
    const id = name.slice(name.indexOf(' ') + 1);
    if (name.startsWith('intent')) this.findIntent(id);
    else if (name.startsWith('charge')) this.findCharge(id);
    else if (name.startsWith('refund')) this.findRefund(id);
    else this.findDispute(id);
  }

  #indexIntent(intent: Intent): void {
    if (intent.step) this.#intentOfPage.set(intent.step.pageId, intent.id);
    this.#timers.set(`intent ${intent.id}`, intent.due?.at ?? null);
  }

  #indexCharge(charge: Charge): void {
    addTo(this.#chargesOf, charge.intentId, charge.id);
    this.#timers.set(`charge ${charge.id}`, charge.disputeAt);
  }

  #indexRefund(refund: Refund): void {
    addTo(this.#refundsOf, refund.chargeId, refund.id);
    this.#timers.set(`refund ${refund.id}`, refund.due?.at ?? null);
  }

  #indexDispute(dispute: Dispute): void {
    addTo(this.#disputesOf, dispute.chargeId, dispute.id);
    this.#timers.set(`dispute ${dispute.id}`, dispute.due?.at ?? null);
  }
}

function owned<Doc extends Caller>(
  caller: Caller,
  doc: Doc | undefined,
  what: string,
  id: string,
  param: string,
): Doc {
  if (doc && doc.accountId === caller.accountId && doc.live === caller.live) return doc;
  throw noSuch(what, id, param);
}

function addTo(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key) ?? new Set();
  index.set(key, values.add(value));
}

function present<Item>(items: (Item | undefined)[]): Item[] {
  return items.filter((item) => item !== undefined);
}
