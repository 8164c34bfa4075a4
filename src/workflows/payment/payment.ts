import {
  ApplicationFailure,
  CancellationScope,
  allHandlersFinished,
  condition,
  isCancellation,
  log,
  proxyLocalActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { TakeOverActivities } from '../../activities/take-over.ts';
import type { TransitionActivities } from '../../activities/transitions.ts';
import type { ProviderReport } from '../../activities/reports.ts';
import {
  type CheckoutCommand,
  type CheckoutEvent,
  type CheckoutState,
  checkoutStatus,
  decide,
  evolve,
  isClosed,
  openCheckout,
  resumeCheckout,
} from '../../domain/checkout.ts';
import { type RefusalCode, refusals } from '../../domain/refusals.ts';
import type { CheckoutStatus, PaymentStatus } from '../../domain/statuses.ts';
import { createAnnouncer } from '../webhook-dispatch.ts';
import { createDisplay } from '../operator-view.ts';
import {
  type AttemptResult,
  type CheckoutSnapshot,
  type PaymentWorkflowInput,
  abandonActionUpdate,
  advanceClockUpdate,
  confirmUpdate,
  operatorCloseCheckoutUpdate,
  operatorReconcileNowSignal,
  payUpdate,
  prepareCaptureUpdate,
  providerEventSignal,
  resumeFromRowsSignal,
  statusQuery,
} from '../../temporal/contract/payment.ts';
import { providerActivities } from '../provider-activities.ts';
import { type Answer, answerOf, attemptRow, writesRows } from './outcomes.ts';

/** How long an unknown outcome is asked for before an operator is told, while asking goes on. */
const attentionAfter = '15 minutes';

type Message =
  /** `flight`: the provider work it reports on; a report on an earlier one is stale. */
  | { type: 'command'; command: CheckoutCommand; card: ProviderReport['card']; flight?: number }
  | { type: 'endCapture' }
  /** The rows were written by somebody else: go on from them. */
  | { type: 'takeOver' };

const refusal = (code: RefusalCode): ApplicationFailure =>
  ApplicationFailure.nonRetryable(refusals[code].message, code);

/**
 * The life of one payment: one run, from creation until nothing can change any more.
 *
 * Update handlers take the fence (`state.flight`) before their first await and wait; the loop at the end is the only
 * place that settles anything: it decides, commits, then lets the new state be seen. Provider work runs beside the
 * loop and reports back through the inbox, so a deadline is seen while a charge is out.
 * Spec: States and transitions; architecture.md "The way of a request".
 */
export async function paymentWorkflow(
  input: PaymentWorkflowInput,
): Promise<{ paymentStatus: PaymentStatus; checkoutStatus: CheckoutStatus }> {
  const { taskQueue } = workflowInfo();
  const announcer = createAnnouncer(taskQueue);
  const showCheckout = createDisplay();
  const provider = providerActivities(taskQueue.replace(/payments$/, 'provider'));
  const { commitTransition } = proxyLocalActivities<TransitionActivities>({
    startToCloseTimeout: '7 seconds',
    retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
    summary: 'commit the transition',
  });
  const { takeOver } = proxyLocalActivities<TakeOverActivities>({
    startToCloseTimeout: '7 seconds',
    retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
    summary: 'take over what the rows hold',
  });

  // Before the handlers: what arrives meanwhile waits until the checkout is known.
  const taken = input.resume ? await takeOver({ paymentId: input.paymentId }) : null;
  let state = taken
    ? resumeCheckout(taken.checkout)
    : openCheckout({
        mode: input.mode,
        expiresAtMs: input.expiresAtMs,
        captureEndsAtMs: input.captureEndsAtMs,
      });
  let seq = taken?.seq ?? 0;
  let settledInRows = taken?.settled ?? false;
  /** Registered by this very run. What the rows of an earlier run promise is asked for again: it is the same access. */
  let captureKnown = false;
  /** Set before registering: a call that failed half way may have left a secret here or a session at the vault. */
  let captureToEnd = taken !== null;
  let registration: Promise<void> | null = null;
  let needsAttention = false;
  let effectsRunning = 0;
  let flights = 0;
  /** Number of the flight whose caller waits; one at a time, because the fence is one. */
  let waitingFlight = 0;
  const inbox: Message[] = [];
  const answers = new Map<number, Answer>();
  let timers = new CancellationScope();
  let resolver: CancellationScope | null = null;

  const snapshot = (): CheckoutSnapshot => ({
    status: checkoutStatus(state),
    terminalReason: state.terminalReason,
    attemptsLeft: state.attemptsLeft,
    expiresAtMs: state.expiresAtMs,
    captureEndsAtMs: state.captureEndsAtMs,
    seq,
  });

  const fold = (events: CheckoutEvent[]): CheckoutState => events.reduce(evolve, state);

  /** Throws the refusal a command meets now; used by validators, where it leaves no history. */
  const validate = (command: CheckoutCommand) => (): void => {
    const decision = decide(state, command, Date.now());
    if (!decision.ok) throw refusal(decision.code);
  };

  /** Decides again at the top of a handler and takes the fence at once. */
  const take = (command: CheckoutCommand): void => {
    const decision = decide(state, command, Date.now());
    if (!decision.ok) throw refusal(decision.code);
    state = fold(decision.events);
  };

  /** Starts provider work beside the loop; whatever goes wrong in it is an unknown outcome, never a verdict. */
  const startProviderWork = (attemptNo: number, work: () => Promise<ProviderReport>): void => {
    effectsRunning += 1;
    const flight = flights;
    const run = async (): Promise<void> => {
      let report: ProviderReport = { outcome: { status: 'unknown' }, card: null };
      try {
        report = await work();
      } catch (error) {
        if (isCancellation(error)) return;
        log.warn('provider work ended without an answer', { attemptNo });
      } finally {
        effectsRunning -= 1;
      }
      inbox.push({
        type: 'command',
        command: { type: 'settle', attemptNo, outcome: report.outcome },
        card: report.card,
        flight,
      });
    };
    // An operator's Cancel closes the checkout (below); it must never abandon a charge that is out.
    void CancellationScope.nonCancellable(run);
  };

  /** Asks the network until it knows. Retries of the waiting activity add nothing to history. */
  const startResolver = (attemptNo: number, close: boolean): void => {
    resolver?.cancel();
    const scope = new CancellationScope();
    resolver = scope;
    startProviderWork(attemptNo, () =>
      scope.run(async () => {
        void sleep(attentionAfter, { summary: 'tell an operator' }).then(
          () => {
            needsAttention = true;
            show();
          },
          () => undefined,
        );
        return provider.settleUntilKnown({ paymentId: input.paymentId, attemptNo, close });
      }),
    );
  };

  const answerTo = async (flightNo: number): Promise<AttemptResult> => {
    await condition(() => answers.has(flightNo));
    const answer = answers.get(flightNo);
    answers.delete(flightNo);
    if (!answer || 'refused' in answer) throw refusal(answer?.refused ?? 'service_unavailable');
    return answer;
  };

  /** Shared by confirm and abandonAction: fence, projection, provider call, answer. */
  const runOnAction = async (
    command: { type: 'confirm' } | { type: 'abandonAction' },
    work: (attemptNo: number) => Promise<ProviderReport>,
  ): Promise<number> => {
    take(command);
    flights += 1;
    const flight = flights;
    waitingFlight = flight;
    const attemptNo = state.attemptsStarted;
    startProviderWork(attemptNo, async () => {
      const written = await commit(state, null, false);
      return written ? work(attemptNo) : { outcome: { status: 'unknown' }, card: null };
    });
    return flight;
  };

  const confirm = (): Promise<number> =>
    runOnAction({ type: 'confirm' }, (attemptNo) =>
      provider.once.confirmAttempt({ paymentId: input.paymentId, attemptNo }),
    );

  const moveDeadlines = (byMs: number): CheckoutCommand => ({
    type: 'moveDeadlines',
    expiresAtMs: state.expiresAtMs - byMs,
    captureEndsAtMs: state.captureEndsAtMs - byMs,
  });

  /** Looks once, at once, beside whatever waits. */
  const reconcileNow = (): void => {
    if (state.flight?.certainty !== 'unknown') return;
    const { attemptNo, kind } = state.flight;
    startProviderWork(attemptNo, () =>
      provider.once.settleAttempt({ paymentId: input.paymentId, attemptNo, close: kind === 'closing' }),
    );
  };

  /** Shows operators where the payment stands. */
  const show = (): void => showCheckout(state, needsAttention);

  /**
   * Writes a state to the rows under the next sequence number. False: somebody else wrote them meanwhile (this run was
   * reset, or a lost workflow task had decided otherwise), nothing was written, and what they hold is taken over next.
   */
  const commit = async (
    next: CheckoutState,
    settled: { event: CheckoutEvent; card: ProviderReport['card'] } | null,
    announce: boolean,
  ): Promise<boolean> => {
    seq += 1;
    const settles = isClosed(next) && next.flight === null;
    const { eventId, superseded } = await commitTransition({
      paymentId: input.paymentId,
      seq,
      at: Date.now(),
      paymentStatus: next.paymentStatus,
      checkoutStatus: checkoutStatus(next),
      terminalReason: next.terminalReason,
      attemptsLeft: next.attemptsLeft,
      method: next.method,
      failure: next.failure,
      attempt: settled ? attemptRow(settled.event, settled.card) : null,
      announce,
      settled: settles,
      deadlines: { expiresAtMs: next.expiresAtMs, captureEndsAtMs: next.captureEndsAtMs },
    });
    announcer.announce(eventId);
    if (superseded) inbox.unshift({ type: 'takeOver' });
    else if (settles) settledInRows = true;
    return !superseded;
  };

  /** Goes on from the rows; whoever waits for an attempt is told to read the status. */
  const resumeFromRows = async (): Promise<void> => {
    const rows = await takeOver({ paymentId: input.paymentId });
    state = resumeCheckout(rows.checkout);
    seq = Math.max(seq, rows.seq);
    settledInRows = rows.settled;
    captureKnown = false;
    captureToEnd = true;
    // What is still on its way reports on a flight of the past.
    flights += 1;
    if (waitingFlight > 0) answers.set(waitingFlight, { refused: 'service_unavailable' });
    waitingFlight = 0;
    resolver?.cancel();
    resolver = null;
    timers.cancel();
    show();
    if (state.flight) startResolver(state.flight.attemptNo, state.flight.kind === 'closing');
  };

  /** Ends capture access at the vault beside the loop: a vault that is away must not hold up anything else. */
  const endCapture = (): void => {
    if (!captureToEnd) return;
    captureKnown = false;
    captureToEnd = false;
    effectsRunning += 1;
    void provider.untilDone
      .endCapture({ paymentId: input.paymentId })
      .catch(() => log.warn('capture access was not ended at the vault'))
      .finally(() => {
        effectsRunning -= 1;
      });
  };

  const watchDeadlines = async (): Promise<void> => {
    while (!isClosed(state)) {
      try {
        await timers.run(async () => {
          if (state.mode === 'custom' && !state.captureRevoked && Date.now() < state.captureEndsAtMs) {
            await sleep(state.captureEndsAtMs - Date.now(), { summary: 'capture access ends' });
            inbox.push({ type: 'endCapture' });
          }
          await sleep(Math.max(1, state.expiresAtMs - Date.now()), { summary: 'checkout deadline' });
          inbox.push({ type: 'command', command: { type: 'reachDeadline' }, card: null });
          await condition(() => isClosed(state));
        });
      } catch (error) {
        // The deadlines moved, or the checkout closed: look again.
        if (!isCancellation(error)) throw error;
        timers = new CancellationScope();
      }
    }
  };

  /** One message: decide, commit, and only then let the new state be seen. */
  const handle = async (message: Message): Promise<void> => {
    if (message.type === 'endCapture') return endCapture();
    if (message.type === 'takeOver') return resumeFromRows();
    const { command, card, flight: reportedFlight } = message;
    // An answer to earlier work must not end what runs now: a slow look-up would hide the confirmation's success.
    if (reportedFlight !== undefined && reportedFlight !== flights) return;
    const decision = decide(state, command, Date.now());
    if (!decision.ok || decision.events.length === 0) return;
    const { events } = decision;
    const [event] = events;
    if (!event) return;
    if (writesRows(event)) {
      if (!(await commit(fold(events), { event, card }, event.type !== 'DeadlineReached'))) return;
    }
    state = fold(events);
    // The accepted card ended capture access, at the vault and in the rows.
    if (state.mode === 'custom' && writesRows(event) && attemptRow(event, card)) {
      captureKnown = false;
      // A released or voided attempt may have ended before the rows or the vault heard of it.
      if (event.type !== 'AttemptReleased' && event.type !== 'AttemptVoided') captureToEnd = false;
    }
    show();
    const answer = answerOf(event, state);
    if (answer && waitingFlight > 0) {
      answers.set(waitingFlight, answer);
      waitingFlight = 0;
    }
    const flight: CheckoutState['flight'] = state.flight;
    if (flight === null) {
      resolver?.cancel();
      resolver = null;
      needsAttention = false;
    }
    for (const { type } of events) {
      if (type === 'OutcomeBecameUnknown' && flight)
        startResolver(flight.attemptNo, flight.kind === 'closing');
      if (type === 'ClosingStarted' && flight) startResolver(flight.attemptNo, true);
      if (type === 'DeadlinesMoved') timers.cancel();
    }
  };

  // Handlers last: an update that came with the first task runs the moment its handler is set.

  setHandler(statusQuery, snapshot, {
    description: 'Checkout status, attempts left and deadlines as of now (epoch ms).',
  });

  setHandler(
    prepareCaptureUpdate,
    async () => {
      take({ type: 'prepareCapture' });
      if (captureKnown) return;
      captureToEnd = true;
      // Two prepares share one registration; a failed one may be tried again by the next call.
      registration ??= provider.once.registerCapture({ paymentId: input.paymentId }).then(
        () => {
          captureKnown = true;
        },
        () => {
          registration = null;
        },
      );
      await registration;
      if (!captureKnown) throw refusal('service_unavailable');
      // Registering took time: the window or a pay may have ended the access meanwhile.
      take({ type: 'prepareCapture' });
    },
    {
      validator: validate({ type: 'prepareCapture' }),
      description: 'Prepares card capture at the vault. Charges nothing.',
    },
  );

  setHandler(
    payUpdate,
    async ({ inputId, method }) => {
      take({ type: 'pay', method });
      flights += 1;
      const flight = flights;
      waitingFlight = flight;
      seq += 1;
      const recordSeq = seq;
      const attemptNo = state.attemptsStarted;
      show();
      startProviderWork(attemptNo, () =>
        provider.once.authorize({ paymentId: input.paymentId, attemptNo, inputId, seq: recordSeq }),
      );
      return answerTo(flight);
    },
    {
      validator: ({ method }) => validate({ type: 'pay', method })(),
      description: 'Starts one attempt with a stored card token or method.',
    },
  );

  setHandler(confirmUpdate, async () => answerTo(await confirm()), {
    validator: validate({ type: 'confirm' }),
    description: "Confirms the current action after the customer's step.",
  });

  setHandler(
    abandonActionUpdate,
    async () => {
      const flight = await runOnAction({ type: 'abandonAction' }, (attemptNo) =>
        provider.once.settleAttempt({ paymentId: input.paymentId, attemptNo, close: true }),
      );
      return answerTo(flight);
    },
    {
      validator: validate({ type: 'abandonAction' }),
      description: 'Gives up the current action; the attempt is voided at the network.',
    },
  );

  setHandler(
    advanceClockUpdate,
    async ({ bySeconds }) => {
      const command = moveDeadlines(bySeconds * 1000);
      if (command.type !== 'moveDeadlines') throw refusal('service_unavailable');
      inbox.push({ type: 'command', command, card: null });
      await condition(() => state.expiresAtMs <= command.expiresAtMs || isClosed(state));
      return { expiresAtMs: state.expiresAtMs, captureEndsAtMs: state.captureEndsAtMs };
    },
    {
      validator: ({ bySeconds }) => validate(moveDeadlines(bySeconds * 1000))(),
      description: 'Sandbox: moves both deadlines nearer.',
    },
  );

  setHandler(
    operatorCloseCheckoutUpdate,
    async () => {
      const byMs = Math.max(0, state.expiresAtMs - Date.now());
      inbox.push({ type: 'command', command: moveDeadlines(byMs), card: null });
      await condition(() => isClosed(state));
      return snapshot();
    },
    {
      validator: () => validate(moveDeadlines(0))(),
      description:
        'Operator: closes the checkout now, as its deadline would. A running attempt is still settled.',
    },
  );

  setHandler(resumeFromRowsSignal, () => void inbox.unshift({ type: 'takeOver' }), {
    description: 'Sweeper: another run wrote the rows before this one; go on from them.',
  });

  setHandler(operatorReconcileNowSignal, reconcileNow, {
    description: 'Operator: ask the network now about an unknown outcome.',
  });

  setHandler(
    providerEventSignal,
    ({ mayConfirm }) => {
      reconcileNow();
      if (!mayConfirm || !decide(state, { type: 'confirm' }, Date.now()).ok) return;
      void confirm();
    },
    { description: 'The network says that something changed; it is read again.' },
  );

  const live = async (): Promise<void> => {
    timers = new CancellationScope();
    show();
    // Only what a lost run left behind: a pay that came with the first task is on its way already.
    if (state.flight?.certainty === 'unknown')
      startResolver(state.flight.attemptNo, state.flight.kind === 'closing');
    void watchDeadlines();
    for (;;) {
      await condition(() => inbox.length > 0 || (isClosed(state) && !state.flight && effectsRunning === 0));
      const message = inbox.shift();
      if (message) await handle(message);
      // An attempt released after the deadline changes no row by itself, but nothing can follow it either.
      else if (!settledInRows) await commit(state, null, false);
      else if (captureToEnd) endCapture();
      else break;
    }
    timers.cancel();
    await condition(allHandlersFinished);
    await announcer.handedOver();
  };

  // Cancel in the Temporal UI means what `operatorCloseCheckout` means.
  CancellationScope.current().cancelRequested.catch(() => {
    const byMs = Math.max(0, state.expiresAtMs - Date.now());
    inbox.push({ type: 'command', command: moveDeadlines(byMs), card: null });
  });
  await CancellationScope.nonCancellable(live);
  return { paymentStatus: state.paymentStatus, checkoutStatus: checkoutStatus(state) };
}
