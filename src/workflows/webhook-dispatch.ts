import { proxyActivities } from '@temporalio/workflow';
import type { DeliveryActivities } from '../activities/deliveries.ts';
import { siblingQueue } from '../temporal/contract/ids.ts';

/** Starts the deliveries of committed events beside a workflow. The workflow does not wait for a delivery. */
export interface WebhookDispatcher {
  /** Call with the ids of the events that a commit wrote. */
  dispatch(eventIds: readonly string[]): void;
  /** Resolves when every start has succeeded or failed: call it before the workflow ends. */
  flushed(): Promise<void>;
}

/**
 * Returns a dispatcher. Each start has a time limit and may fail; the sweep starts the missing deliveries.
 * `taskQueue` is the calling workflow's own. See docs/webhooks.md.
 */
export function createWebhookDispatcher(taskQueue: string): WebhookDispatcher {
  const { startDeliveries } = proxyActivities<Pick<DeliveryActivities, 'startDeliveries'>>({
    taskQueue: siblingQueue(taskQueue, 'webhooks'),
    // Short, so that the death of a worker delays the merchant's webhook by seconds. A repeated start changes
    // nothing.
    startToCloseTimeout: '3 seconds',
    scheduleToCloseTimeout: '15 seconds',
    retry: { initialInterval: '200 milliseconds', maximumAttempts: 5 },
    summary: 'start webhook deliveries',
  });
  const running = new Set<Promise<void>>();
  return {
    dispatch(eventIds) {
      for (const eventId of eventIds) {
        const run = startDeliveries({ eventId })
          .catch(() => undefined)
          .finally(() => running.delete(run));
        running.add(run);
      }
    },
    async flushed() {
      await Promise.all(running);
    },
  };
}
