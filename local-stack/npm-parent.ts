import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type ProcessRecord, processIdentity } from '../scripts/lib/process-identity.mjs';

/** npm, and the shell it starts us through: nothing further up is its business. */
const LEVELS = 3;

/**
 * The npm process that started us, undefined when we were started otherwise. Killed outright, npm can pass
 * nothing on, and the shell between it and us lives: only npm itself tells that its user wants no stack any
 * more.
 */
export function npmParent(): ProcessRecord | undefined {
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32') return undefined;
  let pid = process.ppid;
  for (let level = 0; level < LEVELS; level += 1) {
    const seen = look(pid);
    if (seen === undefined) return undefined;
    if (/^npm\b/.test(seen.command)) return { pid, startedAt: processIdentity(pid) };
    pid = seen.parent;
  }
  return undefined;
}

function look(pid: number): { parent: number; command: string } | undefined {
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
