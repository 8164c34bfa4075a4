import { setTimeout as sleep } from 'node:timers/promises';
import { isSameProcess, processIdentity } from '../scripts/lib/process-identity.mjs';

/** On Linux a look costs a small read, elsewhere a `ps`. */
const POLL_MS = process.platform === 'linux' ? 25 : 150;
const AFTER_KILL_MS = 5_000;

/**
 * A process the launcher started, with all that is needed to stop it politely even when the launcher is gone.
 */
export interface Stoppable {
  name: string;
  pid: number;
  /**
   * Guards against a later process under the same number; undefined: it had ended before it could be looked
   * at.
   */
  startedAt?: string | undefined;
  /** Lower stages stop first: API 0, workers 1, simulators 2, Temporal 3, PostgreSQL 4. */
  stage: number;
  /** Tried in turn, each given `graceMs`; SIGKILL to the whole process group follows. */
  signals: NodeJS.Signals[];
  graceMs: number;
  /** Signals go to the whole process group. */
  group?: boolean | undefined;
}

export function withIdentity(process: Stoppable): Stoppable {
  return { ...process, startedAt: processIdentity(process.pid) };
}

/** Stops stage after stage, the processes of one stage together. Never throws; gone processes are skipped. */
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

/** SIGKILL to the process and all of its group, without waiting. */
export function killProcess(target: Stoppable): void {
  if (isSameProcess(target)) send({ ...target, group: true }, 'SIGKILL');
}

/** Waits until the process is gone; false after `timeoutMs`. */
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
    // It ended in between: what was wanted.
  }
}
