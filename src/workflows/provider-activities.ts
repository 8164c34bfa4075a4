import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { AttemptActivities } from '../activities/attempts.ts';
import type { CaptureActivities } from '../activities/capture.ts';
import { siblingQueue } from '../temporal/contract/ids.ts';

/**
 * Returns a payment's activities at vault and network: those of `once` are tried once, those of `untilDone`
 * until they succeed. `workflowQueue`: the queue on which the workflow runs.
 */
export function providerActivities(workflowQueue: string) {
  const base = {
    taskQueue: siblingQueue(workflowQueue, 'provider'),
    // Longer than the 8 s that a provider call may take. A missing heartbeat reveals a dead worker sooner.
    startToCloseTimeout: '14 seconds',
    heartbeatTimeout: '4 seconds',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
  } as const;
  type Activities = AttemptActivities & CaptureActivities;
  const once = proxyActivities<Activities>({ ...base, retry: { maximumAttempts: 1 } });
  const untilDone = proxyActivities<Activities>({
    ...base,
    // Short pauses at first: most outages are short, and each payment waits for its own next query.
    retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '30 seconds' },
  });
  return { once, untilDone, resolveUntilKnown: untilDone.resolveAttempt };
}

export type ProviderActivities = ReturnType<typeof providerActivities>;

/**
 * Returns the options of the provider activities of refunds, disputes and sandbox orders: retried until they
 * succeed, on the provider's queue. `workflowQueue`: the queue on which the workflow runs.
 */
export function providerRetryOptions(workflowQueue: string): ActivityOptions {
  return {
    taskQueue: siblingQueue(workflowQueue, 'provider'),
    // At most three calls of 8 s. A missing heartbeat reveals a dead worker sooner.
    startToCloseTimeout: '30 seconds',
    heartbeatTimeout: '4 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
  };
}
