import type { Bench } from '../bench.ts';
import { type Call, closedLoop, inParallel, openLoop } from '../drive.ts';
import { outcomeOf } from '../http.ts';

const AT_ONCE = 16;
const PAYS_PER_SECOND = 4;

/**
 * As many creates as fit, and beside them pays at a constant rate; the same pays in quiet before. What the
 * creates leave behind is work for the pays that follow, so the rate is kept until the last of them.
 */
export async function runBurst({ options, meter, shop, signal, add, say }: Bench): Promise<void> {
  const pays = async (count: number): Promise<Call> => {
    const payables = await inParallel(count, AT_ONCE, () => shop.newPayable());
    return (index) => {
      const payable = payables[index];
      if (payable === undefined) throw new Error('a call without a payment made for it');
      return outcomeOf(shop.pay(payable), 200);
    };
  };
  const { burstCreates, burstPays } = options.sizes;
  const quiet = await pays(burstPays);
  const step = { section: 'burst', callers: null, sample: [] };
  add(
    await meter.measure({ ...step, name: `pays in quiet, ${PAYS_PER_SECOND}/s` }, () =>
      openLoop(quiet, { perSecond: PAYS_PER_SECOND, calls: burstPays, signal }),
    ),
  );
  say(`burst: preparing ${burstPays} payments`);
  const during = await pays(burstPays);
  let creates: Awaited<ReturnType<typeof closedLoop>> | undefined;
  const figures = await meter.measure({ ...step, name: `pays beside ${burstCreates} creates` }, async () => {
    const burst = closedLoop(() => outcomeOf(shop.create(), 201), {
      callers: AT_ONCE,
      most: burstCreates,
      seconds: 600,
      signal,
    });
    const paid = await openLoop(during, { perSecond: PAYS_PER_SECOND, calls: burstPays, signal });
    creates = await burst;
    return paid;
  });
  // The cost is of both kinds of call together: it belongs to neither.
  add({
    ...figures,
    processorMs: null,
    statements: null,
    writes: null,
    walKib: null,
    temporalStatements: null,
  });
  if (creates === undefined) return;
  add(meter.timesOnly({ ...step, name: `${burstCreates} creates, 16 callers` }, creates));
}
