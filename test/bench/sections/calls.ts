import { randomUUID } from 'node:crypto';
import { paymentWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { type Bench, type Prepared, callerCounts, measureCall } from '../bench.ts';
import { closedLoop, inParallel } from '../drive.ts';
import type { FloorName } from '../floors.ts';
import { outcomeOf } from '../http.ts';
import { isWanted } from '../options.ts';
import type { Shop } from '../shop.ts';

const AT_ONCE = 16;
/** Number of payments that reads alternate between, so that not only one cached row is measured. */
const READ_FROM = 50;
const WARM_CALLS = 64;
const WARM_SECONDS = 2;
const HEADROOM = 1.5;

interface CallStep {
  name: string;
  floor: FloorName | null;
  /** Floors measured beside it, which show how much of the distance to the floor its form causes. */
  beside?: readonly FloorName[];
  prepare: (shop: Shop, maxCalls: number) => Promise<Prepared>;
}

const made = <T>(count: number, make: () => Promise<T>): Promise<T[]> => inParallel(count, AT_ONCE, make);
const samples = (ids: readonly string[]): string[] => ids.map(paymentWorkflowId);

/** Returns a call for each of the items. */
function eachOf<T>(items: readonly T[], call: (item: T) => Promise<string>) {
  return {
    maxCalls: items.length,
    call: (index: number): Promise<string> => {
      const item = items[index];
      if (item === undefined) throw new Error('a call without a payment made for it');
      return call(item);
    },
  };
}

/** Returns a call that uses the items in turn, again and again. */
const around = <T>(items: readonly T[], call: (item: T) => Promise<string>): Prepared => ({
  call: (index) => eachOf(items, call).call(index % items.length),
});

function reads(
  name: string,
  floor: FloorName,
  kind: 'open' | 'paid',
  path: (id: string) => string,
  status = 200,
) {
  return {
    name,
    floor,
    prepare: async (shop: Shop): Promise<Prepared> => {
      const ids =
        kind === 'open'
          ? await made(READ_FROM, () => shop.newPayment())
          : (await made(READ_FROM, () => shop.newPaid())).map(({ id }) => id);
      return around(ids, (id) => outcomeOf(shop.get(path(id)), status));
    },
  } satisfies CallStep;
}

/** Returns a step that pays each payment, with an ordinary card or the given one. */
function paysWith(name: string, cardNumber?: string) {
  return {
    name,
    floor: 'update + local activity',
    prepare: async (shop: Shop, maxCalls: number): Promise<Prepared> => {
      const payables = await made(maxCalls, () => shop.newPayable(cardNumber));
      return {
        ...eachOf(payables, (payable) => outcomeOf(shop.pay(payable), 200)),
        sample: samples(payables.map(({ id }) => id)),
      };
    },
  } satisfies CallStep;
}

/** Each call of the merchant's API on its own; `floor` is its comparison. */
export const callSteps: readonly CallStep[] = [
  {
    name: 'create',
    floor: 'insert + start',
    prepare: async (shop) => {
      const sample: string[] = [];
      return { call: () => wholePayment(shop, sample, 'create'), sample };
    },
  },
  {
    name: 'capture',
    floor: 'update + activity',
    prepare: async (shop, maxCalls) => {
      const ids = await made(maxCalls, () => shop.newPayment());
      return { ...eachOf(ids, (id) => outcomeOf(shop.capture(id), 200)), sample: samples(ids) };
    },
  },
  // The workflow of a new payment waits for its first call.
  { ...paysWith('pay'), beside: ['first update + local activity', 'bare pay'] },
  paysWith('declined', '4000000000000002'),
  // The customer's step begins, and no money is taken yet.
  paysWith('challenged', '4000000000003220'),
  {
    name: 'whole',
    floor: 'whole',
    prepare: async (shop) => {
      const sample: string[] = [];
      return { call: () => wholePayment(shop, sample), sample };
    },
  },
  reads('status', 'query', 'open', (id) => `/v1/payments/${id}/status`),
  reads('statusByRow', 'read', 'paid', (id) => `/v1/payments/${id}/status`),
  reads('checkout', 'query', 'open', (id) => `/v1/payments/${id}/checkout`),
  reads('payment', 'read', 'open', (id) => `/v1/payments/${id}`),
  {
    name: 'replay',
    floor: 'read',
    prepare: async (shop) => {
      const keys = Array.from({ length: READ_FROM }, () => randomUUID());
      for (const key of keys) await shop.create(key);
      return around(keys, (key) => outcomeOf(shop.create(key), 201));
    },
  },
  {
    name: 'refusal',
    floor: 'read',
    prepare: async (shop) => {
      const paid = await made(READ_FROM, () => shop.newPaid());
      return around(paid, async (payable) => {
        const { status } = await shop.pay(payable);
        return status === 409 || status === 410 ? 'ok' : String(status);
      });
    },
  },
  {
    name: 'notFound',
    floor: 'read',
    prepare: async (shop) => ({
      call: () => outcomeOf(shop.get(`/v1/payments/${randomUUID()}`), 404),
    }),
  },
];

/** Makes create, capture, card to the vault and pay, or create alone. Returns `ok` or the first failure. */
export async function wholePayment(
  shop: Shop,
  workflowIds: string[],
  until: 'create' | 'pay' = 'pay',
): Promise<string> {
  try {
    const created = await shop.create();
    if (created.status !== 201) return `create ${created.status}`;
    const id = String(created.body.data?.['id']);
    workflowIds.push(paymentWorkflowId(id));
    if (until === 'create') return 'ok';
    const captured = await shop.capture(id);
    if (captured.status !== 200) return `capture ${captured.status}`;
    const card = await shop.keepCard(captured);
    return await outcomeOf(shop.pay({ id, card }), 200);
  } catch (error) {
    return `no answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Measures each call on its own, with 1, 4 and 16 callers. */
export async function runCalls(bench: Bench): Promise<void> {
  const { options, shop, floors, signal, logLine } = bench;
  for (const { name, floor, beside = [], prepare } of callSteps) {
    if (!isWanted(options.only, 'calls', name)) continue;
    logLine(`${name}: getting warm`);
    const warm = await prepare(shop, WARM_CALLS);
    const { call, maxCalls = Number.POSITIVE_INFINITY } = warm;
    const { done, elapsedMs } = await closedLoop(call, {
      callers: AT_ONCE,
      maxCalls,
      seconds: WARM_SECONDS,
      signal,
    });
    // Prepares no more payments than can be used up in the time.
    const perSecond = (done.length * 1000) / elapsedMs;
    const inTime = Math.ceil(perSecond * options.sizes.callSeconds * HEADROOM) + AT_ONCE;
    const usable = Math.max(inTime, options.sizes.minCalls[AT_ONCE]);
    for (const callers of callerCounts) {
      for (const other of beside) await floors.of(other, callers);
      await measureCall(bench, { section: 'calls', name, callers, floor }, async (count) =>
        warm.maxCalls === undefined && warm.sample === undefined
          ? warm
          : prepare(shop, Math.min(count, usable)),
      );
    }
  }
}
