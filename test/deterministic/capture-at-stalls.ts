import type { NetworkContext } from '../chaos/changes.ts';
import { captureOrder } from '../chaos/late-captures.ts';
import { readLedger } from '../chaos/ledger.ts';
import type { Scheduler } from './scheduler.ts';
import { onStall } from './stalls.ts';

/** The kind of fault, as the line of faults names it. */
const fault = 'declined charge captured while its worker is frozen';

/** How often that happens. */
const share = 0.5;
/** How long after the decline the network captures it, in ms: while its worker is still frozen. */
const afterMs = [50, 3_000] as const;

/**
 * Lets the network capture a charge that it declined while the worker that got the decline is frozen: the
 * next worker reads another answer than the first one got.
 */
export function captureAtStalls(context: NetworkContext, scheduler: Scheduler): void {
  onStall(scheduler, ({ chargeKey }) => {
    if (chargeKey === null || !scheduler.allows(fault)) return;
    // In no process: the one that is frozen must not wait for it.
    if (!scheduler.random.chance(share)) return;
    scheduler.outside(scheduler.delay(...afterMs), null, () => {
      void captureDeclined(chargeKey, context, () => scheduler.met(fault));
    });
  });
}

async function captureDeclined(
  key: string,
  { stack, made, note }: NetworkContext,
  met: () => void,
): Promise<void> {
  const [paymentId = ''] = key.split(':');
  const { charges } = await readLedger(stack, paymentId);
  const charge = charges.find(({ attemptId, status }) => attemptId === key && status === 'declined');
  if (charge === undefined) return;
  // Recorded before the order, which may have its effect without an answer.
  made.capturedLate.add(key);
  met();
  await stack
    .simulateAtNetwork(...(await captureOrder(stack, key, charge.chargeId)))
    .catch(() => note(`the network took no order to capture ${key}`));
}
