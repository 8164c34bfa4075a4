import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { closedLoop, inParallel, openLoop } from '../drive.ts';
import { outcomeOf } from '../http.ts';
import type { Payable } from '../shop.ts';

const AT_ONCE = 16;
/** The network answers this card after five seconds (docs/sandbox.md). */
const SLOW_CARD = '4000000000007304';
const PAYS_PER_SECOND = 4;
const STATUSES_PER_SECOND = 20;
/** Duration of the ordinary pays, alone and beside the slow ones, which end earlier. */
const SECONDS = 8;
/** Duration of the second pays, which end before the first slow pay does. */
const SECOND_PAYS_SECONDS = 3;

/**
 * Makes many concurrent pays that the network answers slowly. Beside them it makes ordinary pays, reads the
 * status of those that wait, and makes a second pay of each, which must be refused at once.
 */
export async function runSlow({ options, meter, shop, signal, add, logLine }: Bench): Promise<void> {
  const { slowPays } = options.sizes;
  const step = { section: 'slow', callers: null, sample: [] };
  const ordinary = (): Promise<Payable[]> =>
    inParallel(PAYS_PER_SECOND * SECONDS, AT_ONCE, () => shop.newPayable());
  const payAll = (payables: readonly Payable[]) =>
    openLoop((index) => outcomeOf(shop.pay(at(payables, index)), 200), {
      perSecond: PAYS_PER_SECOND,
      calls: payables.length,
      signal,
    });
  const quiet = await ordinary();
  add(await meter.measure({ ...step, name: `pays in quiet, ${PAYS_PER_SECOND}/s` }, () => payAll(quiet)));

  logLine(`slow: preparing ${slowPays} payments`);
  const slow = await inParallel(slowPays, AT_ONCE, () => shop.newPayable(SLOW_CARD));
  const beside = await ordinary();
  await meter.untilAtRest();
  const [slowOnes, pays, statuses, seconds] = await Promise.all([
    closedLoop((index) => outcomeOf(shop.pay(at(slow, index)), 200), {
      callers: slowPays,
      maxCalls: slowPays,
      seconds: 60,
      signal,
    }),
    payAll(beside),
    openLoop((index) => outcomeOf(shop.get(`/v1/payments/${at(slow, index).id}/status`), 200), {
      perSecond: STATUSES_PER_SECOND,
      calls: STATUSES_PER_SECOND * SECONDS,
      signal,
    }),
    // A second later, because a second pay that arrives before the first would be the first.
    sleep(1_000, undefined, { signal }).then(() =>
      openLoop((index) => outcomeOf(shop.pay(at(slow, index)), 409), {
        perSecond: slowPays / SECOND_PAYS_SECONDS,
        calls: slowPays,
        signal,
      }),
    ),
  ]);
  add(meter.timesOnly({ ...step, name: `${slowPays} pays of 5 s at once` }, slowOnes));
  add(meter.timesOnly({ ...step, name: `pays beside them, ${PAYS_PER_SECOND}/s` }, pays));
  add(meter.timesOnly({ ...step, name: 'status of theirs' }, statuses));
  add(meter.timesOnly({ ...step, name: 'second pay of theirs, refused' }, seconds));
}

function at(payables: readonly Payable[], index: number): Payable {
  const payable = payables[index % payables.length];
  if (payable === undefined) throw new Error('a call without a payment made for it');
  return payable;
}
