import PQueue from 'p-queue';
import { type Database, runUnfenced } from '../db/server/database.ts';
import { unstartedDeliveries } from '../db/webhooks/deliveries.ts';
import type { DeliveryStarter } from './delivery-starter.ts';
import type { FirstTries } from './first-tries.ts';

/** Events whose deliveries wait to begin; the sweep starts those that do not fit. */
const maxWaiting = 1_000;
/** Events whose deliveries begin at a time. */
const atOnce = 4;

/** Has the deliveries of committed events begin in the background. Nothing waits for a delivery. */
export interface WebhookDispatcher {
  dispatch(eventId: string): void;
  /** Accepts no more events; resolves when the first tries and starts of all accepted events are over. */
  close(): Promise<void>;
}

/**
 * Returns the dispatcher of a process: bounded, and free to fail, because the sweep starts what is missing.
 */
export function createWebhookDispatcher(deps: {
  database: Database;
  starter: DeliveryStarter;
  /** Null in a process that sends no webhooks: workflows make all tries of its events. */
  firstTries: FirstTries | null;
  onFault: (error: unknown) => void;
}): WebhookDispatcher {
  const { database, starter, firstTries, onFault } = deps;
  const queue = new PQueue({ concurrency: atOnce });
  let closed = false;

  const handOver = async (eventId: string): Promise<void> => {
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
      // The queue continues in whatever called last; a delivery that begins is not part of a sweep's turn.
      void queue.add(() => runUnfenced(() => handOver(eventId)));
    },
    async close() {
      closed = true;
      await queue.onIdle();
      await firstTries?.ended();
    },
  };
}
