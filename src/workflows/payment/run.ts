import { ApplicationFailure } from '@temporalio/workflow';
import type { AttemptReport } from '../../activities/attempt-report.ts';
import type { ShortCall } from '../../activities/attempts.ts';
import type { ResumedPayment } from '../../db/payments/payment-ownership.ts';
import { type CheckoutCommand, type CheckoutEvent, decide, evolve } from '../../domain/checkout.ts';
import {
  type CheckoutState,
  checkoutStatus,
  isClosed,
  openCheckout,
  resumeCheckout,
} from '../../domain/checkout-state.ts';
import { type RefusalCode, refusals } from '../../domain/refusals.ts';
import type { CheckoutSnapshot, PaymentWorkflowInput } from '../../temporal/contract/payment.ts';

/** A message to the loop, which handles one at a time. */
export type Message =
  /**
   * `callNo`: for a report, the number of the newest call when its work began; after a later call it is
   * stale.
   */
  | {
      type: 'command';
      command: CheckoutCommand;
      card: AttemptReport['card'];
      callNo?: number;
      /** The transition that follows from the report is committed already. */
      committedTransition?: AttemptReport['committedTransition'];
    }
  | { type: 'captureWindowEnded' }
  /** Another run wrote the rows: resume from them. */
  | { type: 'resume' };

/**
 * The input that lets a short call's activity commit the next transition. When it is empty, the loop commits.
 */
export type DelegatedCommit = Pick<ShortCall, 'expectedState'>;

/** Returns the failure that Temporal passes to the caller of an update; its type is the API's code. */
export const refusal = (code: RefusalCode): ApplicationFailure =>
  ApplicationFailure.nonRetryable(refusals[code].message, code);

/**
 * The state of one run of a payment's workflow. Handlers take the fence; only the loop changes anything else.
 */
export class PaymentRun {
  readonly paymentId: string;
  state: CheckoutState;
  /** Number of the latest transition that was written, or is being written. */
  seq: number;
  /** Number of the latest transition that was written; `state` includes it. */
  writtenSeq: number;
  /** The rows record that no transition can follow. */
  finalInRows: boolean;
  readonly inbox: Message[] = [];
  /** The loop works on a message. */
  busy = false;
  /** The latest instant whose timer fired, in epoch ms. */
  #reachedMs = 0;
  /** The activity of the running attempt commits the next transition; the loop pauses until it returns. */
  commitDelegated = false;

  constructor(input: PaymentWorkflowInput, resumed: ResumedPayment | null) {
    this.paymentId = input.paymentId;
    this.state = resumed ? resumeCheckout(resumed.checkout) : openCheckout(input);
    this.seq = resumed?.seq ?? 0;
    this.writtenSeq = this.seq;
    this.finalInRows = resumed?.final ?? false;
  }

  /** Resumes from the rows as they are now. */
  resume(resumed: ResumedPayment): void {
    this.state = resumeCheckout(resumed.checkout);
    this.seq = Math.max(this.seq, resumed.seq);
    this.writtenSeq = this.seq;
    this.finalInRows = resumed.final;
  }

  /**
   * Returns the workflow's time in epoch ms, never earlier than an instant whose timer fired. `Date.now` is
   * the time of the latest workflow task, which may be earlier: a query can bring the history to a worker
   * after a timer fired and before that timer's task.
   */
  now(): number {
    return Math.max(Date.now(), this.#reachedMs);
  }

  /** Records that the timer of an instant fired, so that `now` returns no earlier time. */
  reached(instantMs: number): void {
    this.#reachedMs = Math.max(this.#reachedMs, instantMs);
  }

  /**
   * Throws the refusal of a command that the current state does not allow. Validators call it, so that a
   * refusal leaves no history.
   */
  check(command: CheckoutCommand): void {
    this.#decide(command);
  }

  /** Decides the command and takes the fence at once, before a handler's first await. Throws the refusal. */
  take(command: CheckoutCommand): void {
    this.state = this.after(this.#decide(command));
  }

  #decide(command: CheckoutCommand): CheckoutEvent[] {
    const decision = decide(this.state, command, this.now());
    if (!decision.ok) throw refusal(decision.code);
    return decision.events;
  }

  /** Returns the state after these events, without changing the run. */
  after(events: readonly CheckoutEvent[]): CheckoutState {
    return events.reduce(evolve, this.state);
  }

  /** Returns the command that moves both deadlines nearer. */
  nearerDeadlines(byMs: number): Extract<CheckoutCommand, { type: 'moveDeadlines' }> {
    const { expiresAtMs, captureEndsAtMs } = this.state;
    return {
      type: 'moveDeadlines',
      expiresAtMs: expiresAtMs - byMs,
      captureEndsAtMs: captureEndsAtMs - byMs,
    };
  }

  /**
   * Lets the activity commit the next transition; the loop pauses until the activity returns. Returns an
   * empty object while the loop handles a message or has one waiting, because that message may come first.
   */
  delegateCommit(): DelegatedCommit {
    const isAtRest = !this.busy && this.inbox.length === 0 && this.seq === this.writtenSeq;
    if (!isAtRest) return {};
    this.commitDelegated = true;
    return { expectedState: { state: this.state, seq: this.seq + 1, calledAtMs: this.now() } };
  }

  /** Posts a command to the loop, because a handler must not commit. */
  post(command: CheckoutCommand): void {
    this.inbox.push({ type: 'command', command, card: null });
  }

  /** Closes the checkout as its deadline would, at once. */
  close(): void {
    this.post(this.nearerDeadlines(Math.max(0, this.state.expiresAtMs - this.now())));
  }

  get isClosed(): boolean {
    return isClosed(this.state);
  }

  snapshot(): CheckoutSnapshot {
    const { terminalReason, attemptsLeft, expiresAtMs, captureEndsAtMs } = this.state;
    return {
      status: checkoutStatus(this.state),
      terminalReason,
      attemptsLeft,
      expiresAtMs,
      captureEndsAtMs,
      seq: this.writtenSeq,
      lastAttempt: { attemptNo: this.state.attemptsStarted, method: this.state.method },
    };
  }
}
