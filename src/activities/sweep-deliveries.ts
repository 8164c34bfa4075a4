import type { Database } from '../db/database.ts';
import { abandonedDeliveries } from '../db/deliveries.ts';
import { removeOldEvents } from '../db/events.ts';
import { wipePreviousSecrets } from '../db/webhooks.ts';
import type { DeliveryStarter } from '../webhooks/delivery-starter.ts';

/** Rows of one page. */
const pageSize = 200;
const removedPerPage = 500;

/** The activity of the sweep of deliveries, as its workflow sees it. */
export interface DeliverySweepActivities {
  /** Starts what is missing and clears what is past its time; returns whether more may be waiting. */
  sweepDeliveries(): Promise<{ more: boolean }>;
}

export function createDeliverySweepActivities(deps: {
  database: Database;
  starter: DeliveryStarter;
  now: () => number;
}): DeliverySweepActivities {
  const { database, starter } = deps;
  return {
    sweepDeliveries: async () => {
      const now = new Date(deps.now());
      const abandoned = await abandonedDeliveries(database, now, pageSize);
      await starter.startAgain(abandoned);
      await wipePreviousSecrets(database, now);
      const removed = await removeOldEvents(database, now, removedPerPage);
      return { more: abandoned.length === pageSize || removed === removedPerPage };
    },
  };
}
