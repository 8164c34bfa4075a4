import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import type { Database } from '../db/server/database.ts';
import { endDelivery } from '../db/webhooks/deliveries.ts';
import { type LeasedDelivery, leaseFirstTries, releaseFirstTry } from '../db/webhooks/first-tries.ts';
import { deliveriesTotal } from '../metrics/series.ts';
import type { DeliveryStarter } from './delivery-starter.ts';
import { type TryDeps, tryDelivery } from './delivery-try.ts';
import type { EndpointSlots } from './endpoint-slots.ts';

/** Longest time of a first try, in ms. A slower endpoint is left to its delivery's workflow. */
export const firstTryMs = 2_000;

/** Concurrent first tries of a process. Further deliveries are left to their workflows at once. */
const triesAtOnce = 128;

/** Concurrent starts of workflows for deliveries that did not end; the sweep starts those that do not fit. */
const startsAtOnce = 8;
const maxWaitingStarts = 1_000;

/** An endpoint whose first try took this long gets no first tries for some time; both in ms. */
const slowMs = 1_000;
const slowForMs = 30_000;
/** The most slow endpoints that are remembered. */
const maxSlowEndpoints = 10_000;

/** Makes the first tries of deliveries directly from their rows. ADR 0039. */
export interface FirstTries {
  /**
   * Starts the first try of each delivery of an event whose lease this process gets. The tries continue in
   * the background. A delivery that has not ended after its try continues in a workflow.
   */
  begin(eventId: string): Promise<void>;
  /** Resolves when every started try is over. */
  ended(): Promise<void>;
}

/**
 * Returns the first tries of a process. `onFault` gets the fault of a delivery; the sweep starts that
 * delivery's workflow when its lease has ended.
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
  const slow = new LRUCache<string, true>({ max: maxSlowEndpoints, ttl: slowForMs });

  let trying = 0;
  const isFree = (endpointId: string): boolean => trying < triesAtOnce && !slow.has(endpointId);

  /** Makes the first try, and remembers an endpoint that is slow. */
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
    if (tried === null) await leaveToWorkflow(leased);
    else if (tried.value.state !== 'ended') await start(leased);
  };

  /** Starts the workflow of a delivery that has not ended after its first try. */
  const start = async (leased: LeasedDelivery): Promise<void> => {
    if (starts.size < maxWaitingStarts) await starts.add(() => starter.startOnce([leased]));
  };

  /** Gives up the lease, so that the delivery's workflow makes the first try. */
  const leaveToWorkflow = async (leased: LeasedDelivery): Promise<void> => {
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
        track(isFree(leased.endpointId) ? deliver(leased) : leaveToWorkflow(leased));
      }
    },
    async ended() {
      await Promise.all(running);
    },
  };
}
