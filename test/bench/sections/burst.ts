import type { Bench } from '../bench.ts';
import { closedLoop, openLoop } from '../drive.ts';
import { outcomeOf } from '../http.ts';
import { paysPerSecond, preparePays, withoutCosts } from './pays-beside.ts';

const AT_ONCE = 16;

/**
 * Makes as many creates as possible beside pays at a constant rate, after the same pays without the creates.
 * The creates leave work behind for the pays that follow, so the rate is kept until that work is done.
 */
export async function runBurst(bench: Bench): Promise<void> {
  const { options, meter, shop, signal, add, logLine } = bench;
  const { burstCreates, burstPays } = options.sizes;
  const quiet = await preparePays(bench, burstPays);
  const step = { section: 'burst', callers: null, sample: [] };
  add(
    await meter.measure({ ...step, name: `pays in quiet, ${paysPerSecond}/s` }, () =>
      openLoop(quiet, { perSecond: paysPerSecond, calls: burstPays, signal }),
    ),
  );
  logLine(`burst: preparing ${burstPays} payments`);
  const during = await preparePays(bench, burstPays);
  let creates: Awaited<ReturnType<typeof closedLoop>> | undefined;
  const figures = await meter.measure({ ...step, name: `pays beside ${burstCreates} creates` }, async () => {
    const burst = closedLoop(() => outcomeOf(shop.create(), 201), {
      callers: AT_ONCE,
      maxCalls: burstCreates,
      seconds: 600,
      signal,
    });
    const paid = await openLoop(during, { perSecond: paysPerSecond, calls: burstPays, signal });
    creates = await burst;
    return paid;
  });
  add(withoutCosts(figures));
  if (creates === undefined) return;
  add(meter.timesOnly({ ...step, name: `${burstCreates} creates, 16 callers` }, creates));
}
