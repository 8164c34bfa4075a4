import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from '../scripts/lib/process-identity.mjs';
import { stopProcess } from './stop-processes.ts';

const GRACE_MS = 10_000;

/**
 * Clears the way for a start: stops a server still running on this directory whose launcher and watchdog both
 * died, and removes the note of one that is gone. PostgreSQL itself refuses to start when the noted number
 * now belongs to some other process of its user.
 */
export async function stopOrphanedPostmaster(directory: string): Promise<void> {
  const note = join(directory, 'postmaster.pid');
  const pid = notedPid(note);
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
  rmSync(note, { force: true });
}

function notedPid(note: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(note, 'utf8'), 10);
  } catch {
    return undefined;
  }
}

/** A server works inside its data directory; where that cannot be seen, its command line names it. */
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
