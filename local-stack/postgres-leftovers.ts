import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from '../scripts/lib/process-identity.mjs';
import { stopProcess } from './stop-processes.ts';

const GRACE_MS = 10_000;

/**
 * Stops a server that still runs on this directory after its launcher and watchdog died, and removes its pid
 * file. PostgreSQL refuses to start when the number in that file now belongs to another process of its user.
 */
export async function stopOrphanedPostmaster(directory: string): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid');
  const pid = recordedPid(pidFile);
  if (pid === undefined) return;
  const startedAt = processIdentity(pid);
  if (startedAt !== undefined && runsIn(pid, directory)) {
    await stopProcess({
      name: 'postgres',
      pid,
      startedAt,
      stage: 0,
      signals: ['SIGINT', 'SIGQUIT'],
      graceMs: GRACE_MS,
    });
  }
  rmSync(pidFile, { force: true });
}

function recordedPid(pidFile: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a process is a server of `directory`: by its working directory, else by its command line.
 */
function runsIn(pid: number, directory: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(directory);
    if (process.platform === 'win32') return false;
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
    }).includes(directory);
  } catch {
    return false;
  }
}
