import type { CheckoutCommand, CheckoutEvent } from '../../src/domain/checkout.ts';
import {
  type CheckoutPaymentStatus,
  type CheckoutState,
  checkoutStatus as statusOf,
  isClosed as isCheckoutClosed,
} from '../../src/domain/checkout-state.ts';
import { type World, captureEndsAtMs, expiresAtMs } from './world.ts';

/** Status edges as the specification has them, written a second time on purpose. */
const paymentEdges: Record<CheckoutPaymentStatus, readonly CheckoutPaymentStatus[]> = {
  pending: ['requiresAction', 'paid', 'failed'],
  requiresAction: ['pending', 'paid', 'failed'],
  paid: [],
  failed: [],
};

/** Outcomes that use up an attempt. */
const using: readonly CheckoutEvent['type'][] = ['AttemptDeclined', 'AttemptFailed', 'AttemptVoided'];

/** `invariant` is a number of docs/reliability.md. */
export interface Violation {
  invariant: string;
  detail: string;
}

/** Watches one simulated payment and lists what was broken. */
export class InvariantChecker {
  readonly violations: Violation[] = [];
  readonly #world: World;
  #shown: { checkoutStatus: string; paymentStatus: CheckoutPaymentStatus; attemptsLeft: number };

  constructor(world: World) {
    this.#world = world;
    this.#shown = { ...world.rows };
  }

  /** A command was accepted in `state`. */
  accepted(command: CheckoutCommand, events: readonly CheckoutEvent[], state: CheckoutState): void {
    const { network, rows, clock } = this.#world;
    this.#checkMoney();
    if (command.type === 'prepareCapture') {
      if (clock.nowMs >= captureEndsAtMs) this.#broken('I9', 'capture was prepared after its window');
      if (rows.captureEnded) this.#broken('I9', 'capture was prepared after a card was accepted');
    }
    if (!events.some(({ type }) => type === 'AttemptStarted')) return;
    if (clock.nowMs >= expiresAtMs) this.#broken('I16', 'an attempt began after the deadline');
    if (isClosed(rows.checkoutStatus)) this.#broken('I16', 'an attempt began on a closed checkout');
    if (state.flight) this.#broken('I4', 'an attempt began while another was in flight');
    for (const { status } of network.charges.values()) {
      if (status === 'captured' || status === 'pending' || status === 'requires_action') {
        this.#broken('I4', `an attempt began while the network had one ${status}`);
      }
    }
  }

  /** An event was folded in. */
  evolved(before: CheckoutState, after: CheckoutState, event: CheckoutEvent): void {
    if (after.attemptsLeft > before.attemptsLeft) this.#broken('I8', 'attemptsLeft rose');
    if (before.attemptsLeft - after.attemptsLeft > 1) this.#broken('I8', 'one outcome used two attempts');
    if (after.attemptsLeft < 0) this.#broken('I8', 'attemptsLeft below zero');
    if (after.attemptsStarted < before.attemptsStarted) this.#broken('I5', 'the attempt number fell');
    if (event.type === 'AttemptStarted' && after.attemptsStarted === before.attemptsStarted) {
      this.#broken('I5', 'two attempts under one number');
    }
    const wasClosed = isCheckoutClosed(before);
    if (wasClosed && before.resting !== after.resting) {
      this.#broken('I7', `a closed checkout went from ${before.resting} to ${after.resting}`);
    }
    if (wasClosed && before.terminalReason !== after.terminalReason) {
      this.#broken('I7', 'a closed checkout changed its reason');
    }
    const used = before.attemptsLeft - after.attemptsLeft;
    const uses = using.includes(event.type);
    if (used === 1 && !uses) this.#broken('I8', `${event.type} used an attempt`);
    if (uses && used === 0 && !wasClosed) this.#broken('I8', `${event.type} used no attempt`);
  }

  /** A transaction changed the rows: what clients see from now on. */
  written(): void {
    const { checkoutStatus, paymentStatus, attemptsLeft } = this.#world.rows;
    const shown = this.#shown;
    if (shown.paymentStatus !== paymentStatus && !paymentEdges[shown.paymentStatus].includes(paymentStatus)) {
      this.#broken('I7', `the payment went from ${shown.paymentStatus} to ${paymentStatus}`);
    }
    if (isClosed(shown.checkoutStatus) && checkoutStatus !== shown.checkoutStatus) {
      this.#broken('I7', `the checkout went from ${shown.checkoutStatus} to ${checkoutStatus}`);
    }
    if (attemptsLeft > shown.attemptsLeft) this.#broken('I8', 'attemptsLeft rose in the rows');
    this.#shown = { checkoutStatus, paymentStatus, attemptsLeft };
    this.#checkMoney();
  }

  /** A new run made `state` from the rows. */
  resumed(state: CheckoutState): void {
    const { rows } = this.#world;
    if (rows.paymentStatus !== state.paymentStatus) this.#broken('I7', 'resuming changed the payment');
    if (state.attemptsLeft !== rows.attemptsLeft) this.#broken('I8', 'resuming changed attemptsLeft');
  }

  /** Long after the deadline: nothing can change any more, and what we say is what the network did. */
  ended(state: CheckoutState, isFinal: boolean): void {
    if (this.violations.length > 0) return;
    const { network, rows } = this.#world;
    this.#checkMoney();
    if (!isFinal) {
      const status = statusOf(state);
      this.#broken('I17', `not final: ${status}, ${JSON.stringify(state.flight)}`);
    }
    if ((rows.paymentStatus === 'paid') !== this.#captured() > 0) {
      this.#broken('I3', `payment ${rows.paymentStatus}, ${this.#captured()} captured at the network`);
    }
    for (const [attemptNo, { status }] of network.charges) {
      if (status === 'requires_action' || status === 'pending') {
        this.#broken('I17', `attempt ${attemptNo} is still ${status} at the network`);
      }
    }
  }

  #checkMoney(): void {
    const captured = this.#captured();
    if (captured > 1) this.#broken('I1', `${captured} captured charges`);
  }

  #captured(): number {
    return [...this.#world.network.charges.values()].filter(({ status }) => status === 'captured').length;
  }

  #broken(invariant: string, detail: string): void {
    this.violations.push({ invariant, detail });
  }
}

function isClosed(checkoutStatus: string): boolean {
  return checkoutStatus === 'paid' || checkoutStatus === 'expired';
}
