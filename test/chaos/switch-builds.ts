import type { Change } from './change-plan.ts';
import { type ChangeContext, pause, untilFound } from './changes.ts';
import { waitingRuns } from './lost-runs.ts';

/** The build whose workers run now, by stack. A schedule starts with the build that the last one left. */
const running = new WeakMap<object, number>();

/** How long to wait for runs that are open in the middle of their work, in ms. */
const findWithinMs = 8_000;

/**
 * Starts both workers from the other build while runs wait for a customer's step or a refund, as a deploy
 * does, and perhaps switches back.
 */
export async function switchBuilds(
  { waiting, backAfterMs }: Extract<Change, { kind: 'two-builds' }>,
  context: ChangeContext,
): Promise<void> {
  const doWait = async () => (await waitingRuns(context)).length >= waiting || null;
  await untilFound(doWait, findWithinMs, context, 50);
  switchOnce(context);
  if (backAfterMs === null) return;
  await pause(backAfterMs, context);
  switchOnce(context);
}

function switchOnce({ stack, builds, note }: ChangeContext): void {
  const next = ((running.get(stack) ?? 0) + 1) % builds.length;
  const dist = builds[next];
  if (dist === undefined) return;
  running.set(stack, next);
  note(`the workers run build ${next + 1}`);
  for (const name of ['worker-1', 'worker-2'] as const) stack.restartWith(name, { dist });
}
