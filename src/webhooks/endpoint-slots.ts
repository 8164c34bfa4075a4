import PQueue from 'p-queue';

/** Deliveries to one endpoint at a time, in one process. */
export const slotsPerEndpoint = 4;
/** Deliveries that may wait here for a slot; the rest waits in Temporal, where waiting takes no slot. */
const waitersPerEndpoint = 12;
const waitMs = 1_000;
/** An endpoint slower than this is not waited for: its slots will not be free soon. */
const slowMs = 1_000;

interface Endpoint {
  queue: PQueue;
  /** How long its last delivery took. */
  lastMs: number;
}

/** Limits the deliveries of one endpoint, so that a slow one does not block the others. */
export interface EndpointSlots {
  /** Runs `work` in one of the endpoint's slots; returns null, at once or soon, when there is none. */
  run<T>(endpointId: string, work: () => Promise<T>): Promise<{ value: T } | null>;
}

export function createEndpointSlots(): EndpointSlots {
  /** Those that have deliveries under way. */
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
