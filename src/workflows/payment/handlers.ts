import { condition, isCancellation, setHandler } from '@temporalio/workflow';
import type { AttemptReport } from '../../activities/attempt-report.ts';
import type { ShortCall } from '../../activities/attempts.ts';
import { decide } from '../../domain/checkout.ts';
import {
  abandonActionUpdate,
  advanceClockUpdate,
  confirmUpdate,
  operatorCloseCheckoutUpdate,
  operatorReconcileNowSignal,
  payUpdate,
  providerEventSignal,
  resumePaymentSignal,
  statusQuery,
} from '../../temporal/contract/payment.ts';
import type { ProviderActivities } from '../provider-activities.ts';
import type { PaymentParts } from './loop.ts';
import { unknownReport } from './provider-work.ts';
import type { DelegatedCommit } from './run.ts';

/**
 * Sets the handlers for merchants, customers, the network and the sandbox. Each update takes the fence before
 * its first await and then waits for the loop. Must be called last, because an update that arrived with the
 * first workflow task runs as soon as its handler is set.
 */
export function setCallerHandlers(parts: PaymentParts, provider: ProviderActivities): void {
  const { run, work, local, commit, show } = parts;
  const { paymentId } = run;

  /** Takes the fence, then commits it and calls the provider. Returns the number of the call. */
  const startOnAction = (
    command: { type: 'confirm' } | { type: 'abandonAction' },
    call: (attemptNo: number) => Promise<AttemptReport>,
  ): number => {
    run.take(command);
    const attemptNo = run.state.attemptsStarted;
    return work.startCall(attemptNo, async () =>
      (await commit(run.state, null, false)) === 'written' ? call(attemptNo) : unknownReport,
    );
  };

  /** Makes a short call with the delegated commit. Another activity awaits a call that is slow or lost. */
  const callAndWait = async (
    attemptNo: number,
    delegated: DelegatedCommit,
    call: (input: ShortCall) => Promise<AttemptReport | 'running'>,
  ): Promise<AttemptReport> => {
    const attempt = { paymentId, attemptNo };
    const begun = await call({ ...attempt, ...delegated })
      .catch((error: unknown) => {
        if (isCancellation(error)) throw error;
        return 'running' as const;
      })
      .finally(() => (run.commitDelegated = false));
    return begun === 'running' ? provider.once.awaitAttempt(attempt) : begun;
  };

  const startConfirming = (): number =>
    startOnAction({ type: 'confirm' }, (attemptNo) =>
      callAndWait(attemptNo, run.delegateCommit(), (input) => local.confirmAttempt(input)),
    );

  setHandler(statusQuery, () => run.snapshot(), {
    description: 'Checkout status, attempts left and deadlines as of now (epoch ms).',
  });

  setHandler(
    payUpdate,
    async ({ attemptNo, method }) => {
      run.take({ type: 'pay', method, attemptNo });
      const delegated = run.delegateCommit();
      const callNo = work.startCall(attemptNo, () =>
        callAndWait(attemptNo, delegated, (input) => local.authorize(input)),
      );
      show();
      return work.awaitAnswer(callNo);
    },
    {
      validator: ({ attemptNo, method }) => run.check({ type: 'pay', method, attemptNo }),
      description: 'Makes the attempt that is reserved in the rows.',
    },
  );

  setHandler(confirmUpdate, async () => work.awaitAnswer(startConfirming()), {
    validator: () => run.check({ type: 'confirm' }),
    description: "Confirms the current action after the customer's step.",
  });

  setHandler(
    abandonActionUpdate,
    async () =>
      work.awaitAnswer(
        startOnAction({ type: 'abandonAction' }, (attemptNo) =>
          provider.once.resolveAttempt({ paymentId, attemptNo, close: true, alerted: false }),
        ),
      ),
    {
      validator: () => run.check({ type: 'abandonAction' }),
      description: 'Gives up the current action; the attempt is voided at the network.',
    },
  );

  setHandler(
    providerEventSignal,
    ({ mayConfirm }) => {
      work.queryNow();
      if (mayConfirm && decide(run.state, { type: 'confirm' }, run.now()).ok) startConfirming();
    },
    { description: 'The network reported a change; it is read again.' },
  );

  setHandler(
    advanceClockUpdate,
    async ({ bySeconds }) => {
      const command = run.nearerDeadlines(bySeconds * 1000);
      run.post(command);
      await condition(() => run.state.expiresAtMs <= command.expiresAtMs || run.isClosed);
      return { expiresAtMs: run.state.expiresAtMs, captureEndsAtMs: run.state.captureEndsAtMs };
    },
    {
      validator: ({ bySeconds }) => run.check(run.nearerDeadlines(bySeconds * 1000)),
      description: 'Sandbox: moves both deadlines nearer.',
    },
  );
}

/** Sets the handlers for operators and the sweep. */
export function setOperatorHandlers({ run, work }: PaymentParts): void {
  setHandler(
    operatorCloseCheckoutUpdate,
    async () => {
      run.close();
      await condition(() => run.isClosed);
      return run.snapshot();
    },
    {
      validator: () => run.check(run.nearerDeadlines(0)),
      description:
        'Operator: closes the checkout now, as its deadline would. A running attempt is still resolved.',
    },
  );

  setHandler(operatorReconcileNowSignal, () => work.queryNow(), {
    description: 'Operator: queries the network now about an unknown outcome.',
  });

  setHandler(resumePaymentSignal, () => void run.inbox.unshift({ type: 'resume' }), {
    description: 'Sweep: another run wrote the rows before this one; resumes from them.',
  });
}
