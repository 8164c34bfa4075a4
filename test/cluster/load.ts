import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../chaos/history.ts';
import type { ClientPlan } from '../chaos/plan.ts';
import { Random } from '../support/harness/random.ts';
import { payOne } from './client.ts';

const everyMs = 200;
/** How long a client tries to pay, in ms: longer than any fault. */
const payForMs = 60_000;
const approved = '4242424242424242';
const declinedFirst = '4000000000009995';
/**
 * One payment in this many is declined first, and one is refunded. More declines would count as card testing
 * and be refused.
 */
const declinedEvery = 100;
const refundedEvery = 12;

/** A continuous load of payments. */
export interface Load {
  /** Every call of the clients, and its answer. */
  history: Call[];
  /** Returns how long the oldest running client has run, in ms; 0 when all have ended. */
  oldestMs(): number;
  /** Starts no more payments, and returns when those in progress have ended. */
  end(): Promise<void>;
}

/** Makes 5 payments a second, each by its own client, until it is ended. */
export function startLoad(apis: readonly string[], apiKey: string): Load {
  const history: Call[] = [];
  const ending = new AbortController();
  /** The running clients and their start times, oldest first. */
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

/** Pays are considered stopped when none succeeds for this long, in ms, although 5 a second are made. */
const standstillMs = 3_000;
/** Pays have recovered when all of this long succeed, in ms. */
const steadyMs = 5_000;

/** A call that takes longer does not count as a success, in ms. */
const answeredWithinMs = 5_000;

/** The calls that a payment needs to be paid. */
const needed = new Set(['create', 'capture', 'pay']);

/** Whether a call was answered with 503, or not within 5 s. */
const isBad = ({ result, startedAtMs, endedAtMs }: Call): boolean =>
  result === 'unknown' || endedAtMs - startedAtMs > answeredWithinMs;

/** The recovery of payments after a fault. */
export interface Recovery {
  /** Ms from the fault to the end of the first successful pay after which pays succeed for 5 s. */
  afterMs: number;
  /** How many later calls failed. */
  laterBad: number;
  /** The slowest pay that began after the fault, in ms. */
  slowestMs: number;
}

/**
 * Returns when pays succeeded again after a fault: the end of the first successful pay after whose start no
 * needed call failed for 5 s, and pays did not stop in that time. Undefined when that did not happen until
 * `toMs`. Times are epoch ms.
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
