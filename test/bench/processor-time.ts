import { readFileSync, readdirSync } from 'node:fs';

/**
 * The owner that processor time is counted for. Temporal's PostgreSQL and the service's are counted
 * separately.
 */
export const roles = ['api', 'worker', 'temporal', 'temporalPostgres', 'postgres', 'simulators'] as const;
export type Role = (typeof roles)[number];

/** Processor time so far, in ms, by role. */
export type Spent = Record<Role, number>;

/** Linux counts processor time in hundredths of a second, whatever its kernel's own clock. */
const MS_PER_TICK = 10;

export interface ProcessTimes {
  parent: number;
  /** Its own time, in ms. */
  ownMs: number;
  /** Time of children that ended and were waited for, in ms. */
  goneChildrenMs: number;
}

/** Returns the times in a line of `/proc/<pid>/stat`; its second field may contain spaces and brackets. */
export function parseStat(line: string): ProcessTimes {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = (index: number): number => Number(fields[index]) * MS_PER_TICK;
  return {
    parent: Number(fields[1]),
    ownMs: ticks(11) + ticks(12),
    goneChildrenMs: ticks(13) + ticks(14),
  };
}

/** Returns the role of a process from the launcher's name for it; undefined when it is not counted. */
export function roleOf(name: string): Role | undefined {
  if (name === 'vault' || name === 'network') return 'simulators';
  if (/^(floor-)?api(-\d+)?$/.test(name)) return 'api';
  if (/^(floor-)?worker(-\d+)?$/.test(name)) return 'worker';
  if (name === 'postgres') return 'postgres';
  return name === 'temporal' ? 'temporal' : undefined;
}

/** Returns the role of a PostgreSQL process from its title. */
export const backendRole = (title: string): Role =>
  /^postgres: \S+ temporal(_visibility)? /.test(title) ? 'temporalPostgres' : 'postgres';

/**
 * Returns the processor time so far of the processes (name to process id), including PostgreSQL's children;
 * undefined on a system without /proc. A backend's role changes only with its process, so differences of two
 * readings are exact except for backends that ended: their time counts for `postgres`.
 */
export function readSpent(processes: Readonly<Record<string, number>>): Spent | undefined {
  if (process.platform !== 'linux') return undefined;
  const spent = Object.fromEntries(roles.map((role) => [role, 0])) as Spent;
  for (const [name, pid] of Object.entries(processes)) {
    const role = roleOf(name);
    const times = role && timesOf(pid);
    if (!role || !times) continue;
    spent[role] += times.ownMs;
    if (name === 'postgres') addBackends(spent, pid, times);
  }
  return spent;
}

/**
 * Returns how long all processors together were busy so far, and this process's part of it, in ms; undefined
 * on a system without /proc.
 */
export function readMachine(): { busyMs: number; ownMs: number } | undefined {
  if (process.platform !== 'linux') return undefined;
  const { user, system } = process.cpuUsage();
  return { busyMs: parseBusy(readFileSync('/proc/stat', 'utf8')), ownMs: (user + system) / 1000 };
}

/** Returns the ms in the first line of `/proc/stat`, without idling and waiting for disks. */
export function parseBusy(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = (stat.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softIrq + steal) * MS_PER_TICK;
}

function addBackends(spent: Spent, postmaster: number, { goneChildrenMs }: ProcessTimes): void {
  spent.postgres += goneChildrenMs;
  for (const child of childrenOf(postmaster)) {
    const times = timesOf(child);
    if (times) spent[backendRole(titleOf(child))] += times.ownMs;
  }
}

/** Returns the children of a process: from the kernel's own list, else from every process's parent. */
function childrenOf(parent: number): number[] {
  try {
    const list = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
    return list.split(' ').filter(Boolean).map(Number);
  } catch {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map(Number).filter((pid) => timesOf(pid)?.parent === parent);
  }
}

function timesOf(pid: number): ProcessTimes | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // The process has ended.
    return undefined;
  }
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
