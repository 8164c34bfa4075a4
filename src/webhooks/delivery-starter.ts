import pMap from 'p-map';
import type { Database } from '../db/server/database.ts';
import { recordRunFound, recordStarted } from '../db/webhooks/deliveries.ts';
import type { StartableDelivery } from '../domain/event.ts';
import type { DeliveryWorkflows } from '../temporal/clients/deliveries.ts';

/** Start requests to the server at a time. */
const startsAtOnce = 8;

/**
 * Starts delivery workflows, a few at a time, and records each start. A delivery that cannot be started does
 * not block the others; the first fault is thrown when all were tried.
 */
export interface DeliveryStarter {
  /** Starts deliveries whose workflow never ran. */
  startOnce(deliveries: readonly StartableDelivery[]): Promise<void>;
  /** Starts a late delivery, even if its run was lost or is stuck. Returns whether it started a run. */
  recover(delivery: StartableDelivery): Promise<boolean>;
  /** Starts deliveries, or makes their waiting runs try at once. */
  deliverNow(deliveries: readonly StartableDelivery[]): Promise<void>;
}

/** Returns the starter of a process. */
export function createDeliveryStarter(deps: {
  database: Database;
  workflows: DeliveryWorkflows;
  now: () => number;
}): DeliveryStarter {
  const { database, workflows } = deps;
  /** Starts the deliveries and records each start. Throws the first fault when all were tried. */
  const startEach = async (
    deliveries: readonly StartableDelivery[],
    start: (delivery: StartableDelivery) => Promise<void>,
  ): Promise<void> => {
    const faults: unknown[] = [];
    await pMap(
      deliveries,
      async (delivery) => {
        try {
          await start(delivery);
          await recordStarted(database, delivery, new Date(deps.now()));
        } catch (error) {
          faults.push(error);
        }
      },
      { concurrency: startsAtOnce },
    );
    if (faults.length > 0) throw faults[0];
  };
  return {
    startOnce: (deliveries) => startEach(deliveries, (delivery) => workflows.start(delivery, false)),
    recover: async (delivery) => {
      const run = await workflows.recover(delivery);
      if (run === 'started') await recordStarted(database, delivery, new Date(deps.now()));
      else await recordRunFound(database, delivery, run === 'busy');
      return run === 'started';
    },
    deliverNow: (deliveries) => startEach(deliveries, (delivery) => workflows.deliverNow(delivery)),
  };
}
