import { setTimeout as sleep } from 'node:timers/promises';
import { isSameProcess, processIdentity } from '../scripts/lib/process-identity.mjs';

/** On Linux a check costs a small read, elsewhere a `ps`. */
const POLL_MS = process.platform === 'linux' ? 25 : 150;
const AFTER_KILL_MS = 5_000;

/** A process of the launcher, with what another process needs to stop it gracefully. */
export interface Stoppable {
  name: string;
  pid: number;
  /** Distinguishes it from a later process with the same number; undefined when it had already ended. */
  startedAt?: string | undefined;
  /** Lower stages stop first: API 0, workers 1, simulators 2, Temporal 3, PostgreSQL 4. */
  stage: number;
  /** Sent in turn, each with `graceMs` to end; then SIGKILL goes to the whole process group. */
  signals: NodeJS.Signals[];
  graceMs: number;
  /** Signals go to the whole process group. */
  group?: boolean | undefined;
}

export function withIdentity(process: Stoppable): Stoppable {
  return { ...process, startedAt: processIdentity(process.pid) };
}

/**
 * Stops one stage after the other, the processes of a stage together. Never throws; skips ended processes.
 */
export async function stopInOrder(processes: readonly Stoppable[]): Promise<void> {
  const stages = [...new Set(processes.map((process) => process.stage))].toSorted((a, b) => a - b);
  for (const stage of stages) {
    await Promise.all(processes.filter((process) => process.stage === stage).map(stopProcess));
  }
}

export async function stopProcess(target: Stoppable): Promise<void> {
  for (const signal of target.signals) {
    if (!isSameProcess(target)) return;
    send(target, signal);
    if (await ended(target, target.graceMs)) return;
  }
  killProcess(target);
  await ended(target, AFTER_KILL_MS);
}

/** Sends SIGKILL to the process and its whole group, without waiting. */
export function killProcess(target: Stoppable): void {
  if (isSameProcess(target)) send({ ...target, group: true }, 'SIGKILL');
}

/** Waits until the process has ended; returns false after `timeoutMs`. */
export async function ended(target: Stoppable, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isSameProcess(target)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

function send(target: Stoppable, signal: NodeJS.Signals): void {
  const wholeGroup = target.group === true && process.platform !== 'win32';
  try {
    process.kill(wholeGroup ? -target.pid : target.pid, signal);
  } catch {
    // The process has already ended.
  }
}
