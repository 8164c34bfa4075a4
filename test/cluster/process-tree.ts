import { readFileSync, readdirSync } from 'node:fs';

/** Sends a signal to a process and its descendants. Those of PostgreSQL have process groups of their own. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const each of treeOf(pid)) {
    try {
      process.kill(each, signal);
    } catch {
      // It has ended.
    }
  }
}

/** Returns a process and its descendants, parents first. */
export function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The command, in parentheses, may contain spaces. The parent is the second field after it.
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended.
    }
  }
  const tree = [pid];
  for (const each of tree) {
    for (const [child, parent] of parents) if (parent === each) tree.push(child);
  }
  return tree;
}

/** Returns the memory of a process and its descendants in MB. Memory that they share counts once. */
export function memoryMb(pid: number): number {
  const sizes = treeOf(pid).map((each) => {
    try {
      const text = readFileSync(`/proc/${each}/smaps_rollup`, 'utf8');
      return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}
