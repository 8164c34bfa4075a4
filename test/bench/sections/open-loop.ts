import type { Bench } from '../bench.ts';
import { openLoop } from '../drive.ts';
import { wholePayment } from './calls.ts';

/** Makes whole payments at a constant rate, whether or not the stack keeps up. */
export async function runOpenLoop({ options, meter, shop, signal, add }: Bench): Promise<void> {
  const { rates, openLoopSeconds } = options.sizes;
  for (const perSecond of rates) {
    const sample: string[] = [];
    const step = { section: 'openLoop', name: `whole at ${perSecond}/s`, callers: null, sample };
    const calls = perSecond * openLoopSeconds;
    add(
      await meter.measure(step, () =>
        openLoop(() => wholePayment(shop, sample), { perSecond, calls, signal }),
      ),
    );
  }
}
