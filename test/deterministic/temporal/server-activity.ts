import proto from '@temporalio/proto';
import type { Planned, Scheduler } from '../scheduler.ts';
import {
  type Command,
  type Failure,
  type Resolution,
  activityFailure,
  msOf,
  timeoutFailure,
  timeouts,
} from './protocol.ts';
import type { Run } from './run.ts';

type Scheduled = NonNullable<Command['scheduleActivity']>;

const retryStates = proto.temporal.api.enums.v1.RetryState;

/** Returns the delay before the next try after a failure; null when there is none. */
export function retryAfterMs(
  policy: Scheduled['retryPolicy'],
  attempt: number,
  failure: Failure | null | undefined,
): number | null {
  const maxAttempts = policy?.maximumAttempts ?? 0;
  const info = failure?.applicationFailureInfo;
  if (info?.nonRetryable || (maxAttempts > 0 && attempt >= maxAttempts)) return null;
  const asked = msOf(info?.nextRetryDelay);
  if (asked !== null && asked > 0) return asked;
  const initialMs = msOf(policy?.initialInterval) ?? 1_000;
  const longestMs = msOf(policy?.maximumInterval) ?? initialMs * 100;
  return Math.min(longestMs, initialMs * (policy?.backoffCoefficient || 2) ** (attempt - 1));
}

/** An activity of a run, as the server stores it: its tries and their time-outs. */
export class ServerActivity {
  readonly order: Scheduled;
  readonly #run: Run;
  readonly #scheduler: Scheduler;
  readonly #offer: (activity: ServerActivity) => void;
  readonly #onEnd: (result: Resolution) => void;
  attempt = 0;
  /** The try that may report. Reports of other tries are ignored. */
  token = 0;
  isOver = false;
  isCancelled = false;
  #timers: Planned[] = [];
  #silence: Planned | null = null;

  constructor(
    run: Run,
    order: Scheduled,
    parts: {
      scheduler: Scheduler;
      /** Offers the next try to a worker. */
      offer: (activity: ServerActivity) => void;
      onEnd: (result: Resolution) => void;
    },
  ) {
    this.#run = run;
    this.order = order;
    this.#scheduler = parts.scheduler;
    this.#offer = parts.offer;
    this.#onEnd = parts.onEnd;
    this.#next();
  }

  get run(): Run {
    return this.#run;
  }

  /** Starts the time-outs when a worker has the activity. Returns the token of this try. */
  started(): number {
    const { token } = this;
    this.#stopTimers();
    const { order } = this;
    const closeMs = msOf(order.startToCloseTimeout);
    if (closeMs) {
      this.#timers.push(
        this.#scheduler.outside(closeMs, null, () =>
          this.failed(token, timeoutFailure(timeouts.TIMEOUT_TYPE_START_TO_CLOSE)),
        ),
      );
    }
    this.heartbeat(token);
    return token;
  }

  /** Returns whether the try should continue. */
  heartbeat(token: number): boolean {
    if (token !== this.token || this.isOver || this.isCancelled) return false;
    const ms = msOf(this.order.heartbeatTimeout);
    if (ms) {
      this.#silence?.cancel();
      this.#silence = this.#scheduler.outside(ms, null, () =>
        this.failed(token, timeoutFailure(timeouts.TIMEOUT_TYPE_HEARTBEAT)),
      );
    }
    return true;
  }

  ended(token: number, result: Resolution): void {
    if (token !== this.token || this.isOver) return;
    if (result.failed) return this.failed(token, result.failed.failure ?? {});
    this.#end(result);
  }

  failed(token: number, failure: Failure): void {
    if (token !== this.token || this.isOver) return;
    const waitMs = this.isCancelled ? null : retryAfterMs(this.order.retryPolicy, this.attempt, failure);
    if (waitMs === null) {
      const { activityId, activityType } = this.order;
      const wrapped = activityFailure(activityId ?? '', activityType ?? '', failure);
      const retryState = retryStates.RETRY_STATE_MAXIMUM_ATTEMPTS_REACHED;
      this.#end({
        failed: {
          failure: { ...wrapped, activityFailureInfo: { ...wrapped.activityFailureInfo, retryState } },
        },
      });
      return;
    }
    this.token += 1;
    this.#stopTimers();
    this.#timers.push(this.#scheduler.outside(waitMs, null, () => this.#next()));
  }

  /** Ends the activity, because no run waits for it any more. */
  abandon(): void {
    this.isOver = true;
    this.#stopTimers();
  }

  #next(): void {
    if (this.isOver) return;
    this.attempt += 1;
    this.token += 1;
    this.#offer(this);
  }

  #end(result: Resolution): void {
    this.isOver = true;
    this.#stopTimers();
    this.#onEnd(result);
  }

  #stopTimers(): void {
    for (const timer of this.#timers.splice(0)) timer.cancel();
    this.#silence?.cancel();
  }
}
