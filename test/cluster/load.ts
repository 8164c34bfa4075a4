import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../chaos/history.ts';
import type { ClientPlan } from '../chaos/plan.ts';
import { Random } from '../support/harness/random.ts';
import { payOne } from './client.ts';

const everyMs = 200;
/** Longer than any fault; then a client gives its payment up. */
const payForMs = 60_000;
const approved = '4242424242424242';
const declinedFirst = '4000000000009995';
/**
 * Every so many payments: one is declined first, one is refunded. More declines than that are held for card
 * testing, and refused.
 */
const declinedEvery = 100;
const refundedEvery = 12;

/** Payments that are made all the time. */
export interface Load {
  /** Every call of the clients, and its answer. */
  history: Call[];
  /** Returns how long the oldest client that has not ended has run, in ms; 0 when all have ended. */
  oldestMs(): number;
  /** Begins no more payments, and returns when those begun have ended. */
  end(): Promise<void>;
}

/** Makes 5 payments a second, each by a client of its own, until it is ended. */
export function startLoad(apis: readonly string[], apiKey: string): Load {
  const history: Call[] = [];
  const ending = new AbortController();
  /** The clients that have not ended, by when they began; oldest first. */
  const running = new Map<Promise<void>, number>();
  const loop = (async () => {
    for (let index = 0; !ending.signal.aborted; index += 1) {
      const plan = planOf(index);
      const client = payOne(plan, {
        ...{ apis, apiKey, history, random: new Random(plan.seed), untilMs: Date.now() + payForMs },
      });
      running.set(client, Date.now());
      void client.finally(() => running.delete(client));
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  })();
  return {
    history,
    oldestMs: () => {
      const [oldest] = running.values();
      return oldest === undefined ? 0 : Date.now() - oldest;
    },
    end: async () => {
      ending.abort();
      await loop;
      await Promise.all(running.keys());
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

/** Pays stand still when none succeeds for this long, in ms; 5 a second are made. */
const standstillMs = 3_000;
/** Pays succeed again when all of this long do, in ms. */
const steadyMs = 5_000;

/** Longer answers do not count as success, in ms. */
const answeredWithinMs = 5_000;

/** The calls without which a payment cannot be paid. */
const needed = new Set(['create', 'capture', 'pay']);

/** A call that was not answered within 5 s, or was answered 503. */
const isBad = ({ result, startedAtMs, endedAtMs }: Call): boolean =>
  result === 'unknown' || endedAtMs - startedAtMs > answeredWithinMs;

/** How payments went after a fault. */
export interface Recovery {
  /** Ms from the fault to the end of the first pay that succeeds and after which others do, for 5 s. */
  afterMs: number;
  /** How many later calls failed nevertheless. */
  laterBad: number;
  /** The longest pay that began since the fault, in ms. */
  slowestMs: number;
}

/**
 * Returns when pays succeeded again after a fault: the end of the first good pay that began when no needed
 * call failed for 5 s, and after which pays did not stand still in that time. Undefined when that did not
 * happen until `toMs`. Instants are epoch ms.
 */
export function recoveryOf(history: readonly Call[], fromMs: number, toMs: number): Recovery | undefined {
  const calls = history.filter(
    ({ op, startedAtMs }) => needed.has(op) && startedAtMs >= fromMs && startedAtMs < toMs,
  );
  const bad = calls.filter(isBad).map(({ startedAtMs }) => startedAtMs);
  const good = calls
    .filter((call) => call.op === 'pay' && call.result === 'ok' && !isBad(call))
    .toSorted((one, other) => one.endedAtMs - other.endedAtMs);
  const ends = good.map(({ endedAtMs }) => endedAtMs);
  const first = good.find(({ startedAtMs, endedAtMs }) => {
    const steadyUntilMs = endedAtMs + steadyMs;
    if (steadyUntilMs > toMs) return false;
    if (bad.some((at) => at >= startedAtMs && at < steadyUntilMs)) return false;
    const within = [...ends.filter((end) => end >= endedAtMs && end < steadyUntilMs), steadyUntilMs];
    return within.every((end, index) => end - (within[index - 1] ?? end) <= standstillMs);
  });
  if (first === undefined) return undefined;
  const laterBad = bad.filter((at) => at > first.endedAtMs).length;
  const slowestMs = Math.max(
    ...calls.filter(({ op }) => op === 'pay').map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs),
  );
  return { afterMs: first.endedAtMs - fromMs, laterBad, slowestMs };
}
