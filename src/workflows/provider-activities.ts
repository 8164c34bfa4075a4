import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { ProviderActivities } from '../activities/reports.ts';

/** The vault's and network's activities, tried once, or until they are done. */
export function providerActivities(taskQueue: string) {
  const base = {
    taskQueue,
    // Above the 8 s a provider call may take; a dead worker shows sooner, by its missing heartbeat.
    startToCloseTimeout: '14 seconds',
    heartbeatTimeout: '4 seconds',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
  } as const;
  const once = proxyActivities<ProviderActivities>({ ...base, retry: { maximumAttempts: 1 } });
  const untilDone = proxyActivities<ProviderActivities>({
    ...base,
    // Gentle at first: most outages are short, and each payment waits for its own next look.
    retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '30 seconds' },
  });
  return { once, untilDone, settleUntilKnown: untilDone.settleAttempt };
}
