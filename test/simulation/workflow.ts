import type { CheckoutCommand, CheckoutEvent, Decision, Outcome } from '../../src/domain/checkout.ts';
import type { CheckoutState, Flight } from '../../src/domain/checkout-state.ts';
import type { InvariantChecker } from './invariants.ts';
import type { Decisions } from './decisions.ts';
import { authorize, confirm, resolve } from './provider-calls.ts';
import { type AttemptStatus, type World, captureEndsAtMs, expiresAtMs, secondMs } from './world.ts';

const attemptStatusAfter: Partial<Record<CheckoutEvent['type'], AttemptStatus>> = {
  ActionRequired: 'requiresAction',
  AttemptPaid: 'paid',
  AttemptDeclined: 'declined',
  AttemptFailed: 'failed',
  AttemptVoided: 'voided',
  AttemptReleased: 'voided',
};

/** Events that no transaction writes: only the workflow has them. */
const unwritten: readonly CheckoutEvent['type'][] = [
  'OutcomeBecameUnknown',
  'ClosingStarted',
  'AttemptStarted',
];

/** The runs of one payment, one after the other: the real decisions, with as little around them as can be. */
export class SimulatedWorkflow {
  readonly #domain: Decisions;
  readonly #world: World;
  readonly #checker: InvariantChecker;
  #state: CheckoutState;
  #run = 1;
  /** Between the end of a run and the next one no run decides anything. */
  #isRunning = true;
  /** Counts provider work: an answer to earlier work is ignored. */
  #flights = 0;
  /** Counts queries: only the latest one of the current run counts. */
  #lookups = 0;

  constructor(domain: Decisions, world: World, checker: InvariantChecker) {
    this.#domain = domain;
    this.#world = world;
    this.#checker = checker;
    this.#state = this.#domain.openCheckout({ mode: 'custom', expiresAtMs, captureEndsAtMs });
    this.#watchDeadline();
  }

  get state(): CheckoutState {
    return this.#state;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Nothing can change any more. */
  get isFinal(): boolean {
    return this.#domain.isClosed(this.#state) && this.#state.flight === null;
  }

  prepareCapture(): void {
    this.#handle({ type: 'prepareCapture' });
  }

  pay(): void {
    if (!this.#handle({ type: 'pay', method: 'card' }).ok) return;
    this.#flights += 1;
    const { attemptsStarted } = this.#state;
    authorize(this.#world, attemptsStarted, this.#run, this.#reporter(attemptsStarted));
  }

  confirm(): void {
    if (!this.#begin({ type: 'confirm' })) return;
    const { attemptsStarted } = this.#state;
    this.#world.rows.checkoutStatus = this.#domain.checkoutStatus(this.#state);
    confirm(this.#world, attemptsStarted, this.#reporter(attemptsStarted));
  }

  abandonAction(): void {
    this.#begin({ type: 'abandonAction' });
  }

  /** The run is gone; the sweeper starts another one from the rows. */
  terminate(): void {
    this.#run += 1;
    this.#isRunning = false;
    this.#world.clock.after(this.#world.random.between(1, 10) * secondMs, () => this.#resume());
  }

  #resume(): void {
    const { rows } = this.#world;
    this.#isRunning = true;
    rows.owner = this.#run;
    const open = [...rows.attempts].find(
      ([, status]) => status === 'processing' || status === 'requiresAction',
    );
    this.#state = this.#domain.resumeCheckout({
      mode: 'custom',
      expiresAtMs,
      captureEndsAtMs,
      checkoutStatus: rows.checkoutStatus,
      terminalReason: rows.terminalReason,
      paymentStatus: rows.paymentStatus,
      attemptsLeft: rows.attemptsLeft,
      attemptsStarted: Math.max(0, ...rows.attempts.keys()),
      method: rows.method,
      captureRevoked: rows.captureEnded || rows.attempts.size > 0,
      openAttempt: open
        ? {
            attemptNo: open[0],
            waitsForCustomer: open[1] === 'requiresAction' && rows.checkoutStatus !== 'processing',
            confirming: open[1] === 'requiresAction' && rows.checkoutStatus === 'processing',
            certainty: 'unknown',
          }
        : null,
    });
    this.#checker.resumed(this.#state);
    this.#flights += 1;
    if (this.#state.flight) this.#resolve(this.#state.flight);
    this.#watchDeadline();
  }

  /** The timer of the current run, late by as much as its worker is. */
  #watchDeadline(): void {
    const { clock } = this.#world;
    const mine = this.#run;
    clock.after(Math.max(1, expiresAtMs - clock.nowMs) + this.#world.latencyMs(), () => {
      if (mine === this.#run) this.#handle({ type: 'reachDeadline' });
    });
  }

  /** Handles a command that begins provider work, unless it would be refused. */
  #begin(command: CheckoutCommand): boolean {
    if (!this.#domain.decide(this.#state, command, this.#world.clock.nowMs).ok) return false;
    this.#flights += 1;
    this.#handle(command);
    return true;
  }

  #handle(command: CheckoutCommand): Decision {
    const decision = this.#domain.decide(this.#state, command, this.#world.clock.nowMs);
    if (decision.ok) {
      this.#checker.accepted(command, decision.events, this.#state);
      this.#apply(decision.events);
    }
    return decision;
  }

  #apply(events: readonly CheckoutEvent[]): void {
    for (const event of events) {
      const before = this.#state;
      this.#state = this.#domain.evolve(before, event);
      this.#checker.evolved(before, this.#state, event);
      if (event.type === 'AttemptReleased' ? event.recorded : !unwritten.includes(event.type)) {
        this.#write(event);
      }
    }
    if (this.#state.flight === null) this.#lookups += 1;
    for (const { type } of events) {
      const { flight } = this.#state;
      if (flight && (type === 'OutcomeBecameUnknown' || type === 'ClosingStarted')) this.#resolve(flight);
    }
  }

  /** What one transaction writes of the state and an attempt. */
  #write(event: CheckoutEvent): void {
    const { rows } = this.#world;
    rows.checkoutStatus = this.#domain.checkoutStatus(this.#state);
    rows.terminalReason = this.#state.terminalReason;
    rows.paymentStatus = this.#state.paymentStatus;
    rows.attemptsLeft = this.#state.attemptsLeft;
    rows.method = this.#state.method;
    const written = attemptStatusAfter[event.type];
    if (written && 'attemptNo' in event) rows.attempts.set(event.attemptNo, written);
    this.#checker.written();
  }

  #resolve({ attemptNo, kind }: Flight): void {
    this.#lookups += 1;
    const [run, lookup] = [this.#run, this.#lookups];
    resolve(this.#world, attemptNo, {
      close: kind === 'closing',
      isWanted: () => run === this.#run && lookup === this.#lookups,
      report: this.#reporter(attemptNo),
    });
  }

  /** Handles the answer to the current work: a later run, or later work, ignores it. */
  #reporter(attemptNo: number): (outcome: Outcome) => void {
    const [run, flight] = [this.#run, this.#flights];
    return (outcome) => {
      if (run === this.#run && flight === this.#flights)
        this.#handle({ type: 'resolve', attemptNo, outcome });
    };
  }
}
