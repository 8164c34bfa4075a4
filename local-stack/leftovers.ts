import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lock, type LockHolder, tryLock } from '../scripts/lib/lock.mjs';
import { isSameProcess, processIdentity } from '../scripts/lib/process-identity.mjs';
import { z } from 'zod';
import { type DataDir, readJson, writeJson } from './data-dir.ts';
import { StackProblem } from './problem.ts';
import { type Stoppable, stopInOrder } from './stop-processes.ts';

/** Longest time of an ordered stop, in which each process uses its whole grace period. */
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
 * Records which processes the next launcher stops when this one and its watchdog are both killed (a whole
 * container, `kill -9` of all).
 */
export function writeRunRecord(dataDir: DataDir, watchdogPid: number, processes: readonly Stoppable[]): void {
  const watchdog = { pid: watchdogPid, startedAt: processIdentity(watchdogPid) };
  writeJson(dataDir.runFile, { watchdog, processes });
}

/**
 * Makes this process the only launcher on the data directory; waits for a launcher that is stopping. Throws
 * StackProblem when one is running.
 */
export async function lockDataDir(
  dataDir: DataDir,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<Lock> {
  const deadline = Date.now() + STOPPING_MS;
  let printed = false;
  for (;;) {
    const { lock, holder } = tryLock(dataDir.lockFile);
    if (lock !== undefined) return lock;
    if (holder.stopping !== true || Date.now() > deadline) throw alreadyRunning(dataDir, holder);
    if (!printed) print(`… waiting for the stack of process ${holder.pid} to stop`);
    printed = true;
    await sleep(POLL_MS, undefined, { signal });
  }
}

function alreadyRunning(dataDir: DataDir, { pid }: LockHolder): StackProblem {
  return new StackProblem(
    `a stack is already running on ${dataDir.path} (process ${pid}): stop it, or choose another --data-dir`,
  );
}

/**
 * Waits until the watchdog of a killed launcher has stopped its processes, then stops the remaining ones. A
 * signal does not interrupt this: a user who stops the launcher wants these processes stopped too.
 */
export async function stopLeftovers(dataDir: DataDir, print: (line: string) => void): Promise<void> {
  const run = readJson(dataDir.runFile, runSchema);
  if (run === undefined) return;
  const alive = (): Stoppable[] => run.processes.filter(isSameProcess);
  if (alive().length > 0) print('… stopping the processes of an earlier start');
  const deadline = Date.now() + STOPPING_MS;
  while (alive().length > 0 && isSameProcess(run.watchdog) && Date.now() < deadline) await sleep(POLL_MS);
  await stopInOrder(alive());
  rmSync(dataDir.runFile, { force: true });
}
