import { proxyLocalActivities } from '@temporalio/workflow';
import type { AttemptActivities } from '../activities/attempts.ts';
import type { CaptureActivities } from '../activities/capture.ts';
import type { TransitionActivities } from '../activities/transitions.ts';

const untilDone = {
  startToCloseTimeout: '7 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
} as const;

/**
 * Returns the local activities of a payment's workflow: writes to PostgreSQL, and provider calls, which
 * return `running` when they take long. A provider call is started once. A write is retried until it
 * succeeds, except `tryTransition`, which fails after 8 s. `outstanding` counts those that have not ended.
 */
export function localActivities() {
  const { commitTransition, markUnknown, resumePayment, endCapture } = proxyLocalActivities<
    TransitionActivities & CaptureActivities
  >(untilDone);
  const { commitTransition: tryTransition } = proxyLocalActivities<TransitionActivities>({
    ...untilDone,
    scheduleToCloseTimeout: '8 seconds',
  });
  const { authorize, confirmAttempt } = proxyLocalActivities<AttemptActivities>({
    // Longer than the activity waits for a provider call, with room for the database. After that,
    // `awaitAttempt` waits for the call.
    startToCloseTimeout: '7 seconds',
    retry: { maximumAttempts: 1 },
  });
  const outstanding = new Outstanding();
  return {
    commitTransition: outstanding.count(commitTransition),
    tryTransition: outstanding.count(tryTransition),
    markUnknown: outstanding.count(markUnknown),
    resumePayment: outstanding.count(resumePayment),
    endCapture: outstanding.count(endCapture),
    authorize: outstanding.count(authorize),
    confirmAttempt: outstanding.count(confirmAttempt),
    outstanding,
  };
}

export type LocalActivities = ReturnType<typeof localActivities>;

/** Counts the local activities that have not ended. */
class Outstanding {
  #count = 0;

  get none(): boolean {
    return this.#count === 0;
  }

  count<Args extends unknown[], T>(activity: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
    return async (...args) => {
      this.#count += 1;
      try {
        return await activity(...args);
      } finally {
        this.#count -= 1;
      }
    };
  }
}
