import type { Database } from '../db/server/database.ts';
import {
  type DueDelivery,
  dueDeliveries,
  deliveriesAreDue,
  recordDeliveryChecks,
} from '../db/webhooks/deliveries.ts';
import { sweepHealedTotal } from '../metrics/series.ts';
import type { DeliveryStarter } from '../webhooks/delivery-starter.ts';
import type { SweepAlerts } from './alerts.ts';
import { createQueueSweep } from './queue-sweep.ts';
import type { Sweep } from './sweep.ts';

/** A delivery that is checked; `id` names both its event and its endpoint. */
interface CheckedDelivery extends DueDelivery {
  id: string;
}

/**
 * Returns the sweep that starts deliveries which have no run that can continue, because a start, a worker or
 * a run was lost.
 */
export function createDeliverySweep(deps: {
  database: Database;
  starter: Pick<DeliveryStarter, 'recover'>;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, starter } = deps;
  return createQueueSweep<CheckedDelivery>(
    'webhooks',
    {
      name: 'deliveries',
      condition: deliveriesAreDue,
      due: async (now, limit) =>
        (await dueDeliveries(database, now, limit)).map((delivery) => ({
          ...delivery,
          id: `${delivery.eventId}/${delivery.endpointId}`,
        })),
      // The starter itself records when the next check is due.
      check: async (delivery) => {
        if (await starter.recover(delivery)) sweepHealedTotal.inc({ sweep: 'deliveries' });
        return null;
      },
      record: (checked) =>
        recordDeliveryChecks(
          database,
          checked.flatMap(({ item: { eventId, endpointId }, at, failures }) =>
            at === null ? [] : [{ eventId, endpointId, at, failures }],
          ),
        ),
    },
    deps,
  );
}
