import type { Database } from '../db/server/database.ts';
import { renewDeliveries } from '../db/webhooks/deliveries.ts';
import { nextReplayEvents } from '../db/webhooks/replays.ts';
import type { ReplayInput } from '../temporal/contract/delivery.ts';
import type { DeliveryStarter } from '../webhooks/delivery-starter.ts';

/** Events of one page. */
const pageSize = 50;

/** The activity of a replay, as its workflow sees it. */
export interface ReplayActivities {
  /**
   * Sends the events of a replay that follow a position of the log. Returns the position reached; null at the
   * end.
   */
  replayPage(input: ReplayInput & { afterPosition: number }): Promise<{ next: number | null; sent: number }>;
}

/** Returns the activity of replays. */
export function createReplayActivities(deps: {
  database: Database;
  starter: DeliveryStarter;
  now: () => number;
}): ReplayActivities {
  const { database, starter } = deps;
  return {
    replayPage: async ({ sinceMs, untilMs, afterPosition, ...range }) => {
      const replayed = { ...range, since: new Date(sinceMs), until: new Date(untilMs) };
      const found = await nextReplayEvents(database, replayed, afterPosition, pageSize);
      for (const { eventId } of found) {
        const renewed = await renewDeliveries(database, eventId, range.endpointId, new Date(deps.now()));
        await starter.deliverNow(renewed);
      }
      const last = found.length === pageSize ? found.at(-1) : undefined;
      return { next: last?.position ?? null, sent: found.length };
    },
  };
}
