import { CancellationScope, condition, isCancellation, log, patched, sleep } from '@temporalio/workflow';
import type { AttemptReport } from '../../activities/attempt-report.ts';
import type { AttemptResult } from '../../temporal/contract/payment.ts';
import { withOperatorAlert } from '../operator-alert.ts';
import type { ProviderActivities } from '../provider-activities.ts';
import type { Answer } from './outcomes.ts';
import { type Message, type PaymentRun, refusal } from './run.ts';

/** The report of an unknown outcome, which only a query to the network resolves. */
export const unknownReport: AttemptReport = { outcome: { status: 'unknown' }, card: null };

/**
 * Runs work at the vault and the network beside the loop. The work reports through the run's inbox, so that a
 * deadline is noticed while a charge is in transit. Work for a caller that waits is a call. Calls are
 * numbered, and at most one caller waits at a time, because there is one fence.
 */
export class ProviderWork {
  readonly #run: PaymentRun;
  readonly #provider: ProviderActivities;
  readonly #alert: (needsAttention: boolean) => void;
  readonly #answers = new Map<number, Answer>();
  /** The number of works in progress, with or without a caller that waits. */
  #running = 0;
  /** The number of the newest call; 0: none was made. */
  #callNo = 0;
  /** The number of the call whose caller waits; 0: no caller waits. */
  #waitingCallNo = 0;
  #resolver: CancellationScope | null = null;
  /** An answer of the network contradicted the request, and no outcome has arrived since. */
  #contradicted = false;

  /**
   * `alert`: called with true when an outcome is late or the network's answer contradicts the request, with
   * false when the outcome is known.
   */
  constructor(run: PaymentRun, provider: ProviderActivities, alert: (needsAttention: boolean) => void) {
    this.#run = run;
    this.#provider = provider;
    this.#alert = alert;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Starts work whose caller waits. Returns the number of the call. */
  startCall(attemptNo: number, work: () => Promise<AttemptReport>): number {
    this.#callNo += 1;
    this.#waitingCallNo = this.#callNo;
    this.#start(attemptNo, work);
    return this.#callNo;
  }

  /** Returns the answer to a call, once there is one. Throws the refusal if the answer is one. */
  async awaitAnswer(callNo: number): Promise<AttemptResult> {
    await condition(() => this.#answers.has(callNo));
    const answer = this.#answers.get(callNo);
    this.#answers.delete(callNo);
    if (!answer || 'refused' in answer) throw refusal(answer?.refused ?? 'service_unavailable');
    return answer;
  }

  /** Answers the waiting caller, if there is one. */
  answerCaller(answer: Answer | null): void {
    if (answer === null || this.#waitingCallNo === 0) return;
    this.#answers.set(this.#waitingCallNo, answer);
    this.#waitingCallNo = 0;
  }

  /**
   * Returns whether a report is from work that began before the newest call. It must not decide that call:
   * the report of a slow query would hide the success of a confirmation.
   */
  isStale(callNo: number | undefined): boolean {
    return callNo !== undefined && callNo !== this.#callNo;
  }

  /**
   * Queries the network until the outcome is known. The activity's retries add nothing to the history.
   * `alerted`: the network's answer contradicted the request already, and operators were alerted.
   */
  resolve(attemptNo: number, close: boolean, alerted = false): void {
    this.stopResolving();
    const scope = new CancellationScope();
    this.#resolver = scope;
    if (alerted) this.#contradicted = true;
    this.#start(attemptNo, () =>
      scope.run(() =>
        withOperatorAlert(
          () => this.#untilKnown(attemptNo, close, alerted),
          // Once raised for a contradiction, only an outcome removes the mark.
          (needsAttention) => this.#alert(needsAttention || this.#contradicted),
        ),
      ),
    );
  }

  /**
   * Returns the report of a known outcome. A contradiction is recorded at once, which alerts operators, and
   * the query continues, because a later answer may decide.
   */
  async #untilKnown(attemptNo: number, close: boolean, alerted: boolean): Promise<AttemptReport> {
    const { paymentId } = this.#run;
    const query = (isAlerted: boolean): Promise<AttemptReport> =>
      untilReported(() =>
        this.#provider.resolveUntilKnown({ paymentId, attemptNo, close, alerted: isAlerted }),
      );
    const report = await query(alerted);
    if (report.outcome.status !== 'unknown' || !report.suspicious) return report;
    // Runs of earlier versions stopped here.
    if (!patched('query-after-contradiction')) return report;
    this.#noteContradiction(report);
    return query(true);
  }

  /** Cancels the query that `resolve` started, if it has not ended. */
  stopResolving(): void {
    this.#resolver?.cancel();
    this.#resolver = null;
  }

  /** Queries the network once, now, beside the retried query of `resolve`. */
  queryNow(): void {
    const { flight } = this.#run.state;
    if (flight?.certainty !== 'unknown') return;
    const { attemptNo, kind } = flight;
    this.#start(attemptNo, () =>
      this.#provider.once.resolveAttempt({
        paymentId: this.#run.paymentId,
        attemptNo,
        close: kind === 'closing',
        alerted: false,
      }),
    );
  }

  /** Fails the waiting caller with 503 (poll status). Late reports are ignored. */
  abandon(): void {
    this.answerCaller({ refused: 'service_unavailable' });
    this.#callNo += 1;
    this.stopResolving();
  }

  /** Runs work that reports nothing, beside the loop. The workflow does not end before this work. */
  runInBackground(work: () => Promise<void>): void {
    this.#running += 1;
    void work().finally(() => {
      this.#running -= 1;
    });
  }

  /** Marks the payment for operators when a report contradicts the request, until an outcome is known. */
  #noteContradiction({ outcome, suspicious }: AttemptReport): void {
    if (suspicious) {
      this.#contradicted = true;
      this.#alert(true);
    } else if (this.#contradicted && outcome.status !== 'unknown') {
      this.#contradicted = false;
      // Runs of earlier versions kept the mark.
      if (patched('query-after-contradiction')) this.#alert(false);
    }
  }

  /** Starts work and posts its report to the inbox. Work that fails reports an unknown outcome. */
  #start(attemptNo: number, work: () => Promise<AttemptReport>): void {
    this.#running += 1;
    const callNo = this.#callNo;
    const run = async (): Promise<void> => {
      let report = unknownReport;
      try {
        report = await work();
      } catch (error) {
        if (isCancellation(error)) return;
        log.warn('provider work ended without an answer', { attemptNo });
      } finally {
        this.#running -= 1;
      }
      const { outcome, card, committedTransition } = report;
      this.#noteContradiction(report);
      const command = { type: 'resolve', attemptNo, outcome } as const;
      const message: Message = { type: 'command', command, card, callNo };
      // A transition that was committed is applied before anything else is decided.
      if (committedTransition) this.#run.inbox.unshift({ ...message, committedTransition });
      else this.#run.inbox.push(message);
    };
    // An operator's Cancel closes the checkout. It must never abandon a charge that is in transit.
    void CancellationScope.nonCancellable(run);
  }
}

/** Pause before the network is queried again after an operator ended the activity by hand, in ms. */
const queryAgainMs = 30_000;

/**
 * Returns the first report. Failing the activity by hand, or completing it without the payload keys, only
 * delays the report.
 */
async function untilReported(call: () => Promise<AttemptReport>): Promise<AttemptReport> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (isCancellation(error)) throw error;
      log.warn('a query to the network was ended by hand');
      await sleep(queryAgainMs);
    }
  }
}
