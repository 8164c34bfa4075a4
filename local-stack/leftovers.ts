import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lock, type LockHolder, tryLock } from '../scripts/lib/lock.mjs';
import { isSameProcess, processIdentity } from '../scripts/lib/process-identity.mjs';
import { z } from 'zod';
import { type DataDir, readJson, writeJson } from './data-dir.ts';
import { StackProblem } from './problem.ts';
import { type Stoppable, stopInOrder } from './stop-processes.ts';

/** An ordered stop of everything, each process at the end of its grace, takes no longer. */
const STOPPING_MS = 60_000;
const POLL_MS = 200;

const stoppableSchema = z.object({
  name: z.string(),
  pid: z.number(),
  startedAt: z.string().optional(),
  stage: z.number(),
  signals: z.array(z.enum(['SIGINT', 'SIGTERM', 'SIGQUIT'])),
  graceMs: z.number(),
  group: z.boolean().optional(),
});
const watchdogSchema = z.object({ pid: z.number(), startedAt: z.string().optional() });
const runSchema = z.object({ watchdog: watchdogSchema, processes: z.array(stoppableSchema) });

/**
 * What has to be stopped if this launcher is killed and its watchdog too (a whole container, `kill -9` of
 * all).
 */
export function writeRunRecord(dataDir: DataDir, watchdogPid: number, processes: readonly Stoppable[]): void {
  const watchdog = { pid: watchdogPid, startedAt: processIdentity(watchdogPid) };
  writeJson(dataDir.runFile, { watchdog, processes });
}

/**
 * Makes this process the only launcher on the data directory; waits for one that is stopping. Throws
 * StackProblem when another runs there.
 */
export async function lockDataDir(
  dataDir: DataDir,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Lock> {
  const deadline = Date.now() + STOPPING_MS;
  let said = false;
  for (;;) {
    const { lock, holder } = tryLock(dataDir.lockFile);
    if (lock !== undefined) return lock;
    if (holder.stopping !== true || Date.now() > deadline) throw inUse(dataDir, holder);
    if (!said) say(`… waiting for the stack of process ${holder.pid} to stop`);
    said = true;
    await sleep(POLL_MS, undefined, { signal });
  }
}

function inUse(dataDir: DataDir, { pid }: LockHolder): StackProblem {
  return new StackProblem(
    `${dataDir.path} is in use by the stack of process ${pid}: stop that one, or name another --data-dir`,
  );
}

/**
 * Waits until the watchdog of a killed launcher has stopped its processes, then stops what is left of them.
 * Not to be interrupted: whoever asks us to stop meanwhile wants them stopped too.
 */
export async function stopLeftovers(dataDir: DataDir, say: (line: string) => void): Promise<void> {
  const run = readJson(dataDir.runFile, runSchema);
  if (run === undefined) return;
  const alive = (): Stoppable[] => run.processes.filter(isSameProcess);
  if (alive().length > 0) say('… stopping what an earlier start left running');
  const deadline = Date.now() + STOPPING_MS;
  while (alive().length > 0 && isSameProcess(run.watchdog) && Date.now() < deadline) await sleep(POLL_MS);
  await stopInOrder(alive());
  rmSync(dataDir.runFile, { force: true });
}
