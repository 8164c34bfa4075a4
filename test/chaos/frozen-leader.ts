import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from './change-plan.ts';
import { type ChangeContext, type ChangeUnderWay, pause } from './changes.ts';
import { terminateAll } from './lost-runs.ts';
import { send } from './stack.ts';

const workers = ['worker-1', 'worker-2'] as const;

/** Time, in ms, after which the leader is frozen and lost runs wait for the next sweep. */
const thenMs = 1_000;

/**
 * Stops the worker that leads the sweeps for much longer than the faults last, so that the other one must
 * lead. Runs that are terminated meanwhile are resumed only by a sweep.
 */
export function freezeLeader(
  { atMs, forMs }: Extract<Change, { kind: 'frozen-leader' }>,
  context: ChangeContext,
): ChangeUnderWay {
  const { stack, note } = context;
  let thaw: Promise<void> | undefined;
  const freeze = async (): Promise<void> => {
    await pause(atMs, context);
    const name = leaderOf(stack.logsDirectory);
    const pid = stack.pidOf(name);
    note(`freeze ${name} (${pid}), which leads the sweeps, for ${forMs} ms`);
    send(pid, 'SIGSTOP');
    const thawAtMs = Date.now() + forMs;
    thaw = (async () => {
      // It stays frozen when the payments end, because a leader that continues later must do no harm either.
      await new Promise((resolve) => setTimeout(resolve, thawAtMs - Date.now()));
      note(`${name} (${pid}) continues`);
      send(pid, 'SIGCONT');
    })();
    await pause(thenMs, context);
    await terminateAll(context).catch(() => note('no run could be terminated'));
  };
  return { ready: Promise.resolve(), done: freeze(), heal() {}, end: async () => thaw };
}

/** Returns the worker whose log has the latest line about leading. */
function leaderOf(logsDirectory: string): (typeof workers)[number] {
  const [first = 0, second = 0] = workers.map((name) => {
    const lines = readFileSync(join(logsDirectory, `${name}.log`), 'utf8').split('\n');
    const line = lines.findLast((each) => each.includes('leads the sweeps') && !each.includes('"roles":""'));
    return Date.parse(/"time":"([^"]+)"/.exec(line ?? '')?.[1] ?? '') || 0;
  });
  return second > first ? 'worker-2' : 'worker-1';
}
