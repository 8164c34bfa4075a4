import { CancellationScope, condition, isCancellation, patched, sleep } from '@temporalio/workflow';
import type { LocalActivities } from '../local-activities.ts';
import type { PaymentRun } from './run.ts';

/**
 * Waits for the end of capture access and for the checkout deadline. It has one durable timer at a time, and
 * none while the run is busy, because the run's work may make the timer unnecessary (ADR 0030).
 */
export class Deadlines {
  readonly #run: PaymentRun;
  readonly #local: Pick<LocalActivities, 'outstanding'>;
  #timers = new CancellationScope();
  #captureEnded = false;
  #isWatching = false;

  constructor(run: PaymentRun, local: Pick<LocalActivities, 'outstanding'>) {
    this.#run = run;
    this.#local = local;
  }

  /** Posts each deadline to the run's inbox as it passes, until the checkout is closed. */
  async watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    while (!this.#run.isClosed) {
      try {
        await this.#timers.run(() => this.#waitForAll());
      } catch (error) {
        // The deadlines moved, or the checkout closed: read them again.
        if (!isCancellation(error)) throw error;
        this.#timers = new CancellationScope();
      }
    }
    this.#isWatching = false;
  }

  /** Cancels the timers. While the checkout is open, `watch` then reads the deadlines again. */
  reset(): void {
    this.#timers.cancel();
  }

  /**
   * Watches the deadlines of a state that was read again: a checkout that this run had closed may be open.
   */
  resume(): void {
    this.reset();
    // Runs of earlier versions did not watch the deadlines again.
    if (!this.#isWatching && !this.#run.isClosed && patched('watch-after-resume')) void this.watch();
  }

  /**
   * Waits for each deadline in turn and posts it. Rejects with a cancellation when the timers are canceled.
   */
  async #waitForAll(): Promise<void> {
    const run = this.#run;
    if (!(await this.#isOpenAtRest())) return;
    const { mode, captureRevoked, captureEndsAtMs, expiresAtMs } = run.state;
    if (mode === 'custom' && !captureRevoked && !this.#captureEnded) {
      const leftMs = captureEndsAtMs - run.now();
      if (leftMs > 0) await sleep(leftMs, { summary: 'capture access ends' });
      run.reached(captureEndsAtMs);
      this.#captureEnded = true;
      run.inbox.push({ type: 'captureWindowEnded' });
      if (!(await this.#isOpenAtRest())) return;
    }
    await sleep(Math.max(1, expiresAtMs - run.now()), { summary: 'checkout deadline' });
    run.reached(expiresAtMs);
    run.post({ type: 'reachDeadline' });
    await condition(() => run.isClosed);
  }

  /** Waits until the run is at rest. Returns false when the checkout is closed by then. */
  async #isOpenAtRest(): Promise<boolean> {
    const { inbox } = this.#run;
    await condition(() => this.#local.outstanding.none && !this.#run.busy && inbox.length === 0);
    return !this.#run.isClosed;
  }
}
