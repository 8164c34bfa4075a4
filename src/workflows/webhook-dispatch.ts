import { proxyActivities } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-types.ts';
import { siblingQueue } from '../temporal/contract/ids.ts';

/** Starts the deliveries of committed events beside a workflow. Nothing waits for a delivery. */
export interface Announcer {
  /** Call with what a commit answered; null does nothing. */
  announce(eventId: string | null): void;
  /** Resolves when every start was handed over or given up: call it before the workflow ends. */
  handedOver(): Promise<void>;
}

/**
 * The hand-over is bounded and may fail: the sweep starts what is missing. `taskQueue` is the calling workflow's own.
 * Contracts section 8.
 */
export function createAnnouncer(taskQueue: string): Announcer {
  const { startDeliveries } = proxyActivities<Pick<WebhookActivities, 'startDeliveries'>>({
    taskQueue: siblingQueue(taskQueue, 'webhooks'),
    // Short, so that a worker that dies with it costs the merchant seconds: a repeated start changes nothing.
    startToCloseTimeout: '3 seconds',
    scheduleToCloseTimeout: '15 seconds',
    retry: { initialInterval: '200 milliseconds', maximumAttempts: 5 },
    summary: 'start webhook deliveries',
  });
  const running = new Set<Promise<void>>();
  return {
    announce(eventId) {
      if (eventId === null) return;
      const run = startDeliveries({ eventId })
        .catch(() => undefined)
        .finally(() => running.delete(run));
      running.add(run);
    },
    async handedOver() {
      await Promise.all(running);
    },
  };
}
