import { proxyLocalActivities } from '@temporalio/workflow';
import type { AttemptActivities } from '../activities/attempts.ts';
import type { CaptureActivities } from '../activities/capture.ts';
import type { TransitionActivities } from '../activities/transitions.ts';

/**
 * Returns what a payment's workflow does within its own task: writes to PostgreSQL, and provider calls for as
 * long as their patience lasts. A provider call is begun once; a write is repeated until it is done.
 */
export function localActivities() {
  const { commitTransition, markUnknown, resumePayment, endCapture } = proxyLocalActivities<
    TransitionActivities & CaptureActivities
  >({
    startToCloseTimeout: '7 seconds',
    retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
  });
  const { authorize, confirmAttempt } = proxyLocalActivities<AttemptActivities>({
    // Above its patience, with room for the database; then what it began is waited for.
    startToCloseTimeout: '7 seconds',
    retry: { maximumAttempts: 1 },
  });
  return { commitTransition, markUnknown, resumePayment, endCapture, authorize, confirmAttempt };
}

export type LocalActivities = ReturnType<typeof localActivities>;
