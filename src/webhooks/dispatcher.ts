import PQueue from 'p-queue';
import { type Database, runUnfenced } from '../db/server/database.ts';
import { unstartedDeliveries } from '../db/webhooks/deliveries.ts';
import type { DeliveryStarter } from './delivery-starter.ts';
import type { FirstTries } from './first-tries.ts';

/** Events whose deliveries wait to start; the sweep starts those that do not fit. */
const maxWaiting = 1_000;
/** Events whose deliveries start concurrently. */
const atOnce = 4;

/** Starts the deliveries of committed events in the background. Its callers do not wait for a delivery. */
export interface WebhookDispatcher {
  dispatch(eventId: string): void;
  /** Accepts no more events; resolves when the first tries and starts of all accepted events are over. */
  close(): Promise<void>;
}

/** Returns the dispatcher of a process. It is bounded and may fail; the sweep starts missing deliveries. */
export function createWebhookDispatcher(deps: {
  database: Database;
  starter: DeliveryStarter;
  /** Null in a process that sends no webhooks; there workflows make all tries. */
  firstTries: FirstTries | null;
  onFault: (error: unknown) => void;
}): WebhookDispatcher {
  const { database, starter, firstTries, onFault } = deps;
  const queue = new PQueue({ concurrency: atOnce });
  let closed = false;

  const startDeliveries = async (eventId: string): Promise<void> => {
    try {
      if (firstTries) await firstTries.begin(eventId);
      else await starter.startOnce(await unstartedDeliveries(database, eventId));
    } catch (error) {
      onFault(error);
    }
  };

  return {
    dispatch(eventId) {
      if (closed || queue.size >= maxWaiting) return;
      // The queue runs in its last caller's context, but starting a delivery is not part of a sweep's turn.
      void queue.add(() => runUnfenced(() => startDeliveries(eventId)));
    },
    async close() {
      closed = true;
      await queue.onIdle();
      await firstTries?.ended();
    },
  };
}
