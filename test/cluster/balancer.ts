import { setTimeout as sleep } from 'node:timers/promises';

/** How often each API's readiness is checked, and how long its answer may take, in ms. */
const usualMs = 1_000;
const answerWithinMs = 2_000;
/** After this many failed checks in a row an API is out, as in most balancers; one success brings it back. */
const failuresToLeave = 2;

/** The APIs that clients are sent to. */
export interface Balancer {
  /** Addresses of the ready APIs; all of them while none is ready. The list changes with their readiness. */
  readonly apis: readonly string[];
  close(): Promise<void>;
}

/**
 * Returns a load balancer of two or more APIs that checks `/readyz` on their private ports, as
 * docs/operations.md recommends. Calls in progress stay where they are.
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
