import {
  APIConnectionError,
  APIError,
  ConflictError,
  GoneError,
  NotFoundError,
  RateLimitError,
  ServiceUnavailableError,
} from './errors.ts';
import type { Outcome } from './outcome.ts';
import { backOffMs, pause } from './time-limit.ts';
import type { RequestOptions } from './transport.ts';
import type {
  AttemptResult,
  CaptureCard,
  Checkout,
  CheckoutState,
  Payment,
  TerminalReason,
  Timeline,
} from './types.ts';

/** The calls needed to find an outcome. */
export interface SettleCalls {
  status(id: string, query: { waitSeconds?: number }, options: RequestOptions): Promise<CheckoutState>;
  checkout(id: string, options: RequestOptions): Promise<Checkout>;
  retrieve(id: string, options: RequestOptions): Promise<Payment>;
  timeline(id: string, options: RequestOptions): Promise<Timeline>;
  pay(id: string, card: CaptureCard, options: RequestOptions): Promise<AttemptResult>;
}

/** The service holds a status read at most this long. */
const longestWaitSeconds = 25;
/** How much longer than the requested wait an answer may take, in ms. */
const slackMs = 10_000;
const shortestPauseMs = 500;
const longestPauseMs = 10_000;

/**
 * Finds the outcome of one payment within a time. Every read is repeated until it is answered or the time is
 * over. The last answer decides, never a failed call.
 */
export class Settling {
  readonly #calls: SettleCalls;
  readonly #id: string;
  readonly #endMs: number;
  readonly #signal: AbortSignal | undefined;
  #faults = 0;
  #checkoutStatus: string | null = null;

  constructor(
    calls: SettleCalls,
    id: string,
    limits: { timeoutMs: number; signal?: AbortSignal | undefined },
  ) {
    this.#calls = calls;
    this.#id = id;
    this.#endMs = Date.now() + limits.timeoutMs;
    this.#signal = limits.signal;
  }

  /**
   * Pays and waits for the outcome. Pay is sent only while nothing is under way. It is sent again only while
   * the service has counted no attempt since the first read, so a pay that arrived is not repeated when its
   * answer is lost.
   */
  async pay(card: CaptureCard): Promise<Outcome> {
    let state = await this.#read((options) => this.#calls.status(this.#id, {}, options));
    const attemptsAtFirst = state?.attemptsLeft ?? 0;
    let isRefused = false;
    while (state !== null && !this.#isOver()) {
      const outcome = await this.#outcomeOf(state);
      if (outcome !== null) return outcome;
      if (!isIdle(state)) {
        state = await this.#change(state);
        continue;
      }
      if (state.attemptsLeft < attemptsAtFirst) return this.#declined(state);
      if (isRefused) return { status: 'expired', paymentId: this.#id, terminalReason: null };
      const answer = await this.#sendPay(card);
      if (typeof answer === 'object') return answer;
      isRefused = answer === 'closed';
      state = await this.#read((options) => this.#calls.status(this.#id, {}, options));
    }
    return this.#unknown();
  }

  /** Waits for the outcome of a payment of which only the id is known. */
  async recover(): Promise<Outcome> {
    let state = await this.#read((options) => this.#statusOrHosted(options));
    while (state !== null && state !== 'hosted') {
      const outcome = state.status === 'failed_retryable' ? this.#declined(state) : this.#outcomeOf(state);
      const known = await outcome;
      if (known !== null) return known;
      state = await this.#change(state);
    }
    return state === null ? this.#unknown() : this.#recoverHosted();
  }

  /** Returns the outcome that a state alone implies; null when it implies none. */
  async #outcomeOf(state: CheckoutState): Promise<Outcome | null> {
    this.#checkoutStatus = state.status;
    if (state.status === 'paid') return this.#paid();
    if (state.status === 'expired') return this.#closed(state.terminalReason ?? null);
    if (state.status === 'requiresAction') return this.#action();
    // Open, processing, or a status that this version does not know.
    return null;
  }

  /** Sends pay once. Returns its outcome, `closed` after 410, and `unclear` when the status must decide. */
  async #sendPay(card: CaptureCard): Promise<Outcome | 'closed' | 'unclear'> {
    try {
      const result = await this.#calls.pay(this.#id, card, this.#options());
      if (result.status === 'paid') return await this.#paid();
      if (result.status === 'failed') return await this.#failedAttempt(result);
      return (await this.#action()) ?? 'unclear';
    } catch (error) {
      if (error instanceof GoneError) return 'closed';
      if (!(error instanceof ConflictError) && !isTransient(error)) throw error;
      await this.#pauseAfter(error);
      return 'unclear';
    }
  }

  /** A failed attempt may have been the last one, or may have failed the payment for good. */
  async #failedAttempt(result: AttemptResult & { status: 'failed' }): Promise<Outcome> {
    const { attemptsLeft, failureCode } = result;
    const state = await this.#read((options) => this.#calls.status(this.#id, {}, options));
    const closed = state?.status === 'expired' ? await this.#closed(state.terminalReason ?? null) : null;
    if (closed?.status === 'failed') return { ...closed, failureCode };
    return { status: 'declined', paymentId: this.#id, attemptsLeft, failureCode };
  }

  async #paid(): Promise<Outcome> {
    const payment = await this.#read((options) => this.#calls.retrieve(this.#id, options));
    return payment === null ? this.#unknown() : { status: 'paid', paymentId: this.#id, payment };
  }

  async #action(): Promise<Outcome | null> {
    const checkout = await this.#read((options) => this.#calls.checkout(this.#id, options));
    if (checkout === null) return this.#unknown();
    const { actionUrl } = checkout;
    // Without an address the step has ended in the meantime.
    return actionUrl === undefined ? null : { status: 'requiresAction', paymentId: this.#id, actionUrl };
  }

  async #declined({ attemptsLeft }: CheckoutState): Promise<Outcome> {
    const timeline = await this.#read((options) => this.#calls.timeline(this.#id, options));
    const failureCode = lastFailureCode(timeline);
    return { status: 'declined', paymentId: this.#id, attemptsLeft, failureCode };
  }

  /** Returns the outcome of a closed checkout; null while an attempt is under way that may take the money. */
  async #closed(terminalReason: TerminalReason | null): Promise<Outcome | null> {
    const timeline = await this.#read((options) => this.#calls.timeline(this.#id, options));
    if (timeline === null) return this.#unknown();
    const { payment, waitingFor } = timeline;
    if (payment.status === 'failed') {
      return { status: 'failed', paymentId: this.#id, failureCode: payment.failureCode };
    }
    if (payment.status !== 'pending' && payment.status !== 'requiresAction') return this.#paid();
    return waitingFor === null ? { status: 'expired', paymentId: this.#id, terminalReason } : null;
  }

  /** A hosted payment has no checkout status, so its timeline shows what it waits for. */
  async #recoverHosted(): Promise<Outcome> {
    for (let round = 0; !this.#isOver(); round += 1) {
      const payment = await this.#read((options) => this.#calls.retrieve(this.#id, options));
      const { status, checkoutUrl } = payment ?? {};
      // A read that did not end in time says nothing about the checkout.
      if (payment !== null) this.#checkoutStatus = status === 'pending' && checkoutUrl ? 'open' : null;
      if (status === 'requiresAction' && checkoutUrl) {
        return { status, paymentId: this.#id, actionUrl: checkoutUrl };
      }
      const outcome = await this.#closed(null);
      if (outcome !== null) return outcome;
      await this.#pause(Math.min(2_000 * 2 ** round, longestPauseMs));
    }
    return this.#unknown();
  }

  /** Returns the state of a card capture; `hosted` for a payment that has none. */
  async #statusOrHosted(options: RequestOptions): Promise<CheckoutState | 'hosted'> {
    try {
      return await this.#calls.status(this.#id, {}, options);
    } catch (error) {
      if (error instanceof NotFoundError) return 'hosted';
      throw error;
    }
  }

  /**
   * Returns the state when it has changed or the service stops holding the read. Null when the time is over.
   */
  async #change(state: CheckoutState): Promise<CheckoutState | null> {
    const startedAt = Date.now();
    const waitSeconds = Math.min(longestWaitSeconds, Math.floor(this.#leftMs() / 1_000));
    const next = await this.#read((options) =>
      waitSeconds < 1
        ? this.#calls.status(this.#id, {}, options)
        : this.#calls.status(this.#id, { waitSeconds }, options),
    );
    // The service answers at once for a closed checkout, and when too many calls already wait.
    if (next?.status === state.status && Date.now() - startedAt < shortestPauseMs) await this.#pause(1_000);
    return next;
  }

  /** Reads until there is an answer. Returns null when the time is over or the signal was aborted. */
  async #read<T>(call: (options: RequestOptions) => Promise<T>): Promise<T | null> {
    while (!this.#isOver()) {
      try {
        const result = await call(this.#options());
        this.#faults = 0;
        return result;
      } catch (error) {
        if (!isTransient(error)) throw error;
        await this.#pauseAfter(error);
      }
    }
    return null;
  }

  #options(): RequestOptions {
    const timeoutMs = Math.max(1, Math.min(this.#leftMs(), longestWaitSeconds * 1_000 + slackMs));
    return { signal: this.#signal, timeoutMs, maxRetries: 0 };
  }

  #pauseAfter(error: unknown): Promise<void> {
    const seconds = error instanceof APIError ? error.retryAfterSeconds : null;
    this.#faults += 1;
    return this.#pause(seconds === null ? backOffMs(this.#faults - 1) : seconds * 1_000);
  }

  #pause(ms: number): Promise<void> {
    return pause(Math.max(0, Math.min(ms, this.#leftMs())), this.#signal);
  }

  #leftMs(): number {
    return this.#endMs - Date.now();
  }

  #isOver(): boolean {
    return this.#leftMs() <= 0 || this.#signal?.aborted === true;
  }

  #unknown(): Outcome {
    return { status: 'unknown', paymentId: this.#id, checkoutStatus: this.#checkoutStatus };
  }
}

/** Whether nothing is under way and an attempt may begin. */
const isIdle = ({ status }: CheckoutState): boolean => status === 'open' || status === 'failed_retryable';

/** Whether a failed call reveals nothing about the payment, so that the next call may be answered. */
function isTransient(error: unknown): boolean {
  return (
    error instanceof APIConnectionError ||
    error instanceof RateLimitError ||
    error instanceof ServiceUnavailableError
  );
}

/** Returns the reason of the last decline from the timeline. */
function lastFailureCode(timeline: Timeline | null): string | null {
  const codes = (timeline?.entries ?? [])
    .filter(({ kind }) => kind.startsWith('attempt.'))
    .map(({ detail }) => detail['failureCode']);
  const code = codes.at(-1);
  return typeof code === 'string' ? code : null;
}
