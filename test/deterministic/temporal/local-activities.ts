import { paymentIdOf } from '../../../src/temporal/contract/ids.ts';
import { type Scheduler, runningProcess } from '../scheduler.ts';
import { runForPayment, stallBeforeActivity } from '../stalls.ts';
import type { CachedRun, LocalOrder } from './play-task.ts';
import { type LocalResult, type Resolution, msOf, timeoutFailure, timeouts } from './protocol.ts';
import { type ActivityHost, beginActivity } from './run-activity.ts';
import { retryAfterMs } from './server-activity.ts';

/** The local activities of a run in one worker. Each is started once, with its retries. */
export class LocalActivities {
  readonly #host: ActivityHost;
  readonly #scheduler: Scheduler;
  readonly #taskQueue: string;
  readonly #begun = new Set<number>();
  readonly #ended: LocalResult[] = [];
  #wake: () => void = () => undefined;

  constructor(host: ActivityHost, scheduler: Scheduler, { taskQueue }: { taskQueue: string }) {
    this.#host = host;
    this.#scheduler = scheduler;
    this.#taskQueue = taskQueue;
  }

  /** Returns the next local activity that ends; null when none ended in time. */
  async next(run: CachedRun, untilMs: number): Promise<LocalResult | null> {
    for (const [seq, order] of run.local) {
      if (this.#begun.has(seq)) continue;
      this.#begun.add(seq);
      void this.#run(run, seq, order);
    }
    while (this.#ended.length === 0) {
      if (this.#scheduler.nowMs >= untilMs) return null;
      await new Promise<void>((resolve) => {
        const timer = this.#scheduler.after(untilMs - this.#scheduler.nowMs, null, resolve);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    return this.#ended.shift() ?? null;
  }

  async #run(run: CachedRun, seq: number, order: LocalOrder): Promise<void> {
    const beganAtMs = this.#scheduler.nowMs;
    const giveUpMs = msOf(order.scheduleToCloseTimeout);
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#try(run, order, attempt);
      const { failed } = result;
      const waitMs = failed ? retryAfterMs(order.retryPolicy, attempt, failed.failure) : null;
      const isLate =
        giveUpMs !== null && giveUpMs > 0 && this.#scheduler.nowMs + (waitMs ?? 0) - beganAtMs >= giveUpMs;
      if (waitMs === null || isLate) {
        this.#ended.push({ seq, result: wrapped(order, result), atMs: this.#scheduler.nowMs });
        this.#wake();
        return;
      }
      await this.#scheduler.pause(waitMs, waitMs);
    }
  }

  async #try(run: CachedRun, order: LocalOrder, attempt: number): Promise<Resolution> {
    const closeMs = msOf(order.startToCloseTimeout) ?? 10_000;
    const { workflowId } = run.instance.start;
    const owner = runningProcess();
    const paymentId = paymentIdOf(workflowId);
    await stallBeforeActivity(order.activityType ?? '', paymentId, owner, this.#scheduler);
    const ordered = {
      run: run.instance.start,
      activityId: order.activityId ?? '',
      type: order.activityType ?? '',
      taskQueue: this.#taskQueue,
      input: order.arguments ?? [],
      attempt,
      isLocal: true,
      heartbeatMs: null,
      startToCloseMs: closeMs,
    };
    const running = runForPayment(paymentId, () =>
      beginActivity(this.#host, ordered, this.#scheduler.nowMs, () => undefined),
    );
    return new Promise((resolve) => {
      const timer = this.#scheduler.after(closeMs, null, () => {
        running.cancel();
        resolve({ failed: { failure: timeoutFailure(timeouts.TIMEOUT_TYPE_START_TO_CLOSE) } });
      });
      void running.ended.then((result) => {
        timer.cancel();
        resolve(result);
      });
    });
  }
}

function wrapped(order: LocalOrder, result: Resolution): Resolution {
  if (!result.failed) return result;
  const { activityId, activityType } = order;
  return {
    failed: {
      failure: {
        message: 'Activity task failed',
        activityFailureInfo: { activityId: activityId ?? '', activityType: { name: activityType ?? '' } },
        cause: result.failed.failure ?? {},
      },
    },
  };
}
