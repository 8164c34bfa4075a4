import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { errorCode } from './problem.mjs';

/**
 * A process: its number, and the start time that distinguishes it from a later one with the same number.
 * @typedef {{ pid: number, startedAt?: string | undefined }} ProcessRecord
 */

/**
 * Returns the start time of a process in the system's own format, which distinguishes it from a later process
 * with the same number. Undefined when there is no such process; a zombie counts as gone, because in a
 * container no parent may ever collect it.
 * @param {number | undefined} pid
 */
export function processIdentity(pid) {
  if (pid === undefined || !Number.isInteger(pid) || pid <= 0) return undefined;
  if (process.platform === 'linux') return linuxIdentity(pid);
  if (process.platform === 'win32') return signalReaches(pid) ? 'running' : undefined;
  return psIdentity(pid);
}

/**
 * Returns whether the process that `record` was taken from still runs.
 * @param {ProcessRecord} record
 */
export function isSameProcess(record) {
  return record.startedAt !== undefined && processIdentity(record.pid) === record.startedAt;
}

/** @param {number} pid */
function linuxIdentity(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the command in brackets and may itself hold spaces and brackets: count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${bootId()}:${fields[19]}`;
}

/** Start times count from boot: without the boot they would repeat. */
function bootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return 'boot';
  }
}

/** @param {number} pid */
function psIdentity(pid) {
  let line;
  try {
    line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    }).trim();
  } catch {
    return undefined;
  }
  const [state = '', ...started] = line.split(/\s+/);
  return line === '' || state.startsWith('Z') ? undefined : started.join(' ');
}

/** @param {number} pid */
function signalReaches(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
