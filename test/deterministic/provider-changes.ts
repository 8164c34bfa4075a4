import { type Change, drawLateCaptures, drawMovingDisputes } from '../chaos/change-plan.ts';
import type { NetworkContext } from '../chaos/changes.ts';
import { captureDeclined } from '../chaos/late-captures.ts';
import { moveDisputes } from '../chaos/moving-disputes.ts';
import type { OrderAtNetwork } from '../chaos/network-trouble.ts';
import type { NetworkKind } from '../chaos/programs.ts';
import { Random } from '../support/harness/random.ts';
import { type RefundsElsewhere, drawRefundsElsewhere, refundElsewhere } from './refunds-elsewhere.ts';
import type { Scheduler } from './scheduler.ts';

/** A change that the network makes, without an order of the service. */
export type ProviderChange =
  Extract<Change, { kind: 'moving-disputes' | 'capture-after-decline' }> | RefundsElsewhere;

/** The names of the changes among the kinds of faults. Each is counted as often as the network changed. */
export const changeNames = {
  'moving-disputes': 'dispute moved by the network',
  'capture-after-decline': 'declined charge captured by the network',
  'refund-elsewhere': 'refund made at the network',
} as const satisfies Record<ProviderChange['kind'], string>;

/** The share of the seeds that have a change of a kind. */
const share = 0.5;

/** Draws the network's own changes of a seed. Only at Stripe may others than the service make refunds. */
export function drawProviderChanges(seed: number, network: NetworkKind): ProviderChange[] {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x1b873593);
  const drawn: ProviderChange[] = [
    drawMovingDisputes(random),
    drawLateCaptures(random),
    drawRefundsElsewhere(random),
  ].filter(() => random.chance(share));
  return drawn.filter(({ kind }) => kind !== 'refund-elsewhere' || network === 'stripe');
}

/** Makes the changes while payments run. A change that the network refuses ends, and the others go on. */
export async function changeAtProvider(
  changes: readonly ProviderChange[],
  context: NetworkContext,
  scheduler: Scheduler,
): Promise<void> {
  const making = changes.map(async (change) => {
    const name = changeNames[change.kind];
    if (!scheduler.allows(name)) return;
    const simulateAtNetwork: OrderAtNetwork = async (...order) => {
      await context.stack.simulateAtNetwork(...order);
      scheduler.met(name);
    };
    const counted = { ...context, stack: { ...context.stack, simulateAtNetwork } };
    await make(change, counted).catch((error: unknown) =>
      scheduler.note(`${change.kind} ended: ${String(error)}`),
    );
  });
  await Promise.all(making);
}

function make(change: ProviderChange, context: NetworkContext): Promise<void> {
  switch (change.kind) {
    case 'moving-disputes':
      return moveDisputes(change, context);
    case 'capture-after-decline':
      return captureDeclined(change, context);
    case 'refund-elsewhere':
      return refundElsewhere(change, context);
  }
}
