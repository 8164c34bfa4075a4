import PQueue from 'p-queue';
import type { Database } from '../db/server/database.ts';
import { unstartedDeliveries } from '../db/webhooks/deliveries.ts';
import type { DeliveryStarter } from './delivery-starter.ts';

/** Events whose deliveries wait to be started; the sweep starts those that do not fit. */
const maxWaiting = 1_000;
/** Events whose deliveries are started at a time. */
const atOnce = 4;

/** Starts the deliveries of committed events in the background. Nothing waits for a delivery. */
export interface WebhookDispatcher {
  dispatch(eventId: string): void;
  /** Accepts no more events; resolves when the starts of all accepted events have succeeded or failed. */
  close(): Promise<void>;
}

/**
 * Returns the dispatcher of a process: bounded, and free to fail, because the sweep starts what is missing.
 */
export function createWebhookDispatcher(deps: {
  database: Database;
  starter: DeliveryStarter;
  onFault: (error: unknown) => void;
}): WebhookDispatcher {
  const { database, starter, onFault } = deps;
  const queue = new PQueue({ concurrency: atOnce });
  let closed = false;

  const handOver = async (eventId: string): Promise<void> => {
    try {
      await starter.startOnce(await unstartedDeliveries(database, eventId));
    } catch (error) {
      onFault(error);
    }
  };

  return {
    dispatch(eventId) {
      if (closed || queue.size >= maxWaiting) return;
      void queue.add(() => handOver(eventId));
    },
    async close() {
      closed = true;
      await queue.onIdle();
    },
  };
}
