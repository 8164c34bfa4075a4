import PQueue from 'p-queue';

/** Concurrent deliveries to one endpoint, in one process. */
export const slotsPerEndpoint = 4;
/** Deliveries that may wait here for a slot. The rest waits in Temporal, where waiting takes no slot. */
const waitersPerEndpoint = 12;
/** How long a delivery waits here for a slot, in ms. */
const waitMs = 1_000;
/** Deliveries do not wait for an endpoint slower than this, in ms: its slots will not be free soon. */
const slowMs = 1_000;

interface Endpoint {
  queue: PQueue;
  /** How long its last delivery took, in ms. */
  lastMs: number;
}

/** Limits the deliveries of one endpoint, so that a slow one does not block the others. */
export interface EndpointSlots {
  /** Runs `work` in one of the endpoint's slots. Returns null, at once or soon, when none is free. */
  run<T>(endpointId: string, work: () => Promise<T>): Promise<{ value: T } | null>;
}

/** Returns the slots of all endpoints in one process. */
export function createEndpointSlots(): EndpointSlots {
  /** Endpoints that have deliveries in progress. */
  const endpoints = new Map<string, Endpoint>();

  const open = (endpointId: string): Endpoint => {
    const queue = new PQueue({ concurrency: slotsPerEndpoint });
    const endpoint = { queue, lastMs: 0 };
    endpoints.set(endpointId, endpoint);
    queue.on('idle', () => endpoints.delete(endpointId));
    return endpoint;
  };

  return {
    async run(endpointId, work) {
      const endpoint = endpoints.get(endpointId) ?? open(endpointId);
      const { queue, lastMs } = endpoint;
      const mustWait = queue.pending >= slotsPerEndpoint;
      if (mustWait && (lastMs > slowMs || queue.size >= waitersPerEndpoint)) return null;
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(), waitMs);
      const deliver = async () => {
        clearTimeout(timer);
        const startedAt = performance.now();
        try {
          return { value: await work() };
        } finally {
          endpoint.lastMs = performance.now() - startedAt;
        }
      };
      try {
        return await queue.add(deliver, { signal: patience.signal });
      } catch (error) {
        if (patience.signal.aborted) return null;
        throw error;
      }
    },
  };
}
