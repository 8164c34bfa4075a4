import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import type { Database } from '../db/server/database.ts';
import { endDelivery } from '../db/webhooks/deliveries.ts';
import { type LeasedDelivery, leaseFirstTries, releaseFirstTry } from '../db/webhooks/first-tries.ts';
import { deliveriesTotal } from '../metrics/series.ts';
import type { DeliveryStarter } from './delivery-starter.ts';
import { type TryDeps, tryDelivery } from './delivery-try.ts';
import type { EndpointSlots } from './endpoint-slots.ts';

/** Longest time of a first try, in ms: a slower endpoint is left to its delivery's workflow. */
export const firstTryMs = 2_000;

/** First tries of a process at a time; the deliveries beyond it are left to their workflows at once. */
const triesAtOnce = 128;

/** Workflows that are started at a time for what did not end; the sweep starts those that do not fit. */
const startsAtOnce = 8;
const maxWaitingStarts = 1_000;

/** An endpoint whose first try took this long, in ms, gets no first tries from the row for some time. */
const slowMs = 1_000;
const slowForMs = 30_000;
const slowEndpoints = 10_000;

/** Makes the first tries of deliveries straight from their rows. ADR 0039. */
export interface FirstTries {
  /**
   * Begins the first try of each delivery of an event that this process gets the lease of; the tries go on in
   * the background. A delivery that has not ended by its try continues in a workflow.
   */
  begin(eventId: string): Promise<void>;
  /** Resolves when every try that has begun is over. */
  ended(): Promise<void>;
}

/**
 * Returns the first tries of a process. `onFault` gets what went wrong with a delivery: the sweep starts its
 * workflow when its lease has ended.
 */
export function createFirstTries(
  deps: TryDeps & {
    database: Database;
    starter: Pick<DeliveryStarter, 'startOnce'>;
    slots: EndpointSlots;
    onFault: (error: unknown) => void;
  },
): FirstTries {
  const { database, starter, slots, onFault } = deps;
  const running = new Set<Promise<void>>();
  const starts = new PQueue({ concurrency: startsAtOnce });
  const slow = new LRUCache<string, true>({ max: slowEndpoints, ttl: slowForMs });

  let trying = 0;
  const isFree = (endpointId: string): boolean => trying < triesAtOnce && !slow.has(endpointId);

  const tryOnce = async (leased: LeasedDelivery) => {
    const { endpointId, delivery } = leased;
    const startedAt = performance.now();
    const step = await tryDelivery(deps, leased, delivery);
    if (performance.now() - startedAt >= slowMs) slow.set(endpointId, true);
    return step;
  };

  const deliver = async (leased: LeasedDelivery): Promise<void> => {
    if (!leased.delivery.endpointUsable) {
      await endDelivery(database, leased, 'canceled', new Date(deps.now()));
      deliveriesTotal.inc({ result: 'canceled' });
      return;
    }
    trying += 1;
    const tried = await slots
      .run(leased.endpointId, () => tryOnce(leased))
      .finally(() => {
        trying -= 1;
      });
    if (tried === null) await leave(leased);
    else if (tried.value.state !== 'ended') await start(leased);
  };

  const start = async (leased: LeasedDelivery): Promise<void> => {
    if (starts.size < maxWaitingStarts) await starts.add(() => starter.startOnce([leased]));
  };

  const leave = async (leased: LeasedDelivery): Promise<void> => {
    if (starts.size >= maxWaitingStarts) return;
    await starts.add(async () => {
      await releaseFirstTry(database, leased);
      await starter.startOnce([leased]);
    });
  };

  const track = (work: Promise<void>): void => {
    const tracked = work.catch(onFault).finally(() => running.delete(tracked));
    running.add(tracked);
  };

  return {
    async begin(eventId) {
      for (const leased of await leaseFirstTries(database, eventId)) {
        track(isFree(leased.endpointId) ? deliver(leased) : leave(leased));
      }
    },
    async ended() {
      await Promise.all(running);
    },
  };
}
