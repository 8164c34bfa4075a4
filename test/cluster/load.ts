import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../chaos/history.ts';
import type { ClientPlan } from '../chaos/plan.ts';
import { runClient } from '../chaos/workload.ts';

const everyMs = 200;
/** Longer than any fault; then a client gives its payment up. */
const payForMs = 90_000;
const approved = '4242424242424242';
const declinedFirst = '4000000000009995';
/** Every so many payments: one is declined first, one is refunded. */
const declinedEvery = 10;
const refundedEvery = 12;

/** Payments that are made all the time. */
export interface Load {
  /** Every call of the clients, and its answer. */
  history: Call[];
  /** Begins no more payments, and returns when those begun have ended. */
  end(): Promise<void>;
}

/** Makes 5 payments a second, each by a client of its own, until it is ended. */
export function startLoad(apis: readonly string[], apiKey: string): Load {
  const history: Call[] = [];
  const ending = new AbortController();
  const clients: Promise<void>[] = [];
  const loop = (async () => {
    for (let index = 0; !ending.signal.aborted; index += 1) {
      const payUntilMs = Date.now() + payForMs;
      clients.push(
        runClient(planOf(index), {
          ...{ apis, apiKey, history, payUntilMs },
          refundUntilMs: payUntilMs + payForMs,
          reach: async () => undefined,
        }),
      );
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  })();
  return {
    history,
    end: async () => {
      ending.abort();
      await loop;
      await Promise.all(clients);
    },
  };
}

const planOf = (index: number): ClientPlan => ({
  index,
  seed: index,
  startMs: 0,
  card: index % declinedEvery === 0 ? declinedFirst : approved,
  amountCents: 1_000 + (index % 50),
  behaviour: 'pays',
  oncePaid: index % refundedEvery === 0 ? 'refunds' : 'nothing',
  lingerMs: 0,
  comesBack: 1,
});

/**
 * Returns how long after an instant pays succeeded again, in ms: until the end of the first good pay that
 * began after the last bad one did. A pay is bad that was not answered, or answered 503. Undefined when none
 * succeeded.
 */
export function recoveredAfter(history: readonly Call[], fromMs: number, toMs: number): number | undefined {
  const pays = history
    .filter(({ op, startedAtMs }) => op === 'pay' && startedAtMs >= fromMs && startedAtMs < toMs)
    .toSorted((one, other) => one.startedAtMs - other.startedAtMs);
  const lastBad = pays.findLastIndex(({ result }) => result === 'unknown');
  const good = pays.slice(lastBad + 1).find(({ result }) => result === 'ok');
  return good === undefined ? undefined : good.endedAtMs - fromMs;
}
