import type { Database } from '../db/server/database.ts';
import { type DueDelivery, abandonedDeliveries, postponeDeliveryLooks } from '../db/webhooks/deliveries.ts';
import type { DeliveryStarter } from '../webhooks/delivery-starter.ts';
import type { SweepAlerts } from './alerts.ts';
import { lookAtEach } from './process-due.ts';
import type { Sweep } from './sweep.ts';

/** A delivery as it is looked at; `id` names both its event and its endpoint. */
interface LookedAtDelivery extends DueDelivery {
  id: string;
}

/** Starts deliveries that nobody works on: the net under every lost start, worker and workflow. */
export function createDeliverySweep(deps: {
  database: Database;
  starter: Pick<DeliveryStarter, 'startAgain'>;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, starter, alerts } = deps;
  return {
    name: 'deliveries',
    role: 'webhooks',
    everyMs: deps.everyMs,
    run: async (going) => {
      await lookAtEach<LookedAtDelivery>(
        {
          name: 'deliveries',
          due: async (now, limit) =>
            (await abandonedDeliveries(database, now, limit)).map((delivery) => ({
              ...delivery,
              id: `${delivery.eventId}/${delivery.endpointId}`,
            })),
          // The start notes when the next look is due.
          look: async (delivery) => {
            await starter.startAgain([delivery]);
            return null;
          },
          settle: (looked) =>
            postponeDeliveryLooks(
              database,
              looked.flatMap(({ item: { eventId, endpointId }, at, failures }) =>
                at === null ? [] : [{ eventId, endpointId, at, failures }],
              ),
            ),
        },
        { now: deps.now, alerts, going },
      );
    },
  };
}
