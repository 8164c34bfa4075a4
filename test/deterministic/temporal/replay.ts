import type { LoadedDataConverter } from '@temporalio/common';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { WorkflowInstance } from './instance.ts';
import { type CachedRun, type PlayOptions, newCachedRun, playTask } from './play-task.ts';
import type { LocalResult, RunStart, Task } from './protocol.ts';

/** The workflow did not produce the commands of its history. */
export class NonDeterminism extends Error {}

/** Replays a workflow with its history. Throws NonDeterminism when its commands differ. */
export async function replayTasks(
  creator: WorkflowCreator,
  converter: LoadedDataConverter,
  { start, tasks }: { start: RunStart; tasks: readonly Task[] },
  alone: PlayOptions['alone'] = (work) => work(),
): Promise<CachedRun> {
  const run = newCachedRun(await WorkflowInstance.create(creator, converter, start));
  for (const [index, task] of tasks.entries()) {
    const left = [...task.local];
    const nextLocal = async ({ local }: CachedRun): Promise<LocalResult | null> => {
      const at = left.findIndex(({ seq }) => local.has(seq));
      return at === -1 ? null : (left.splice(at, 1)[0] ?? null);
    };
    const played = await playTask(run, task, { isReplaying: true, nextLocal, alone });
    if ('failed' in played) throw new NonDeterminism(`task ${index + 1}: ${played.failed}`);
    const now = played.task.commands.join(', ');
    const then = task.commands.join(', ');
    if (now !== then) throw new NonDeterminism(`task ${index + 1}: commands [${now}], then [${then}]`);
    if (left.length > 0) throw new NonDeterminism(`task ${index + 1}: a local activity was not asked for`);
    run.lastTask = task;
  }
  return run;
}
