/** Deliveries to one endpoint at a time, in one process. */
export const slotsPerEndpoint = 4;
/** Deliveries that may wait here for a slot; the rest waits in Temporal, where waiting takes no slot. */
const waitersPerEndpoint = 12;
const waitMs = 1_000;
/** An endpoint slower than this is not waited for: its slots will not be free soon. */
const slowMs = 1_000;

interface Endpoint {
  running: number;
  waiting: (() => void)[];
  lastMs: number;
}

/** Limits the deliveries of one endpoint, so that a slow one does not block the others. */
export interface EndpointSlots {
  /** Runs `work` in one of the endpoint's slots; returns null, at once or soon, when there is none. */
  run<T>(endpointId: string, work: () => Promise<T>): Promise<{ value: T } | null>;
}

export function createEndpointSlots(): EndpointSlots {
  const endpoints = new Map<string, Endpoint>();

  const enter = async (endpoint: Endpoint): Promise<boolean> => {
    if (endpoint.running < slotsPerEndpoint) {
      endpoint.running += 1;
      return true;
    }
    if (endpoint.lastMs > slowMs || endpoint.waiting.length >= waitersPerEndpoint) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        endpoint.waiting = endpoint.waiting.filter((waiter) => waiter !== admit);
        resolve(false);
      }, waitMs);
      const admit = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      endpoint.waiting.push(admit);
    });
  };

  return {
    async run(endpointId, work) {
      const endpoint = endpoints.get(endpointId) ?? { running: 0, waiting: [], lastMs: 0 };
      endpoints.set(endpointId, endpoint);
      if (!(await enter(endpoint))) return null;
      const startedAt = performance.now();
      try {
        return { value: await work() };
      } finally {
        endpoint.lastMs = performance.now() - startedAt;
        // A waiter takes the slot over; otherwise it is free.
        const next = endpoint.waiting.shift();
        if (next) next();
        else endpoint.running -= 1;
        if (endpoint.running === 0) endpoints.delete(endpointId);
      }
    },
  };
}
