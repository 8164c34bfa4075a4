import type { Cause, Events } from './events.ts';
import { Books, type LedgerMeans, type LedgerTables } from './books.ts';
import { newObject } from './ids.ts';
import type { Charge, Dispute, Intent, Outcome, Refund, StoredPaymentMethod } from './records.ts';
import { chargeView, disputeView, refundView } from './money-views.ts';
import { type ApiObject, intentView, paymentMethodView } from './views.ts';

/** The opening of a dispute over a charge. */
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

/** Every change of the books, each reported as an event. */
export class Ledger extends Books {
  readonly #events: Events;
  readonly #publicUrl: () => string;
  /** How long checkouts stay open, in ms. */
  readonly checkoutMs: number;

  constructor(tables: LedgerTables, events: Events, means: LedgerMeans) {
    super(tables, means);
    this.#events = events;
    this.#publicUrl = means.publicUrl;
    this.checkoutMs = means.checkoutMs;
  }

  /* Views. */

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
    const charge = this.keptCharge(dispute.chargeId);
    if (!charge) throw new Error('a dispute without its charge');
    return disputeView(dispute, this.#methodOf(charge), this.now());
  }

  #methodOf(charge: Charge): StoredPaymentMethod {
    const method = this.findMethod(charge.paymentMethodId);
    if (!method) throw new Error('a charge without its payment method');
    return method;
  }

  /* Changes. */

  /** Saves an intent and emits the given event, if any. */
  saveIntent(intent: Intent, event: string | null, cause: Cause | null): Intent {
    this.keepIntent(intent);
    if (event !== null) {
      this.#events.emit(intent, `payment_intent.${event}`, this.showIntent(intent), cause);
    }
    return intent;
  }

  /** Leaves an intent `processing` with a charge that is pending until `due`. */
  process(intent: Intent, due: { at: number; outcome: Outcome }, cause: Cause | null): Intent {
    const charge = this.#chargeFor(intent, { status: 'pending', decline: null });
    this.keepCharge(charge);
    return this.saveIntent(
      { ...intent, status: 'processing', due, latestChargeId: charge.id },
      'processing',
      cause,
    );
  }

  /** Ends an attempt to pay: it is captured, or the intent waits for another payment method. */
  finish(intent: Intent, outcome: Outcome, cause: Cause | null): Intent {
    if (outcome === 'succeeded') return this.#succeed(intent, cause);
    const paymentMethodId = intent.paymentMethodId ?? '';
    let chargeId: string | null = null;
    if (outcome !== 'authentication') {
      const charge = this.keepCharge(this.#chargeFor(intent, { status: 'failed', decline: outcome }));
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

  /** Makes a refund and emits its event. */
  addRefund(refund: Refund, cause: Cause | null): Refund {
    this.keepRefund(refund);
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
    const changed = this.keepRefund({ ...refund, status, failureReason, due: null });
    const type = status === 'failed' ? 'refund.failed' : 'refund.updated';
    this.#events.emit(changed, type, this.showRefund(changed), cause);
    this.#events.emit(changed, 'charge.refund.updated', this.showRefund(changed), cause);
    return changed;
  }

  openDispute(charge: Charge, opening: DisputeOpening, cause: Cause | null): Dispute {
    const now = this.now();
    const dispute = this.keepDispute({
      ...newObject('dp', charge, now),
      chargeId: charge.id,
      intentId: charge.intentId,
      amountCents: opening.amountCents,
      currency: 'usd',
      reason: opening.reason,
      status: opening.inquiry ? 'warning_needs_response' : 'needs_response',
      evidence: {},
      submissions: 0,
      dueBy: now + opening.dueInMs,
      due: null,
      networkReasonCode: NETWORK_REASONS[opening.reason] ?? null,
    });
    if (!opening.inquiry) this.keepCharge({ ...charge, disputeId: dispute.id });
    this.#events.emit(dispute, 'charge.dispute.created', this.showDispute(dispute), cause);
    if (!opening.inquiry) {
      this.#events.emit(dispute, 'charge.dispute.funds_withdrawn', this.showDispute(dispute), cause);
    }
    return dispute;
  }

  updateDispute(dispute: Dispute, cause: Cause | null): Dispute {
    this.keepDispute(dispute);
    this.#events.emit(dispute, 'charge.dispute.updated', this.showDispute(dispute), cause);
    return dispute;
  }

  /**
   * Changes a dispute, also a closed one, as Stripe may do. An inquiry that becomes a chargeback withdraws
   * the money; a lost dispute that is won after all reinstates it.
   */
  changeDispute(dispute: Dispute, change: Partial<Dispute>): Dispute {
    const changed = this.keepDispute({ ...dispute, ...change, due: null });
    const charge = this.findCharge(changed.chargeId);
    const withdrawn = dispute.status.startsWith('warning_') && changed.status === 'needs_response';
    if (withdrawn && charge) this.keepCharge({ ...charge, disputeId: changed.id });
    this.#events.emit(changed, 'charge.dispute.updated', this.showDispute(changed), null);
    if (withdrawn) {
      this.#events.emit(changed, 'charge.dispute.funds_withdrawn', this.showDispute(changed), null);
    }
    if (dispute.status === 'lost' && changed.status === 'won') {
      this.#events.emit(changed, 'charge.dispute.funds_reinstated', this.showDispute(changed), null);
    }
    return changed;
  }

  closeDispute(dispute: Dispute, status: Dispute['status'], cause: Cause | null): Dispute {
    const closed = this.keepDispute({ ...dispute, status, due: null });
    this.#events.emit(closed, 'charge.dispute.closed', this.showDispute(closed), cause);
    if (status === 'won') {
      this.#events.emit(closed, 'charge.dispute.funds_reinstated', this.showDispute(closed), cause);
    }
    return closed;
  }

  #succeed(intent: Intent, cause: Cause | null): Intent {
    const method = this.findMethod(intent.paymentMethodId);
    if (!method) throw new Error('an intent without its payment method');
    const disputed = DISPUTED[method.behaviour] !== undefined;
    const charge = this.keepCharge({
      ...this.#chargeFor(intent, { status: 'succeeded', decline: null }),
      // A pending charge gets a new `created` when it takes the money: the instant of capture.
      createdAt: this.now(),
      disputeAt: disputed ? this.now() + DISPUTE_AFTER_MS : null,
    });
    this.#events.emit(intent, 'charge.succeeded', this.showCharge(charge), cause);
    return this.saveIntent(
      { ...intent, status: 'succeeded', latestChargeId: charge.id, lastError: null, due: null },
      'succeeded',
      cause,
    );
  }

  /** Returns the intent's pending charge, or a new one, with this outcome. */
  #chargeFor(intent: Intent, end: Pick<Charge, 'status' | 'decline'>): Charge {
    const latest = this.keptCharge(intent.latestChargeId ?? '');
    if (latest?.status === 'pending') return { ...latest, ...end };
    const { amountCents, metadata, description, receiptEmail, statementDescriptorSuffix, confirmKey } =
      intent;
    return {
      ...newObject('ch', intent, this.now(), metadata),
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

  protected override whenIntentDue(intent: Intent, outcome: Outcome): Intent {
    return this.finish(intent, outcome, null);
  }

  protected override whenDisputeDue(charge: Charge): void {
    const kind = DISPUTED[this.findMethod(charge.paymentMethodId)?.behaviour ?? ''];
    const current = this.keepCharge({ ...charge, disputeAt: null });
    if (!kind) return;
    const { amountCents } = charge;
    this.openDispute(current, { ...kind, amountCents, dueInMs: EVIDENCE_DUE_MS }, null);
  }

  protected override whenRefundDue(
    refund: Refund,
    status: Refund['status'],
    failureReason: string | null,
  ): Refund {
    return this.changeRefund(refund, status, failureReason, null);
  }

  protected override whenDecisionDue(dispute: Dispute, status: Dispute['status']): Dispute {
    return this.closeDispute(dispute, status, null);
  }
}
