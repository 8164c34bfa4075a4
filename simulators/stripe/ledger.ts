import type { Log } from '../server.ts';
import type { Table } from '../tables.ts';
import { Timers } from '../timers.ts';
import type { Caller } from './auth.ts';
import type { Cause, Events } from './events.ts';
import { noSuch } from './errors.ts';
import { newObject } from './ids.ts';
import type { Charge, Dispute, Intent, Outcome, Refund, StoredPaymentMethod } from './records.ts';
import {
  type ApiObject,
  chargeView,
  disputeView,
  intentView,
  paymentMethodView,
  refundView,
} from './views.ts';

export interface LedgerTables {
  methods: Table<StoredPaymentMethod>;
  intents: Table<Intent>;
  charges: Table<Charge>;
  refunds: Table<Refund>;
  disputes: Table<Dispute>;
}

/** What opens a dispute over a charge. */
export interface DisputeOpening {
  reason: string;
  inquiry: boolean;
  amountCents: number;
  dueInMs: number;
}

const DISPUTE_AFTER_MS = 1_000;
const EVIDENCE_DUE_MS = 7 * 24 * 60 * 60_000;
const DISPUTED: Readonly<Record<string, Pick<DisputeOpening, 'reason' | 'inquiry'>>> = {
  paidThenDisputed: { reason: 'fraudulent', inquiry: false },
  inquiry: { reason: 'fraudulent', inquiry: true },
  disputedNotReceived: { reason: 'product_not_received', inquiry: false },
};
const NETWORK_REASONS: Readonly<Record<string, string>> = {
  fraudulent: '10.4',
  product_not_received: '13.1',
};

/**
 * Everything the dialect knows, and the changes that come by themselves. A change that is due happens when
 * its alarm rings or when somebody reads, whichever is first, so no reader ever sees a stale state. Every
 * change is told as an event.
 */
export class Ledger {
  readonly #tables: LedgerTables;
  readonly #events: Events;
  readonly #publicUrl: () => string;
  readonly #now: () => number;
  readonly #timers: Timers;
  readonly #chargesOf = new Map<string, Set<string>>();
  readonly #refundsOf = new Map<string, Set<string>>();
  readonly #disputesOf = new Map<string, Set<string>>();
  readonly #intentOfPage = new Map<string, string>();
  readonly #settled = new Map<string, Set<() => void>>();

  constructor(tables: LedgerTables, events: Events, publicUrl: () => string, now: () => number, log: Log) {
    this.#tables = tables;
    this.#events = events;
    this.#publicUrl = publicUrl;
    this.#now = now;
    this.#timers = new Timers(now, (name) => {
      try {
        this.#ring(name);
      } catch {
        // The journal refused: the change is still due and the next reader makes it.
        log('timer failed');
      }
    });
  }

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

  /* Reading. Another's object is told as little as one that never was. */

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

  findIntent(id: string): Intent | undefined {
    const intent = this.#tables.intents.get(id);
    return intent?.due && this.#now() >= intent.due.at
      ? this.finish(intent, intent.due.outcome, null)
      : intent;
  }

  intentOfPage(pageId: string): Intent | undefined {
    return this.findIntent(this.#intentOfPage.get(pageId) ?? '');
  }

  findMethod(id: string | null): StoredPaymentMethod | undefined {
    return this.#tables.methods.get(id ?? '');
  }

  findCharge(id: string): Charge | undefined {
    const charge = this.#tables.charges.get(id);
    if (!charge || charge.disputeAt === null || this.#now() < charge.disputeAt) return charge;
    const current = this.#saveCharge({ ...charge, disputeAt: null });
    const kind = DISPUTED[this.findMethod(charge.paymentMethodId)?.behaviour ?? ''];
    if (!kind) return current;
    const { amountCents } = charge;
    this.openDispute(current, { ...kind, amountCents, dueInMs: EVIDENCE_DUE_MS }, null);
    return this.#tables.charges.get(id);
  }

  chargesOf(intentId: string): Charge[] {
    return present([...(this.#chargesOf.get(intentId) ?? [])].map((id) => this.findCharge(id)));
  }

  findRefund(id: string): Refund | undefined {
    const refund = this.#tables.refunds.get(id);
    if (!refund?.due || this.#now() < refund.due.at) return refund;
    return this.changeRefund(refund, refund.due.status, refund.due.failureReason, null);
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
    if (!dispute?.due || this.#now() < dispute.due.at) return dispute;
    return this.closeDispute(dispute, dispute.due.status, null);
  }

  disputesOf(chargeId: string): Dispute[] {
    this.findCharge(chargeId);
    return present([...(this.#disputesOf.get(chargeId) ?? [])].map((id) => this.findDispute(id)));
  }

  /** Resolves when the intent is no longer `processing`. */
  async settled(id: string): Promise<void> {
    if (this.findIntent(id)?.status !== 'processing') return;
    await new Promise<void>((resolve) => {
      const waiting = this.#settled.get(id) ?? new Set();
      this.#settled.set(id, waiting.add(resolve));
    });
  }

  /* Showing. */

  showMethod(method: StoredPaymentMethod): ApiObject {
    return paymentMethodView(method);
  }

  showIntent(intent: Intent): ApiObject {
    return intentView(intent, {
      latestCharge: this.findCharge(intent.latestChargeId ?? ''),
      failedMethod: this.findMethod(intent.lastError?.paymentMethodId ?? null),
      challengeUrl: intent.step && `${this.#publicUrl()}/challenge/${intent.step.pageId}`,
    });
  }

  showCharge(charge: Charge): ApiObject {
    return chargeView(charge, this.#methodOf(charge), this.refundedCents(charge.id));
  }

  showRefund(refund: Refund): ApiObject {
    return refundView(refund);
  }

  showDispute(dispute: Dispute): ApiObject {
    const charge = this.#tables.charges.get(dispute.chargeId);
    if (!charge) throw new Error('a dispute without its charge');
    return disputeView(dispute, this.#methodOf(charge), this.#now());
  }

  #methodOf(charge: Charge): StoredPaymentMethod {
    const method = this.findMethod(charge.paymentMethodId);
    if (!method) throw new Error('a charge without its payment method');
    return method;
  }

  /* Changing. */

  saveMethod(method: StoredPaymentMethod): StoredPaymentMethod {
    return this.#tables.methods.put(method.id, method);
  }

  /** Saves an intent and tells it under the given event, if any. */
  saveIntent(intent: Intent, event: string | null, cause: Cause | null): Intent {
    this.#tables.intents.put(intent.id, intent);
    this.#indexIntent(intent);
    if (event !== null) this.#events.emit(intent, `payment_intent.${event}`, this.showIntent(intent), cause);
    if (intent.status !== 'processing') {
      for (const wake of this.#settled.get(intent.id) ?? []) wake();
      this.#settled.delete(intent.id);
    }
    return intent;
  }

  /** Leaves an intent `processing` with a charge that is pending until `due`. */
  process(intent: Intent, due: { at: number; outcome: Outcome }, cause: Cause | null): Intent {
    const charge = this.#chargeFor(intent, { status: 'pending', decline: null });
    this.#saveCharge(charge);
    return this.saveIntent(
      { ...intent, status: 'processing', due, latestChargeId: charge.id },
      'processing',
      cause,
    );
  }

  /** Ends an attempt to pay: the money is taken, or the intent waits for another payment method. */
  finish(intent: Intent, outcome: Outcome, cause: Cause | null): Intent {
    if (outcome === 'succeeded') return this.#succeed(intent, cause);
    const paymentMethodId = intent.paymentMethodId ?? '';
    let chargeId: string | null = null;
    if (outcome !== 'authentication') {
      const charge = this.#saveCharge(this.#chargeFor(intent, { status: 'failed', decline: outcome }));
      this.#events.emit(intent, 'charge.failed', this.showCharge(charge), cause);
      chargeId = charge.id;
    }
    return this.saveIntent(
      {
        ...intent,
        status: 'requires_payment_method',
        paymentMethodId: null,
        lastError: { decline: outcome, chargeId, paymentMethodId },
        latestChargeId: chargeId ?? intent.latestChargeId,
        due: null,
      },
      'payment_failed',
      cause,
    );
  }

  /** Makes a refund and tells it. */
  addRefund(refund: Refund, cause: Cause | null): Refund {
    this.#saveRefund(refund);
    this.#events.emit(refund, 'refund.created', this.showRefund(refund), cause);
    const charge = this.findCharge(refund.chargeId);
    if (charge) this.#events.emit(refund, 'charge.refunded', this.showCharge(charge), cause);
    return refund;
  }

  changeRefund(
    refund: Refund,
    status: Refund['status'],
    failureReason: string | null,
    cause: Cause | null,
  ): Refund {
    const changed = this.#saveRefund({ ...refund, status, failureReason, due: null });
    const type = status === 'failed' ? 'refund.failed' : 'refund.updated';
    this.#events.emit(changed, type, this.showRefund(changed), cause);
    this.#events.emit(changed, 'charge.refund.updated', this.showRefund(changed), cause);
    return changed;
  }

  openDispute(charge: Charge, opening: DisputeOpening, cause: Cause | null): Dispute {
    const now = this.#now();
    const dispute = this.#saveDispute({
      ...newObject('dp', charge, now),
      chargeId: charge.id,
      intentId: charge.intentId,
      amountCents: opening.amountCents,
      reason: opening.reason,
      status: opening.inquiry ? 'warning_needs_response' : 'needs_response',
      evidence: {},
      submissions: 0,
      dueBy: now + opening.dueInMs,
      due: null,
      networkReasonCode: NETWORK_REASONS[opening.reason] ?? null,
    });
    if (!opening.inquiry) this.#saveCharge({ ...charge, disputeId: dispute.id });
    this.#events.emit(dispute, 'charge.dispute.created', this.showDispute(dispute), cause);
    if (!opening.inquiry) {
      this.#events.emit(dispute, 'charge.dispute.funds_withdrawn', this.showDispute(dispute), cause);
    }
    return dispute;
  }

  updateDispute(dispute: Dispute, cause: Cause | null): Dispute {
    this.#saveDispute(dispute);
    this.#events.emit(dispute, 'charge.dispute.updated', this.showDispute(dispute), cause);
    return dispute;
  }

  closeDispute(dispute: Dispute, status: Dispute['status'], cause: Cause | null): Dispute {
    const closed = this.#saveDispute({ ...dispute, status, due: null });
    this.#events.emit(closed, 'charge.dispute.closed', this.showDispute(closed), cause);
    if (status === 'won') {
      this.#events.emit(closed, 'charge.dispute.funds_reinstated', this.showDispute(closed), cause);
    }
    return closed;
  }

  #succeed(intent: Intent, cause: Cause | null): Intent {
    const method = this.findMethod(intent.paymentMethodId);
    if (!method) throw new Error('an intent without its payment method');
    this.saveMethod({ ...method, used: true });
    const disputed = DISPUTED[method.behaviour] !== undefined;
    const charge = this.#saveCharge({
      ...this.#chargeFor(intent, { status: 'succeeded', decline: null }),
      disputeAt: disputed ? this.#now() + DISPUTE_AFTER_MS : null,
    });
    this.#events.emit(intent, 'charge.succeeded', this.showCharge(charge), cause);
    return this.saveIntent(
      { ...intent, status: 'succeeded', latestChargeId: charge.id, lastError: null, due: null },
      'succeeded',
      cause,
    );
  }

  /** The intent's pending charge, or a new one, with this end. */
  #chargeFor(intent: Intent, end: Pick<Charge, 'status' | 'decline'>): Charge {
    const latest = this.#tables.charges.get(intent.latestChargeId ?? '');
    if (latest?.status === 'pending') return { ...latest, ...end };
    const { amountCents, metadata, description, receiptEmail, statementDescriptorSuffix, confirmKey } =
      intent;
    return {
      ...newObject('ch', intent, this.#now(), metadata),
      intentId: intent.id,
      paymentMethodId: intent.paymentMethodId ?? '',
      amountCents,
      ...end,
      authenticated: intent.step?.state === 'authenticated',
      confirmKey,
      disputeId: null,
      disputeAt: null,
      description,
      receiptEmail,
      statementDescriptorSuffix,
    };
  }

  #saveCharge(charge: Charge): Charge {
    this.#tables.charges.put(charge.id, charge);
    this.#indexCharge(charge);
    return charge;
  }

  #saveRefund(refund: Refund): Refund {
    this.#tables.refunds.put(refund.id, refund);
    this.#indexRefund(refund);
    return refund;
  }

  #saveDispute(dispute: Dispute): Dispute {
    this.#tables.disputes.put(dispute.id, dispute);
    this.#indexDispute(dispute);
    return dispute;
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
