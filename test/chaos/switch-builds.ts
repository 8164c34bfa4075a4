import type { Change } from './change-plan.ts';
import { type ChangeContext, pause } from './changes.ts';

/** The build whose workers run at the moment, by its stack: a schedule begins with what the last one left. */
const running = new WeakMap<object, number>();

/** Starts both workers from the other build, as a deploy and its way back do. */
export async function switchBuilds(
  { switchAtMs }: Extract<Change, { kind: 'two-builds' }>,
  context: ChangeContext,
): Promise<void> {
  const { stack, builds, note } = context;
  const startedAtMs = Date.now();
  for (const atMs of switchAtMs) {
    await pause(Math.max(0, startedAtMs + atMs - Date.now()), context);
    const next = ((running.get(stack) ?? 0) + 1) % builds.length;
    const dist = builds[next];
    if (dist === undefined) continue;
    running.set(stack, next);
    note(`the workers run build ${next + 1}`);
    for (const name of ['worker-1', 'worker-2'] as const) stack.restartWith(name, { dist });
  }
}
