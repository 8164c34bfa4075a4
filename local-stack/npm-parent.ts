import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type ProcessRecord, processIdentity } from '../scripts/lib/process-identity.mjs';

/** npm starts us through a shell; its process is at most this many levels up. */
const LEVELS = 3;

/**
 * Returns the npm process that started us, undefined when there is none. A killed npm passes no signal on,
 * and the shell between npm and us keeps running. Only the end of npm itself shows that the stack should
 * stop.
 */
export function npmParent(): ProcessRecord | undefined {
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32') return undefined;
  let pid = process.ppid;
  for (let level = 0; level < LEVELS; level += 1) {
    const found = inspect(pid);
    if (found === undefined) return undefined;
    if (/^npm\b/.test(found.command)) return { pid, startedAt: processIdentity(pid) };
    pid = found.parent;
  }
  return undefined;
}

function inspect(pid: number): { parent: number; command: string } | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return { parent, command: readFileSync(`/proc/${pid}/comm`, 'utf8') };
    }
    const line = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
    });
    const [parent, ...command] = line.trim().split(/\s+/);
    return { parent: Number(parent), command: command.join(' ') };
  } catch {
    return undefined;
  }
}
