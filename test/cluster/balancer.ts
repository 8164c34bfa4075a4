import { setTimeout as sleep } from 'node:timers/promises';

/** How often each API is asked whether it is ready, and how long its answer may take, in ms. */
const usualMs = 1_000;
const answerWithinMs = 2_000;
/** So many failed answers in a row take an API out, as in most load balancers; a good one brings it back. */
const failuresToLeave = 2;

/** The APIs that clients are sent to. */
export interface Balancer {
  /** Addresses of the APIs that are ready; all of them while none is. Changes as they do. */
  readonly apis: readonly string[];
  close(): Promise<void>;
}

/**
 * Returns a load balancer of two or more APIs that looks at `/readyz` of their private ports, as
 * docs/operations.md recommends. Calls under way stay where they are.
 */
export function openBalancer(
  members: readonly { api: string; privateUrl: string }[],
  askEveryMs = usualMs,
): Balancer {
  const closing = new AbortController();
  const failures = new Map(members.map(({ api }) => [api, 0]));
  const apis = members.map(({ api }) => api);
  const settle = (): void => {
    const ready = members.map(({ api }) => api).filter((api) => (failures.get(api) ?? 0) < failuresToLeave);
    apis.splice(0, apis.length, ...(ready.length > 0 ? ready : members.map(({ api }) => api)));
  };
  const watch = async ({ api, privateUrl }: (typeof members)[number]): Promise<void> => {
    while (!closing.signal.aborted) {
      const isReady = await fetch(`${privateUrl}/readyz`, { signal: AbortSignal.timeout(answerWithinMs) })
        .then(async (answer) => {
          await answer.body?.cancel();
          return answer.status === 200;
        })
        .catch(() => false);
      failures.set(api, isReady ? 0 : (failures.get(api) ?? 0) + 1);
      settle();
      await sleep(askEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  const watches = members.map(watch);
  return {
    apis,
    close: async () => {
      closing.abort();
      await Promise.all(watches);
    },
  };
}
