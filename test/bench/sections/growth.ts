import { readFileSync } from 'node:fs';
import { type Bench, measureCall } from '../bench.ts';
import { inParallel } from '../drive.ts';
import { outcomeOf } from '../http.ts';
import type { Payable } from '../shop.ts';
import { callSteps } from './calls.ts';

const AT_ONCE = 16;
const OLD = 40;

/** Measures pay and status with a growing number of open payments, their memory, and the cost of idling. */
export async function runGrowth(bench: Bench): Promise<void> {
  const { options, shop, logLine, signal } = bench;
  const pay = callSteps.find(({ name }) => name === 'pay');
  if (pay === undefined) throw new Error('pay is one of the calls');
  const step = { section: 'growth', callers: 4 } as const;
  let open = 0;
  // Created before the others, so that they are the least likely to be in any cache.
  const old: Payable[] = await inParallel(OLD * options.sizes.openPayments.length, AT_ONCE, () =>
    shop.newPayable(),
  );
  for (const wanted of options.sizes.openPayments) {
    for (; open < wanted; open += 100) {
      signal.throwIfAborted();
      await inParallel(Math.min(100, wanted - open), AT_ONCE, () => shop.newPayment());
      if (open % 1_000 === 0) logLine(`growth: ${open} of ${wanted} payments`);
    }
    await bench.meter.untilAtRest();
    logLine(`growth: ${wanted} open, resident ${residentMib(bench.stack.processes())}`);
    await measureCall(bench, { ...step, name: `pay, ${wanted} open`, floor: null }, (maxCalls) =>
      pay.prepare(shop, maxCalls),
    );
    const batch = old.splice(0, OLD);
    await measureCall(
      bench,
      { ...step, name: `status of an old one, ${wanted} open`, floor: null },
      async () => ({
        call: (index) =>
          outcomeOf(shop.get(`/v1/payments/${batch[index % batch.length]?.id ?? ''}/status`), 200),
      }),
    );
    await measureCall(bench, { ...step, name: `pay an old one, ${wanted} open`, floor: null }, async () => ({
      maxCalls: batch.length,
      call: (index) => {
        const payable = batch[index];
        if (payable === undefined) throw new Error('a call without a payment made for it');
        return outcomeOf(shop.pay(payable), 200);
      },
    }));
  }
}

/** Returns the memory of the processes in MiB, by name. */
export function residentMib(processes: Readonly<Record<string, number>>): string {
  return Object.entries(processes)
    .map(([name, pid]) => `${name} ${residentOf(pid)}`)
    .join(', ');
}

function residentOf(pid: number): number | string {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(kib) / 1024);
  } catch {
    return '?';
  }
}
