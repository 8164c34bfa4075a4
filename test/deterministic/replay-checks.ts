import { paymentIdOf } from '../../src/temporal/contract/ids.ts';
import type { Violation } from '../chaos/violation.ts';
import { replayTasks } from './temporal/replay.ts';
import type { Run } from './temporal/run.ts';
import type { World } from './world.ts';

/**
 * Checks I20: the history of every payment's latest run replays in one of the builds that ran. Not of a run
 * whose signals came after events that a query had brought: the SDK replays them in another order.
 */
export async function checkReplays({ temporal, builds, dataConverter }: World): Promise<Violation[]> {
  const problemOf = async ({ start, tasks }: Run): Promise<string | null> => {
    let problem: string | null = null;
    for (const creator of builds.values()) {
      try {
        const { instance } = await replayTasks(creator, dataConverter, { start, tasks });
        await instance.dispose();
        return null;
      } catch (error) {
        problem ??= error instanceof Error ? error.message : String(error);
      }
    }
    return problem;
  };
  const violations: Violation[] = [];
  for (const run of temporal.latestRuns()) {
    const paymentId = paymentIdOf(run.start.workflowId);
    if (paymentId === null || run.isOutOfOrder) continue;
    const problem = await problemOf(run);
    if (problem !== null) violations.push({ invariant: 'I20', paymentId, detail: problem });
  }
  return violations;
}
